import { type ReactNode, useSyncExternalStore } from "react";
import {
  chooseSigningPreferences,
  onSigningPreferences,
  PRINT_CHOICES,
  readSigningPreferences,
  type SigningPreferences,
} from "../../lib/signing-preferences.ts";
import { SelectField } from "../../ui/field/select-field.tsx";
import { PRESETS } from "../bulk-same/preset-places.ts";
import { HANDS } from "../signing/hands.ts";
import { DefaultSignatureRow } from "./default-signature-row.tsx";
import { SettingRow } from "./setting-row.tsx";

const METHODS: readonly (readonly [SigningPreferences["method"], string])[] = [
  ["last", "La dernière utilisée"],
  ["saved", "Mes signatures"],
  ["draw", "Dessiner"],
  ["type", "Saisir"],
  ["import", "Importer"],
];

/** What is proposed first when one signs: which signature, made how, in which hand, where; and what is printed with a signed document. */
export function SigningCard() {
  const { place, method, hand, print } = useSyncExternalStore(onSigningPreferences, readSigningPreferences);
  const row = <K extends keyof SigningPreferences>(
    name: K,
    look: { title: string; words: string; value: SigningPreferences[K]; options: ReactNode },
  ) => (
    <SettingRow
      title={look.title}
      stacked
      control={
        <SelectField
          label={look.title}
          hideLabel
          size="sm"
          value={look.value}
          onChange={(event) => chooseSigningPreferences({ [name]: event.target.value })}
        >
          {look.options}
        </SelectField>
      }
    >
      <p>{look.words}</p>
    </SettingRow>
  );
  return (
    <section className="card" aria-labelledby="titre-preferences-signature">
      <div className="card__head">
        <h2 className="h2" id="titre-preferences-signature">
          Préférences de signature
        </h2>
      </div>
      <div className="card__body">
        <DefaultSignatureRow />
        {row("place", {
          title: "Emplacement par défaut",
          words: "Pour Auto-signature et la signature en lot, sur cet appareil.",
          value: place,
          options: (
            <>
              <option value="free">Sur un espace libre</option>
              {PRESETS.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </>
          ),
        })}
        {row("method", {
          title: "Façon de signer",
          words: "L’onglet ouvert d’abord quand vous créez une signature.",
          value: method,
          options: METHODS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          )),
        })}
        {row("hand", {
          title: "Écriture",
          words: "Celle d’un nom saisi au clavier.",
          value: hand,
          options: HANDS.map((entry) => (
            <option key={entry.hand} value={entry.hand}>
              {entry.name}
            </option>
          )),
        })}
        {row("print", {
          title: "Code QR à l’impression",
          words: "Sur la copie à imprimer d’un document signé, choisi d’avance sur cet appareil.",
          value: print,
          options: PRINT_CHOICES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          )),
        })}
      </div>
    </section>
  );
}
