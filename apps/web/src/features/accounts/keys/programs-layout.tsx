import type { Webhook, WebhookList } from "@paraphe/contracts/webhooks";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../../lib/api/api.ts";
import { callMessage } from "../../../lib/api/api-error.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { LinkTabs } from "../../../ui/tabs/link-tabs.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { PLACES, SettingsLayout } from "../settings/settings-layout.tsx";

export const WEBHOOKS = "/api/signature/me/webhooks/";
export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: ({ signal }) => api.get<WebhookList>(WEBHOOKS, { signal }),
});
export const WEBHOOKS_PAGE = `${PLACES.programs.to}/webhooks`;

/** The second tab shows how many webhooks are on pause. */
export function ProgramsLayout({
  tab,
  children,
}: {
  readonly tab: "keys" | "webhooks";
  readonly children: ReactNode;
}) {
  const { data } = useQuery(webhooksQuery);
  const paused = data?.webhooks.filter((one) => one.paused !== null).length ?? 0;
  return (
    <SettingsLayout
      title={PLACES.programs.label}
      lede="Reliez Paraphe à vos logiciels, avec des clés et des webhooks."
      isWide
    >
      <LinkTabs
        label="Programmes"
        current={tab === "keys" ? PLACES.programs.to : WEBHOOKS_PAGE}
        tabs={[
          { to: PLACES.programs.to, label: "Clés d’API" },
          {
            to: WEBHOOKS_PAGE,
            label: "Webhooks",
            count: paused === 0 ? null : paused,
            countLabel: "en pause",
          },
        ]}
      />
      {children}
    </SettingsLayout>
  );
}

export function State({ webhook: { paused, waiting } }: { readonly webhook: Webhook }) {
  if (paused === null) return <Badge tone="completed">Actif</Badge>;
  const words = waiting === 0 ? "" : `, ${plural(waiting, "événement")} en attente`;
  return <Badge tone="action">{`En pause${words}`}</Badge>;
}

export async function attempt(work: () => Promise<unknown>, failure: string): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    showToast("err", callMessage(error, failure));
    return false;
  }
}
