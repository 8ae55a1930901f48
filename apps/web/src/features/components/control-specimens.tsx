import { useState } from "react";
import { Button } from "../../ui/button/button.tsx";
import { Checkbox, Radio } from "../../ui/checkbox/checkbox.tsx";
import { DateField } from "../../ui/date-field/date-field.tsx";
import { SelectField, TextArea, TextField } from "../../ui/field/field.tsx";
import { PasswordField } from "../../ui/field/password-field.tsx";
import { SearchField } from "../../ui/field/search-field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import { OtpInput } from "../../ui/otp-input/otp-input.tsx";
import { Segmented } from "../../ui/segmented/segmented.tsx";
import { Switch } from "../../ui/switch/switch.tsx";
import { Tabs } from "../../ui/tabs/tabs.tsx";
import { Specimen } from "./specimen.tsx";

/** Buttons, fields, choices. */
export function ControlSpecimens() {
  return (
    <>
      <Buttons />
      <Fields />
      <Choices />
    </>
  );
}

function Buttons() {
  return (
    <Specimen title="Button">
      <div className="row">
        <Button variant="primary">Primaire</Button>
        <Button>Secondaire</Button>
        <Button variant="ghost">Discret</Button>
        <Button variant="danger">Destructif</Button>
        <Button variant="dangerGhost">Supprimer</Button>
        <Button variant="primary" disabled>
          Inactif
        </Button>
        <Button variant="primary" loading loadingLabel="Connexion...">
          Se connecter
        </Button>
      </div>
      <div className="row">
        <Button variant="primary" size="sm">
          Petit 32
        </Button>
        <Button variant="primary">Courant 40</Button>
        <Button variant="primary" size="lg">
          Grand 48
        </Button>
        <Button variant="ghost" size="sm" square aria-label="Télécharger">
          <Icon name="download" />
        </Button>
        <LinkAction>Action en ligne</LinkAction>
      </div>
    </Specimen>
  );
}

function Fields() {
  const [date, setDate] = useState("1984-03-14");
  return (
    <Specimen title="Field">
      <div className="cols2">
        <TextField label="Email" defaultValue="clemence@cabinet.fr" />
        <TextField label="Email invalide" defaultValue="clemence@cabinet" error="Email invalide" />
        <TextField label="Téléphone" optional placeholder="06 12 34 56 78" help="Pour recevoir vos codes par SMS." />
        <TextField label="Email fixe" defaultValue="fixe@cabinet.fr" disabled />
        <PasswordField label="Mot de passe" defaultValue="abcdef" />
        <DateField label="Date de naissance" value={date} onChange={setDate} />
        <SelectField label="Genre" optional>
          <option>Non précisé</option>
          <option>Homme</option>
          <option>Femme</option>
        </SelectField>
        <SearchField label="Rechercher" placeholder="Rechercher..." />
        <TextArea label="Adresse" optional rows={2} defaultValue={"27, quai du Havre\n76000 Rouen"} />
        <div className="stack">
          <Checkbox label="Rester connecté" defaultChecked />
          <Radio label="Choix exclusif" name="z" defaultChecked />
          <Switch label="Activé" defaultChecked />
          <Switch label="Désactivé" />
        </div>
      </div>
    </Specimen>
  );
}

function Choices() {
  const [code, setCode] = useState("48");
  const [period, setPeriod] = useState("month");
  const [tab, setTab] = useState("draw");
  return (
    <Specimen title="OtpInput, Segmented, Tabs">
      <OtpInput label="Code à usage unique" value={code} onChange={setCode} onComplete={setCode} />
      <div>
        <Segmented
          label="Période"
          value={period}
          onChange={setPeriod}
          options={[
            { value: "month", label: "Ce mois" },
            { value: "90days", label: "90 jours" },
            { value: "custom", label: "Personnalisé" },
          ]}
        />
      </div>
      <Tabs
        label="Façon de signer"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "draw", label: "Dessiner", icon: "edit" },
          { value: "type", label: "Saisir", icon: "keyboard" },
          { value: "import", label: "Importer", icon: "image" },
        ]}
      >
        <p className="ink2">{`Panneau « ${tab} »`}</p>
      </Tabs>
    </Specimen>
  );
}
