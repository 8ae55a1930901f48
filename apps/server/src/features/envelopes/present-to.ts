import type { Delivery, Envelope } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { loadDeliveries, selectUnreached } from "../notices/public.ts";
import type { Viewer } from "./domain/viewer.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { presentEnvelope } from "./present-envelope.ts";

type Presenting = Pick<Platform, "db" | "clock" | "settings">;
/** Whoever looks; `emailKey`: the address of the sender's own account, by which what they asked of themselves is told. */
export type Looking = { readonly viewer: Viewer; readonly emailKey?: string | null };

/** Gives an envelope to whoever looks, with who was told of it: every answer that holds one envelope comes from here. */
export async function presentTo(
  { db, clock, settings }: Presenting,
  aggregate: EnvelopeAggregate,
  looking: Looking & { readonly deliveries?: ReadonlyMap<string, readonly Delivery[]> },
): Promise<Envelope> {
  const unreached = await loadUnreached(db, [aggregate]);
  return presentEnvelope(aggregate, { ...looking, unreached, now: clock(), remindersLeave: !settings.mailDisabled });
}

/** Gives an envelope to its sender, with what became of the messages to each recipient. */
export async function presentToOwner(
  platform: Presenting,
  aggregate: EnvelopeAggregate,
  user: { readonly email_key: string },
): Promise<Envelope> {
  const looking = { viewer: { kind: "owner" }, emailKey: user.email_key } as const;
  const { id, status } = aggregate.envelope;
  // Nobody was written to about a draft.
  return presentTo(platform, aggregate, status === "draft" ? looking : { ...looking, deliveries: await loadDeliveries(platform.db, id) });
}

/** Gives the recipients of these envelopes whom no message has told; only those with somebody who was asked are looked up. */
export async function loadUnreached(
  db: Platform["db"],
  aggregates: readonly Pick<EnvelopeAggregate, "envelope" | "recipients">[],
): Promise<ReadonlySet<string>> {
  const asked = aggregates.filter(({ recipients }) => recipients.some(({ notifiedAt }) => notifiedAt !== null));
  return selectUnreached(db, { envelopeIds: asked.map(({ envelope }) => envelope.id) });
}
