import { plural } from "../../lib/format-numbers.ts";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { useSavedSignatures } from "../saved-signatures/use-saved-signatures.ts";
import { SettingRow } from "./setting-row.tsx";

/** How many signatures one keeps, and the way to them. */
export function SignaturesRow() {
  const { data } = useSavedSignatures();
  return (
    <SettingRow
      title="Mes signatures"
      control={
        <LinkButton size="sm" to="/signature/saved-signatures" aria-label="Gérer mes signatures">
          Gérer
        </LinkButton>
      }
    >
      <p>{data === undefined ? "\u00a0" : wordsOf(data.count)}</p>
    </SettingRow>
  );
}

function wordsOf(count: number): string {
  return count === 0 ? "Aucune signature enregistrée" : plural(count, "signature enregistrée", "signatures enregistrées");
}
