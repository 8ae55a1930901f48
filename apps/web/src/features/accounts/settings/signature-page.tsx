import type { SavedSignature } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callMessage } from "../../../lib/call-message.ts";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import {
  savedSignatureCalls,
  savedSignaturesQuery,
  useSavedSignatures,
} from "../../signing/marks/use-saved-signatures.ts";
import { SettingRow } from "./setting-row.tsx";
import { SettingsLayout, signaturesWords } from "./settings-layout.tsx";
import { SigningCard } from "./signing-card.tsx";

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
          {data === undefined ? "\u00a0" : signaturesWords(data.count)}
        </p>
        {data && !isEmpty && <DefaultSignatureRow signatures={data.results} />}
      </div>
    </section>
  );
}
