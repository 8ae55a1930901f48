import type { DeliveryOutcome } from "../../platform/mail/mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import type { PushOutcome } from "../../platform/push/push-transport.ts";
import { authSecretContext } from "./auth-secret-context.ts";
import { PUSH_TTL_S } from "./domain/delivery-rules.ts";
import type { NoticeContents, PushKind } from "./domain/notice.ts";
import { writePush } from "./domain/write-push.ts";
import { deleteEndedSubscription, hasPushReceipt, insertPushReceipt, type PushSubscriptionRow, selectAwaitingPush } from "./push-store.ts";
import type { StoredNotice } from "./store.ts";

/**
 * Hands a message to every browser of its owner that has not taken it yet, and forgets the subscriptions that have ended.
 * Deferred as long as one of them is to be tried again; accepted once one took it; refused when none could.
 */
export async function deliverPush(platform: Platform, notice: StoredNotice, content: NoticeContents[PushKind]): Promise<DeliveryOutcome> {
  const words = writePush(notice.kind as PushKind, content, { publicUrl: platform.settings.publicUrl, envelopeId: notice.envelopeId });
  const awaiting = await selectAwaitingPush(platform.db, { userId: notice.userId ?? "", noticeId: notice.id, now: platform.clock() });
  const outcomes = await Promise.all(
    awaiting.map(async (subscription) => {
      const { endpoint, publicKey } = subscription;
      const authSecret = platform.secrets.unwrap(subscription.authSecretWrapped, authSecretContext(endpoint));
      const target = { endpoint, publicKey, authSecret };
      const outcome = await platform.push.deliver({ target, content: words, ttlS: PUSH_TTL_S, to: notice.destination });
      await note(platform, { notice, subscription, outcome });
      return outcome;
    }),
  );
  const deferred = outcomes.find(({ state }) => state === "deferred");
  if (deferred) return { state: "deferred", serverAnswer: deferred.serverAnswer };
  if (await hasPushReceipt(platform.db, notice.id)) {
    const accepted = outcomes.find(({ state }) => state === "accepted");
    return { state: "accepted", serverAnswer: accepted?.serverAnswer ?? notice.serverAnswer ?? "" };
  }
  return { state: "refused", serverAnswer: outcomes[0]?.serverAnswer ?? "Aucun appareil n’est abonné." };
}

async function note(
  platform: Platform,
  { notice, subscription, outcome }: { notice: StoredNotice; subscription: PushSubscriptionRow; outcome: PushOutcome },
): Promise<void> {
  if (outcome.state === "accepted") await insertPushReceipt(platform.db, { noticeId: notice.id, subscriptionId: subscription.id });
  if (outcome.state === "gone") await deleteEndedSubscription(platform.db, subscription);
  if (outcome.state === "refused")
    platform.log.warn({ noticeId: notice.id, answer: outcome.serverAnswer.slice(0, 3) }, "a push service refused a message");
}
