import { MAX_SAVED_SIGNATURES } from "@paraphe/contracts";
import { useState, useSyncExternalStore } from "react";
import {
  PRINT_CHOICES,
  type SigningPreferences,
  chooseSigningPreferences,
  onSigningPreferences,
  readSigningPreferences,
} from "../../../lib/browser/signing-preferences.ts";
import { Button } from "../../../ui/button/button.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PRESETS } from "../../signing/batch/placing.ts";
import { HANDS } from "../../signing/marks/hands.ts";
import {
  type AskedDialog,
  SignatureCards,
  SignatureDialogs,
} from "../../signing/marks/signature-cards.tsx";
import { useSavedSignatures } from "../../signing/marks/use-saved-signatures.ts";
import { SettingRow } from "./setting-row.tsx";
import { SettingsLayout, signaturesSummary } from "./settings-layout.tsx";

/** `/settings/signature`. */
export function SignaturePage() {
  return (
    <SettingsLayout title="Ma signature" lede="Ce que vous posez sur les documents, et comment.">
      <SignaturesCard />
      <SigningCard />
    </SettingsLayout>
  );
}

function SignaturesCard() {
  const { data } = useSavedSignatures();
  const [asked, setAsked] = useState<AskedDialog | null>(null);
  const signatures = data?.results ?? [];
  return (
    <section className="card" aria-labelledby="titre-signatures">
      <div className="card__head">
        <h2 className="h2 grow" id="titre-signatures">
          Signatures enregistrées
        </h2>
        <Button
          size="sm"
          blocked={signatures.length >= MAX_SAVED_SIGNATURES}
          onClick={() => setAsked({ kind: "new" })}
        >
          <Icon name="plus" size="sm" />
          Nouvelle signature
        </Button>
      </div>
      <div className="card__body">
        {signatures.length === 0 ? (
          <p className="ink2">{data === undefined ? "\u00a0" : signaturesSummary(0)}</p>
        ) : (
          <SignatureCards signatures={signatures} onAsk={setAsked} />
        )}
      </div>
      <SignatureDialogs asked={asked} signatures={signatures} onClose={() => setAsked(null)} />
    </section>
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
        <PreferenceRow
          name="print"
          title="QR code à l’impression"
          options={PRINT_CHOICES.map(({ value, label }) => [value, label])}
        >
          Sur la copie à imprimer d’un document signé, choisi d’avance sur cet appareil.
        </PreferenceRow>
      </div>
    </section>
  );
}

type PreferenceRowProps<Name extends keyof SigningPreferences> = {
  readonly name: Name;
  readonly title: string;
  readonly options: readonly (readonly [SigningPreferences[Name], string])[];
  readonly children: string;
};

/** Stored in this browser at once. */
function PreferenceRow<Name extends keyof SigningPreferences>({
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
