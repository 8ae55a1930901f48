import { useQuery } from "@tanstack/react-query";
import { useSession } from "../use-session.ts";
import { ChannelsCard } from "./channels-card.tsx";
import { loadChannels } from "./settings-calls.ts";
import { FormSkeleton, LoadFailure, SettingsLayout } from "./settings-layout.tsx";

const LEDE =
  "Choisissez comment nous vous prévenons\u00a0: document à signer, signature reçue, échéance proche.";

/** `/settings/notifications`. */
export function NotificationsPage() {
  const session = useSession();
  const channels = useQuery({
    queryKey: ["channels"],
    queryFn: ({ signal }) => loadChannels(signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <SettingsLayout title="Notifications" lede={LEDE}>
      {channels.data && session.state === "member" ? (
        <ChannelsCard user={session.user} loaded={channels.data} />
      ) : channels.error ? (
        <LoadFailure
          error={channels.error}
          fallback="Impossible de charger vos préférences"
          onRetry={() => void channels.refetch()}
        />
      ) : (
        <FormSkeleton lines={3} label="Chargement de vos préférences" />
      )}
    </SettingsLayout>
  );
}
