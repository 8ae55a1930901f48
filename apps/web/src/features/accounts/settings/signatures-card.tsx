import { LinkButton } from "../../../ui/button/link-button.tsx";
import { useSavedSignatures } from "../../signing/marks/use-saved-signatures.ts";
import { DefaultSignatureRow } from "./default-signature-row.tsx";
import { SettingRow } from "./setting-row.tsx";
import { signaturesWords } from "./signatures-words.ts";

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
            <LinkButton size="sm" to="/signature/saved-signatures" aria-label="Gérer mes signatures">
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
