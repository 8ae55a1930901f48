/** Web Push, contract §3: the browser's subscription as `PushSubscription.toJSON()` gives it (W3C Push API §8.2). */
import * as z from "zod/mini";

const REFUSED = "Abonnement illisible. Rechargez la page, puis réessayez.";

/** Longer than any push service's own addresses; a plain https address, without a name or a password in it. */
const endpointSchema = z
  .string(REFUSED)
  .check(
    z.maxLength(1_024, { message: REFUSED, abort: true }),
    z.regex(/^https:\/\/[^\s@/?#]+(?:[/?][^\s#]*)?$/, { message: REFUSED, abort: true }),
    z.url(REFUSED),
  );

export const pushSubscriptionRequest = z.strictObject({
  endpoint: endpointSchema,
  expirationTime: z.optional(z.nullable(z.number())),
  keys: z.strictObject({
    /** An uncompressed P-256 point, 65 bytes in base64url. */
    p256dh: z.string(REFUSED).check(z.regex(/^[A-Za-z0-9_-]{87}=?$/, REFUSED)),
    /** 16 bytes in base64url. */
    auth: z.string(REFUSED).check(z.regex(/^[A-Za-z0-9_-]{22}(==)?$/, REFUSED)),
  }),
});
export type PushSubscriptionRequest = z.infer<typeof pushSubscriptionRequest>;

export const pushUnsubscribeRequest = z.strictObject({ endpoint: endpointSchema });

/** `public_key`: base64url, what `pushManager.subscribe` takes as `applicationServerKey`. */
export const pushKeyAnswer = z.strictObject({ public_key: z.string() });
export type PushKeyAnswer = z.infer<typeof pushKeyAnswer>;
