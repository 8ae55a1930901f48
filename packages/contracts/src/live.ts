/** What changes while somebody looks: one stream of events for each signed-in page (`text/event-stream`). */
import * as z from "zod/mini";
import { storedStatusSchema } from "./envelope.ts";
import { idSchema } from "./schema.ts";

/** Event `envelope`: this envelope changed, or what became of its messages did. `purged`: it is gone. */
export const liveEnvelopeEvent = z.strictObject({
  id: idSchema,
  version: z.number(),
  status: z.enum([...storedStatusSchema.options, "action_required", "purged"]),
});
export type LiveEnvelopeEvent = z.infer<typeof liveEnvelopeEvent>;

/** Event `end`: the server closes for good. The page must not come back before it has looked at its session. */
export const liveEndEvent = z.strictObject({ reason: z.enum(["session_ended", "replaced"]) });
export type LiveEndEvent = z.infer<typeof liveEndEvent>;
