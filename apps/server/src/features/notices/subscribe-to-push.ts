import { ECDH } from "node:crypto";
import { isIP } from "node:net";
import {
  failure,
  type Problem,
  problem,
  type PushSubscriptionRequest,
  type Result,
  success,
} from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { isOwnMachine, isPublicAddress } from "../../platform/addresses.ts";
import type { Platform } from "../../platform/platform.ts";
import { lockLiveSession, upsertPushSubscription } from "./push-store.ts";

/** What a subscription's secret is wrapped with: moved to another endpoint it does not open. */
export function authSecretContext(endpoint: string): string {
  return `push-subscription:${endpoint}`;
}

/** More browsers than a person has; the oldest is most likely one they no longer use. */
const AT_MOST = 10;

/**
 * Keeps a browser's subscription to push messages, once per endpoint, for as long as the session it was asked for in is not ended.
 * Errors: `validation` when its key is no point of the curve; `session_expired` when the session or the account ended while the request was on its way.
 */
export async function subscribeToPush(
  platform: Platform,
  asked: {
    readonly userId: string;
    readonly sessionId: string;
    readonly subscription: PushSubscriptionRequest;
  },
): Promise<Result<null, Problem>> {
  const { endpoint, keys } = asked.subscription;
  if (leadsInside(endpoint, platform.settings))
    return failure(
      problem("validation", {
        errors: { endpoint: ["Cette adresse de notification n’est pas appelée."] },
      }),
    );
  const publicKey = new Uint8Array(Buffer.from(keys.p256dh, "base64url"));
  if (!isPoint(publicKey))
    return failure(
      problem("validation", {
        errors: { "keys.p256dh": ["Abonnement illisible. Rechargez la page, puis réessayez."] },
      }),
    );
  const authSecret = new Uint8Array(Buffer.from(keys.auth, "base64url"));
  return inTransaction(platform.db, async (trx) => {
    const session = { userId: asked.userId, sessionId: asked.sessionId, now: platform.clock() };
    if (!(await lockLiveSession(trx, session))) return failure(problem("session_expired"));
    const authSecretWrapped = platform.secrets.wrap(authSecret, authSecretContext(endpoint));
    await upsertPushSubscription(trx, {
      id: platform.newId(),
      endpoint,
      publicKey,
      authSecretWrapped,
      ...session,
      atMost: AT_MOST,
    });
    return success(null);
  });
}

/**
 * An address that is written out and not public, a name of this machine's (RFC 6761 §6.3), or another port than that of https, which every push
 * service listens on: refused at once, instead of at each message. Any other name is looked at when it is called.
 */
function leadsInside(endpoint: string, settings: Platform["settings"]): boolean {
  if (isOwnMachine(settings)) return false;
  const { hostname, port } = new URL(endpoint);
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return (
    port !== "" || /(^|\.)localhost$/.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))
  );
}

/** RFC 8291 §3.2: an uncompressed point of P-256, on the curve. */
function isPoint(key: Uint8Array): boolean {
  if (key.length !== 65 || key[0] !== 4) return false;
  try {
    ECDH.convertKey(key, "prime256v1");
    return true;
  } catch {
    return false;
  }
}
