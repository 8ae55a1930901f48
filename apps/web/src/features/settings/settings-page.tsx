import { AccessibilityCard } from "./accessibility-card.tsx";
import { AppearanceCard } from "./appearance-card.tsx";
import { DataCard } from "./data-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { SessionCard } from "./session-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { SettingsLayout } from "./settings-layout.tsx";
import { SigningCard } from "./signing-card.tsx";
import { StorageCard } from "./storage-card.tsx";

/** Password, appearance, accessibility, what is proposed when one signs, sessions, room, one's data: `/settings`. */
export function SettingsPage() {
  return (
    <SettingsLayout title="Paramètres" lede="Mot de passe, apparence et session.">
      <PasswordCard />
      <AppearanceCard />
      <AccessibilityCard />
      <SigningCard />
      <SessionCard />
      <SessionsCard />
      <StorageCard />
      <DataCard />
    </SettingsLayout>
  );
}
