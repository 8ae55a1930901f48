import { CONDITIONS } from "./conditions-text.ts";
import { LegalPage } from "./legal-page.tsx";

/** What a user of the service agrees to. */
export function ConditionsPage() {
  return <LegalPage text={CONDITIONS} />;
}
