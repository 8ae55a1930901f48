import type { WebhookList } from "@paraphe/contracts/webhooks";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../../lib/api/api.ts";
import { LinkTabs } from "../../../ui/tabs/link-tabs.tsx";
import { PLACES, SettingsLayout } from "../settings/settings-layout.tsx";

export const WEBHOOKS = "/api/signature/me/webhooks/";
export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: ({ signal }) => api.get<WebhookList>(WEBHOOKS, { signal }),
});
export const WEBHOOKS_PAGE = `${PLACES.programs.to}/webhooks`;

/** The count of the second tab: webhooks on pause. */
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
