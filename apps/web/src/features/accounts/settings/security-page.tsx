import { PasswordCard } from "./password-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

/** `/settings/security`. */
export function SecurityPage() {
  return (
    <SettingsLayout title="Sécurité" lede="Comment vous vous connectez, et où vous l’êtes.">
      <PasswordCard />
      <SessionsCard />
    </SettingsLayout>
  );
}
