import type { ProgramHolder } from "@paraphe/contracts";
import type { Webhook, WebhookList } from "@paraphe/contracts/webhooks";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../../lib/api/api.ts";
import { callMessage } from "../../../lib/api/api-error.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { LinkTabs } from "../../../ui/tabs/link-tabs.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { PLACES, SettingsLayout } from "../settings/settings-layout.tsx";

export const WEBHOOKS = "/api/signature/me/webhooks/";
export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: ({ signal }) => api.get<WebhookList>(WEBHOOKS, { signal }),
});
export const WEBHOOKS_PAGE = `${PLACES.programs.to}/webhooks`;

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

export function State({ webhook }: { readonly webhook: Webhook }) {
  const { paused, failing, waiting } = webhook;
  const words = waiting === 0 ? "" : `, ${plural(waiting, "événement")} en attente`;
  if (paused !== null) return <Badge tone="action">{`En pause${words}`}</Badge>;
  if (failing) return <Badge tone="declined">{`En échec${words}`}</Badge>;
  return <Badge tone="completed">Actif</Badge>;
}

export function holderName({ kind, name }: ProgramHolder): string {
  if (kind === "person") return "Moi";
  return kind === "team" ? `Équipe ${name}` : (name ?? "L’organisation");
}

type Held = { readonly holder: ProgramHolder; readonly by: string };

export function HolderFacts({ holder, by }: Held) {
  if (holder.kind === "person") return <>Moi</>;
  return (
    <>
      {holderName(holder)}
      <br />
      <span className="muted small">{`par ${by}`}</span>
    </>
  );
}

export const areShared = (rows: readonly Held[]): boolean =>
  rows.some(({ holder }) => holder.kind !== "person");

type HolderProps = {
  readonly holders: readonly ProgramHolder[];
  readonly value: string | undefined;
  readonly error: string | undefined;
  readonly words: Readonly<Record<ProgramHolder["kind"], string>>;
  readonly onChange: (id: string) => void;
};

export function HolderField({ holders, value, error, words, onChange }: HolderProps) {
  const own = holders.find(({ kind }) => kind === "person");
  const chosen = holders.find(({ id }) => id === value) ?? own;
  if (holders.length < 2 || chosen === undefined) return null;
  return (
    <SelectField
      label="Au nom de"
      help={words[chosen.kind]}
      value={chosen.id}
      error={error}
      onChange={({ target }) => onChange(target.value)}
    >
      {holders.map((holder) => (
        <option key={holder.id} value={holder.id}>
          {holderName(holder)}
        </option>
      ))}
    </SelectField>
  );
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
