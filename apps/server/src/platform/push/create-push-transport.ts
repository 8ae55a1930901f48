import { isLoopbackAddress, isOwnMachine } from "../loopback.ts";
import { createMailboxPush, type MailboxDeps } from "../mailbox/mailbox-transports.ts";
import { isMailboxShown } from "../mailbox/mailbox-shown.ts";
import type { Settings } from "../settings/settings.ts";
import { encryptPayload } from "./encrypt-payload.ts";
import { ForbiddenAddressError, guardedPost } from "./guarded-post.ts";
import { loadOrMakeVapidKeys, type VapidKeyDeps } from "./load-vapid-keys.ts";
import { isPublicAddress } from "./public-address.ts";
import type { PushMessage, PushOutcome, PushTransport } from "./push-transport.ts";
import { vapidAuthorization, type VapidKeys } from "./vapid-token.ts";

type PushSettings = Pick<Settings, "production" | "publicUrl" | "smtpUrl" | "sms" | "vapidSubject">;
export type PushDeps = VapidKeyDeps & MailboxDeps;

/** Gives the transport to browsers' push services. On one's own machine the local mailbox shows what was pushed, and stands for a service that is out of reach. */
export function createPushTransport(settings: PushSettings, deps: PushDeps): PushTransport {
  let keys: Promise<VapidKeys> | null = null;
  const vapidKeys = () => {
    keys ??= loadOrMakeVapidKeys(deps).catch((error: unknown) => {
      // A database that was away is asked again.
      keys = null;
      throw error;
    });
    return keys;
  };
  const reach = { mayReach: reachOf(settings), vapidKeys, subject: settings.vapidSubject };
  const service: PushTransport = {
    publicKey: async () => (await vapidKeys()).publicKey,
    deliver: (message) => pushTo(message, { ...reach, ...deps }),
  };
  return isMailboxShown(settings) ? createMailboxPush(deps, { service, publicUrl: settings.publicUrl }) : service;
}

/** A receiver on this machine is for somebody who tries the service there, and for nobody else. */
function reachOf(settings: PushSettings): (ip: string) => boolean {
  return isOwnMachine(settings) ? (ip) => isPublicAddress(ip) || isLoopbackAddress(ip) : isPublicAddress;
}

type Pushing = PushDeps & {
  readonly mayReach: (ip: string) => boolean;
  readonly vapidKeys: () => Promise<VapidKeys>;
  readonly subject: string;
};

/**
 * Hands one message to a push service. The address is whatever a browser gave, and its owner reads the answer that is kept: of what is said there the
 * status alone stays, or that nothing was said, so that nobody reads another machine through this one.
 */
async function pushTo(message: PushMessage, pushing: Pushing): Promise<PushOutcome> {
  const keys = await pushing.vapidKeys();
  const fresh = { salt: pushing.random(16), senderPrivateKey: pushing.random(32) };
  const { endpoint } = message.target;
  try {
    const { status } = await guardedPost({
      url: endpoint,
      headers: {
        "content-type": "application/octet-stream",
        "content-encoding": "aes128gcm",
        ttl: message.ttlS,
        urgency: "normal",
        authorization: vapidAuthorization(keys, { endpoint, subject: pushing.subject, now: pushing.clock() }),
      },
      body: encryptPayload(new TextEncoder().encode(JSON.stringify(message.content)), message.target, fresh),
      mayReach: pushing.mayReach,
    });
    return { state: stateOf(status), serverAnswer: String(status) };
  } catch (error) {
    if (error instanceof ForbiddenAddressError) return { state: "refused", serverAnswer: error.message };
    return { state: "deferred", serverAnswer: "Le service de notification ne répond pas." };
  }
}

/** RFC 8030 §7.3: 404 for a subscription that has ended, 410 likewise by use; §8.4: 429 for too many. Any other 4xx, and a redirection, is about this message, and final. */
function stateOf(status: number): PushOutcome["state"] {
  if (status >= 200 && status < 300) return "accepted";
  if (status === 404 || status === 410) return "gone";
  return status >= 500 || status === 408 || status === 425 || status === 429 ? "deferred" : "refused";
}
