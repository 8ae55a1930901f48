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

export function authSecretContext(endpoint: string): string {
  return `push-subscription:${endpoint}`;
}

const AT_MOST = 10;

/**
 * A subscription lives as long as its session.
 * Errors: `validation` for a point off the curve; `session_expired`.
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
 * Refuses a literal private address, a local name (RFC 6761 §6.3) or a port other than 443. Other
 * names are checked at each call.
 */
function leadsInside(endpoint: string, settings: Platform["settings"]): boolean {
  if (isOwnMachine(settings)) return false;
  const { hostname, port } = new URL(endpoint);
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return (
    port !== "" || /(^|\.)localhost$/.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))
  );
}

/** RFC 8291 §3.2: an uncompressed point of P-256. */
function isPoint(key: Uint8Array): boolean {
  if (key.length !== 65 || key[0] !== 4) return false;
  try {
    ECDH.convertKey(key, "prime256v1");
    return true;
  } catch {
    return false;
  }
}
