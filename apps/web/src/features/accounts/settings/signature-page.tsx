import type { SavedSignature } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import {
  PRINT_CHOICES,
  type SigningPreferences,
  chooseSigningPreferences,
  onSigningPreferences,
  readSigningPreferences,
} from "../../../lib/browser/signing-preferences.ts";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { PRESETS } from "../../signing/batch/placing.ts";
import { HANDS } from "../../signing/marks/hands.ts";
import {
  savedSignatureCalls,
  savedSignaturesQuery,
  useSavedSignatures,
} from "../../signing/marks/use-saved-signatures.ts";
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

const TITLE = "Signature par défaut";

type RowProps = { readonly signatures: readonly SavedSignature[] };

function DefaultSignatureRow({ signatures }: RowProps) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (id: string) => savedSignatureCalls.change(id, { is_default: true }),
    onSuccess: () => {
      showToast("ok", "Préférences enregistrées");
    },
    onError: (error) => {
      showToast("err", callMessage(error, "Impossible d’enregistrer les préférences"));
    },
    onSettled: () => client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey }),
  });
  const kept = signatures.find((signature) => signature.is_default)?.id ?? "";
  return (
    <SettingRow
      title={TITLE}
      stacked
      control={
        <SelectField
          label={TITLE}
          hideLabel
          size="sm"
          value={change.isPending ? change.variables : kept}
          onChange={(event) => change.mutate(event.target.value)}
        >
          {signatures.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      }
    >
      <p>Proposée d’abord, sur tous vos appareils.</p>
    </SettingRow>
  );
}

function SignaturesCard() {
  const { data } = useSavedSignatures();
  const isEmpty = data?.count === 0;
  return (
    <section className="card" aria-labelledby="titre-signatures">
      <div className="card__head">
        <h2 className="h2 grow" id="titre-signatures">
          Signatures enregistrées
        </h2>
        <LinkButton
          size="sm"
          to="/signature/saved-signatures"
          aria-label={isEmpty ? undefined : "Gérer mes signatures"}
        >
          {isEmpty ? "Nouvelle signature" : "Gérer"}
        </LinkButton>
      </div>
      <div className="card__body">
        <p className={isEmpty ? "ink2" : "muted small"}>
          {data === undefined ? "\u00a0" : signaturesSummary(data.count)}
        </p>
        {data && !isEmpty && <DefaultSignatureRow signatures={data.results} />}
      </div>
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
