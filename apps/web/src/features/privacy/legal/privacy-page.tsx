import { LegalPage } from "./legal-page.tsx";
import { PRIVACY } from "./privacy-text.ts";

/** What is kept of people, why, how long, and their rights. */
export function PrivacyPage() {
  return <LegalPage text={PRIVACY} />;
}
