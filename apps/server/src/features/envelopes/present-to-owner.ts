import type { Envelope } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { loadDeliveries } from "../notices/index.ts";
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
  return presentEnvelope(aggregate, { ...presentation, deliveries: await loadDeliveries(platform.db, id) });
}
