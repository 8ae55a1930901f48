/** The journal of an envelope: what it can say, and how a page of it is asked for. */
import * as z from "zod/mini";
import { instantSchema, listSchema, pageQuery, sha256Schema } from "./schema.ts";

export const journalKindSchema = z.enum(["signatures", "sends", "changes"]);
export type JournalKind = z.infer<typeof journalKindSchema>;

/** Everything the journal knows how to say, and the filter each word stands under. A word is never renamed: published chains hold it. */
export const AUDIT_ACTIONS = {
  envelope_created: "changes",
  envelope_updated: "changes",
  envelope_sent: "sends",
  envelope_cancelled: "changes",
  envelope_restored: "changes",
  envelope_purged: "changes",
  envelope_declined: "signatures",
  envelope_expired: "changes",
  envelope_completed: "signatures",
  recipient_invited: "sends",
  recipient_reminded: "sends",
  recipient_address_corrected: "changes",
  deadline_near: "sends",
  deadline_extended: "changes",
  deadline_changed: "changes",
  deadline_announced: "sends",
  reminders_changed: "changes",
  public_page_changed: "changes",
  extension_requested: "changes",
  recipient_viewed: "signatures",
  recipient_signed: "signatures",
  code_sent: "signatures",
  code_verified: "signatures",
  code_refused: "signatures",
  link_frozen: "signatures",
  consent_given: "signatures",
  consent_void: "signatures",
  archive_renewed: "signatures",
  print_generated: "changes",
} as const satisfies Readonly<Record<string, JournalKind>>;
export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** `verify=now` recomputes the whole chain; else what was recomputed minutes ago may be answered. */
export const eventsQuery = z.strictObject({ ...pageQuery, kind: z.optional(journalKindSchema), verify: z.optional(z.literal("now")) });

export const auditEventSchema = z.strictObject({
  at: instantSchema,
  actor: z.string(),
  action: z.string(),
  ip: z.nullable(z.string()),
  user_agent: z.nullable(z.string()),
  detail: z.record(z.string(), z.unknown()),
  hash: sha256Schema,
  previous_hash: z.nullable(sha256Schema),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;

/**
 * What recomputing the whole journal says, at this very request or minutes ago (`verify`). `count`: events read, whatever the page and the filter; `head`: the hash of the last one,
 * to compare with one kept elsewhere; `broken_at`: the number of the first event that does not hold, from 1.
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
