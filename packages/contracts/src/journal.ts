import * as z from "zod/mini";
import type { JournalKind } from "./events.ts";
import { instantSchema, listSchema, pageQuery, sha256Schema } from "./schema.ts";

const KINDS = ["signatures", "sends", "changes"] as const satisfies readonly JournalKind[];
export const journalKindSchema = z.enum(KINDS);

/** `verify=now` recomputes the chain; else a result some minutes old may be answered. */
export const eventsQuery = z.strictObject({
  ...pageQuery,
  kind: z.optional(journalKindSchema),
  verify: z.optional(z.literal("now")),
});

export const auditEventSchema = z.strictObject({
  at: instantSchema,
  actor: z.string(),
  action: z.string(),
  recipient_name: z.optional(z.string()),
  ip: z.nullable(z.string()),
  user_agent: z.nullable(z.string()),
  detail: z.record(z.string(), z.unknown()),
  hash: sha256Schema,
  previous_hash: z.nullable(sha256Schema),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;

/**
 * `count`: all events, whatever the filter; `head`: last hash; `broken_at`: first invalid event,
 * from 1.
 */
export const chainSchema = z.strictObject({
  ok: z.boolean(),
  count: z.number(),
  head: z.nullable(sha256Schema),
  broken_at: z.nullable(z.number()),
});
export type ChainAnswer = z.infer<typeof chainSchema>;

export const eventsAnswer = z.extend(listSchema(auditEventSchema), { chain: chainSchema });
export type EventsAnswer = z.infer<typeof eventsAnswer>;
