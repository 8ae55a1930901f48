import type { Envelope } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { loadDeliveries, selectUnreached } from "../notices/index.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { presentEnvelope } from "./present-envelope.ts";

/** Gives an envelope to its sender, with what became of the messages to each recipient. */
export async function presentToOwner(
  platform: Pick<Platform, "db" | "clock">,
  aggregate: EnvelopeAggregate,
  user: { readonly recipient_key: string | null },
): Promise<Envelope> {
  const { id, status } = aggregate.envelope;
  const presentation = { viewer: { kind: "owner" }, emailKey: user.recipient_key, now: platform.clock() } as const;
  // Nobody was written to about a draft.
  if (status === "draft") return presentEnvelope(aggregate, presentation);
  const unreached = await selectUnreached(platform.db, id);
  return presentEnvelope(aggregate, { ...presentation, unreached, deliveries: await loadDeliveries(platform.db, id) });
}
