import * as z from "zod/mini";
import { holderChoice, programHolder } from "./api-keys.ts";
import { idSchema, instantSchema } from "./schema.ts";

export const WEBHOOK_TYPES = {
  "envelope.sent": "Enveloppe envoyée",
  "envelope.completed": "Enveloppe terminée",
  "envelope.cancelled": "Enveloppe annulée",
  "envelope.restored": "Enveloppe restaurée",
  "envelope.expired": "Échéance dépassée",
  "envelope.purged": "Enveloppe purgée",
  "recipient.viewed": "Document ouvert",
  "recipient.signed": "Signature donnée",
  "recipient.declined": "Signature refusée",
  "recipient.approved": "Visa donné",
  "recipient.returned": "Document renvoyé",
  "message.bounced": "Message non remis",
} as const;
export type WebhookType = keyof typeof WEBHOOK_TYPES;
const TYPES = Object.keys(WEBHOOK_TYPES) as [WebhookType, ...WebhookType[]];

/** Sent by « Essayer » alone. */
export const TEST_TYPE = "test.ping";
export const MAX_WEBHOOKS = 20;
export const WEBHOOK_LOG_DAYS = 30;
/** Hours during which a replaced secret still signs. */
export const SECRET_OVERLAP_HOURS = 24;

const UNREACHABLE =
  "Cette adresse n’est pas joignable depuis Internet. Utilisez une adresse publique en https.";

const ADDRESS = "Donnez une adresse complète en https, par exemple https://exemple.fr/webhooks.";
const LOCAL_HTTP = "Donnez une adresse en https\u202f; en http, localhost et 127.0.0.1 seuls.";
/** `http` serves a receiver of the same machine alone. */
const isWebhookAddress = (text: string): boolean =>
  /^(https:\/\/|http:\/\/(localhost|127\.[\d.]+|\[::1\])([:/?#]|$))/i.test(text);

const CREDENTIALS =
  "Une adresse avec identifiant ou mot de passe n’est pas acceptée. Vérifiez plutôt la signature de chaque appel.";
const hasCredentials = (text: string): boolean => /^https?:[/\\]*[^/\\?#]*@/i.test(text);

/**
 * What a receiver gets. `data`: the envelope as its owner sees it, its id alone once purged; empty
 * for a test.
 */
export const webhookEvent = z.object({
  type: z.enum([...TYPES, TEST_TYPE]),
  timestamp: instantSchema,
  data: z.object({
    id: z.optional(idSchema),
    title: z.optional(z.string()),
    status: z.optional(z.string()),
    recipients: z.optional(z.number()),
    recipient: z.optional(
      z.object({
        id: idSchema,
        full_name: z.string(),
        email: z.string(),
        role: z.string(),
        status: z.string(),
      }),
    ),
  }),
});

export const webhookRequest = z.strictObject({
  url: z.url(ADDRESS).check(
    z.maxLength(500, ADDRESS),
    z.refine(isWebhookAddress, {
      error: ({ input }) => (/^http:/i.test(String(input)) ? LOCAL_HTTP : ADDRESS),
    }),
    z.refine((text) => !hasCredentials(text), CREDENTIALS),
  ),
  types: z
    .array(z.enum(TYPES))
    .check(z.minLength(1, "Choisissez au moins un événement"), z.maxLength(TYPES.length)),
  holder: holderChoice,
});
export type WebhookRequest = z.infer<typeof webhookRequest>;
export const webhookAddressFault = UNREACHABLE;
export const notAnAddress = ADDRESS;

/** `PATCH me/webhooks/{id}/`. `paused`: false sends what waits at once, in order. */
export const webhookChange = z.strictObject({
  url: z.optional(webhookRequest.shape.url),
  types: z.optional(webhookRequest.shape.types),
  paused: z.optional(z.boolean()),
});
export type WebhookChange = z.infer<typeof webhookChange>;

/** `paused`: by its owner, after three days of failures, or by the receiver's 410. */
export const webhook = z.object({
  id: idSchema,
  holder: programHolder,
  by: z.string(),
  url: z.string(),
  types: z.array(z.enum(TYPES)),
  created_at: instantSchema,
  paused: z.nullable(z.enum(["asked", "failing", "gone"])),
  paused_at: z.nullable(instantSchema),
  waiting: z.number(),
  /** The last delivery failed. */
  failing: z.boolean(),
  /** `whpk_`: verifies `v1a` signatures. */
  public_key: z.string(),
});
export type Webhook = z.infer<typeof webhook>;
export const webhookList = z.object({
  webhooks: z.array(webhook),
  holders: z.array(programHolder),
});
export type WebhookList = z.infer<typeof webhookList>;

/** `secret`: `whsec_` and base64, shown once. */
export const webhookSecret = z.object({ webhook, secret: z.string() });
export type WebhookSecret = z.infer<typeof webhookSecret>;

/**
 * `status`: null without an answer; then `answer` says why. `request`: null once purged.
 * `next_try_at`: null but for the last try of an event that waits.
 */
export const webhookTry = z.object({
  id: z.string(),
  type: z.string(),
  at: instantSchema,
  path: z.string(),
  status: z.nullable(z.number()),
  duration_ms: z.number(),
  headers: z.record(z.string(), z.string()),
  request: z.nullable(z.string()),
  answer: z.string(),
  next_try_at: z.nullable(instantSchema),
});
export type WebhookTry = z.infer<typeof webhookTry>;

/** `waits`: an earlier event of its envelope goes first. */
export const webhookReplay = z.object({ waits: z.boolean() });
export type WebhookReplay = z.infer<typeof webhookReplay>;

/** `GET me/webhooks/{id}/tries/`: newest first, 50 a page. */
export const webhookTries = z.object({
  tries: z.array(webhookTry),
  next: z.nullable(z.string()),
});
export type WebhookTries = z.infer<typeof webhookTries>;
export const webhookTriesQuery = z.object({
  before: z.optional(z.string().check(z.regex(/^\d{1,18}$/))),
});
