import { useQuery } from "@tanstack/react-query";
import { AccessibilityCard, AppearanceCard } from "../settings/appearance-card.tsx";
import { DataCard } from "../settings/data-card.tsx";
import { FormSkeleton, LoadFailure, SettingsLayout } from "../settings/settings-layout.tsx";
import { StorageCard } from "../settings/storage-card.tsx";
import { loadProfile } from "./profile-calls.ts";
import { ProfileCard } from "./profile-card.tsx";

/** `/profile`. */
export function ProfilePage() {
  const profile = useQuery({
    queryKey: ["profile"],
    queryFn: ({ signal }) => loadProfile(signal),
    // Another tab's save does not replace a form being filled in.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <SettingsLayout title="Mon compte" lede="Votre nom figure sur les certificats de signature.">
      {profile.data ? (
        <ProfileCard user={profile.data} />
      ) : profile.error ? (
        <LoadFailure
          error={profile.error}
          fallback="Impossible de charger votre profil"
          onRetry={() => void profile.refetch()}
        />
      ) : (
        <FormSkeleton lines={4} label="Chargement de votre profil" />
      )}
      <AppearanceCard />
      <AccessibilityCard />
      <StorageCard />
      <DataCard />
    </SettingsLayout>
  );
}
