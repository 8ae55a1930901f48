import * as z from "zod/mini";
import { envelopeSchema, storedStatusSchema } from "./envelope.ts";
import { idSchema, instantSchema, periodDateSchema } from "./schema.ts";

const daySchema = z.strictObject({ date: z.iso.date(), count: z.number() });
export const dashboardQuery = z.strictObject({
  from: z.optional(periodDateSchema),
  to: z.optional(periodDateSchema),
});
export const dashboardAnswer = z.strictObject({
  counts: z.strictObject({
    draft: z.number(),
    sent: z.number(),
    completed: z.number(),
    actionRequired: z.number(),
  }),
  totalThisMonth: z.number(),
  periodTotal: z.number(),
  periodCompleted: z.number(),
  completionRate: z.number(),
  avgSigningTime: z.number(),
  sparklines: z.strictObject({ last7: z.array(daySchema), last30: z.array(daySchema) }),
  /**
   * The last draft; sent envelopes within `DEADLINE_SOON_DAYS` of their deadline; the first
   * deadline awaiting me.
   */
  standing: z.strictObject({
    lastDraftAt: z.nullable(instantSchema),
    expiringSoon: z.number(),
    mostUrgentAt: z.nullable(instantSchema),
  }),
  recent: z.array(envelopeSchema),
  notifications: z.array(
    z.strictObject({ envelope_id: idSchema, title: z.string(), completed_at: instantSchema }),
  ),
});
export type Dashboard = z.infer<typeof dashboardAnswer>;

/** It or its messages changed. `purged`: it is gone. */
export const liveEnvelopeEvent = z.strictObject({
  id: idSchema,
  version: z.number(),
  status: z.enum([...storedStatusSchema.options, "action_required", "purged"]),
});
export type LiveEnvelopeEvent = z.infer<typeof liveEnvelopeEvent>;

/** For good: the page checks its session first. */
export const liveEndEvent = z.strictObject({ reason: z.enum(["session_ended", "replaced"]) });
export type LiveEndEvent = z.infer<typeof liveEndEvent>;
