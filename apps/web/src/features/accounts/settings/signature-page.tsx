import { SettingsLayout } from "./settings-layout.tsx";
import { SignaturesCard } from "./signatures-card.tsx";
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
