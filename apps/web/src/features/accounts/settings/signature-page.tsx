import { formatDigits } from "@paraphe/kernel/french-dates";
import { useSyncExternalStore } from "react";
import {
  type SigningPreferences,
  chooseSigningPreferences,
  onSigningPreferences,
  readSigningPreferences,
} from "../../../lib/browser/signing-preferences.ts";
import { SelectField } from "../../../ui/field/field.tsx";
import { Switch } from "../../../ui/switch/switch.tsx";
import { PRINT_CHOICES, PUBLIC_PAGE } from "../../envelopes/prepare/sending/public-page-words.ts";
import { PRESETS } from "../../signing/batch/placing.ts";
import { HANDS } from "../../signing/marks/hands.ts";
import { SavedSignaturesCard } from "../../signing/marks/saved-signatures-card.tsx";
import { SettingRow } from "./setting-row.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

/** `/settings/signature`, and `/signature/saved-signatures` of the specification. */
export function SignaturePage() {
  return (
    <SettingsLayout title="Ma signature" lede="Ce que vous posez sur les documents, et comment.">
      <SavedSignaturesCard />
      <SigningCard />
    </SettingsLayout>
  );
}

const METHODS: readonly (readonly [SigningPreferences["method"], string])[] = [
  ["last", "La dernière utilisée"],
  ["saved", "Mes signatures"],
  ["draw", "Dessiner"],
  ["type", "Saisir"],
  ["import", "Importer"],
];
const PLACES = [
  ["free", "Sur un espace libre"],
  ...PRESETS.map(({ id, label }) => [id, label] as const),
] as const;

export function SigningCard() {
  return (
    <section className="card" aria-labelledby="titre-preferences-signature">
      <div className="card__head">
        <h2 className="h2" id="titre-preferences-signature">
          Quand vous signez
        </h2>
      </div>
      <div className="card__body">
        <PreferenceRow name="place" title="Emplacement par défaut" options={PLACES}>
          Pour Auto-signature et Signature masse, sur cet appareil.
        </PreferenceRow>
        <PreferenceRow name="method" title="Façon de signer" options={METHODS}>
          L’onglet ouvert d’abord quand vous créez une signature.
        </PreferenceRow>
        <PreferenceRow
          name="hand"
          title="Écriture"
          options={HANDS.map(({ hand, name }) => [hand, name])}
        >
          Celle d’un nom saisi au clavier.
        </PreferenceRow>
        <SwitchRow name="date" title="Ajouter la date sous la signature">
          {`Pour Auto-signature, au format ${formatDigits(new Date())}, sur cet appareil.`}
        </SwitchRow>
        <PreferenceRow
          name="print"
          title="QR code à l’impression"
          options={PRINT_CHOICES.map(({ value, label }) => [value, label])}
        >
          Sur la copie à imprimer d’un document signé, choisi d’avance sur cet appareil.
        </PreferenceRow>
        <SwitchRow name="proofOnly" title={PUBLIC_PAGE.proofOnly.label}>
          {`${PUBLIC_PAGE.proofOnly.words} Désactivé\u00a0: elle voit aussi le document. Choisi d’avance pour vos demandes, sur cet appareil.`}
        </SwitchRow>
      </div>
    </section>
  );
}

type Choice = Exclude<keyof SigningPreferences, "date" | "proofOnly">;
type PreferenceRowProps<Name extends Choice> = {
  readonly name: Name;
  readonly title: string;
  readonly options: readonly (readonly [SigningPreferences[Name], string])[];
  readonly children: string;
};

function PreferenceRow<Name extends Choice>({
  name,
  title,
  options,
  children,
}: PreferenceRowProps<Name>) {
  const preferences = useSyncExternalStore(onSigningPreferences, readSigningPreferences);
  return (
    <SettingRow
      title={title}
      stacked
      control={
        <SelectField
          label={title}
          hideLabel
          size="sm"
          value={preferences[name]}
          onChange={(event) => chooseSigningPreferences({ [name]: event.target.value })}
        >
          {options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      }
    >
      <p>{children}</p>
    </SettingRow>
  );
}

type SwitchRowProps = {
  readonly name: "date" | "proofOnly";
  readonly title: string;
  readonly children: string;
};

function SwitchRow({ name, title, children }: SwitchRowProps) {
  const preferences = useSyncExternalStore(onSigningPreferences, readSigningPreferences);
  const titleId = `preference-${name}`;
  return (
    <SettingRow
      title={title}
      titleId={titleId}
      control={
        <Switch
          aria-labelledby={titleId}
          checked={preferences[name]}
          onChange={(event) => chooseSigningPreferences({ [name]: event.target.checked })}
        />
      }
    >
      <p>{children}</p>
    </SettingRow>
  );
}
