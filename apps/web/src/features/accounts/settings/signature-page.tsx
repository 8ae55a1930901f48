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

/** What one signs with, and what is proposed when one signs: `/settings/signature`. */
export function SignaturePage() {
  return (
    <SettingsLayout title="Ma signature" lede="Ce que vous posez sur les documents, et comment.">
      <SignaturesCard />
      <SigningCard />
    </SettingsLayout>
  );
}

const TITLE = "Signature par défaut";

/** The account's signature that is proposed first, on every device. */
function DefaultSignatureRow() {
  const client = useQueryClient();
  const { data } = useSavedSignatures();
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
  const signatures = data?.results ?? [];
  const kept = signatures.find((signature) => signature.is_default)?.id ?? "";
  return (
    <SettingRow
      title={TITLE}
      stacked
      control={
        signatures.length === 0 ? (
          <LinkButton size="sm" to="/signature/saved-signatures">
            Ajouter une signature
          </LinkButton>
        ) : (
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
        )
      }
    >
      <p>Proposée d’abord, sur tous vos appareils.</p>
    </SettingRow>
  );
}

/** How many signatures one keeps, which comes first, and the way to them. */
export function SignaturesCard() {
  const { data } = useSavedSignatures();
  return (
    <section className="card" aria-labelledby="titre-signatures">
      <div className="card__head">
        <h2 className="h2" id="titre-signatures">
          Signatures enregistrées
        </h2>
      </div>
      <div className="card__body">
        <SettingRow
          title="Mes signatures"
          control={
            <LinkButton
              size="sm"
              to="/signature/saved-signatures"
              aria-label="Gérer mes signatures"
            >
              Gérer
            </LinkButton>
          }
        >
          <p>{data === undefined ? "\u00a0" : signaturesWords(data.count)}</p>
        </SettingRow>
        <DefaultSignatureRow />
      </div>
    </section>
  );
}
