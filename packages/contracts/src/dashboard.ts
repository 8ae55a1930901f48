/** The dashboard's one call, contract §4. */
import * as z from "zod/mini";
import { envelopeSchema } from "./envelope.ts";
import { idSchema, instantSchema, periodDateSchema } from "./schema.ts";

const daySchema = z.strictObject({ date: z.iso.date(), count: z.number() });
export const dashboardQuery = z.strictObject({
  from: z.optional(periodDateSchema),
  to: z.optional(periodDateSchema),
});
export const dashboardAnswer = z.strictObject({
  counts: z.strictObject({ draft: z.number(), sent: z.number(), completed: z.number(), actionRequired: z.number() }),
  totalThisMonth: z.number(),
  periodTotal: z.number(),
  periodCompleted: z.number(),
  completionRate: z.number(),
  avgSigningTime: z.number(),
  sparklines: z.strictObject({ last7: z.array(daySchema), last30: z.array(daySchema) }),
  /** When a draft was last changed, how many envelopes sent reach their deadline within `DEADLINE_SOON_DAYS`, and the first deadline among what waits for one's signature. */
  standing: z.strictObject({
    lastDraftAt: z.nullable(instantSchema),
    expiringSoon: z.number(),
    mostUrgentAt: z.nullable(instantSchema),
  }),
  recent: z.array(envelopeSchema),
  notifications: z.array(z.strictObject({ envelope_id: idSchema, title: z.string(), completed_at: instantSchema })),
});
export type Dashboard = z.infer<typeof dashboardAnswer>;
