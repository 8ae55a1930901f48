import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";

export type PushSubscriptionRow = {
  readonly id: string;
  readonly endpoint: string;
  readonly publicKey: Uint8Array;
  readonly authSecretWrapped: Uint8Array;
};

/** Locks account, then session, in the order of erasure; false once ended. */
export async function lockLiveSession(
  trx: Transaction,
  session: { readonly userId: string; readonly sessionId: string; readonly now: Date },
): Promise<boolean> {
  const account = await trx
    .selectFrom("users")
    .select("id")
    .where("id", "=", session.userId)
    .where("deactivated_at", "is", null)
    .forShare()
    .executeTakeFirst();
  if (account === undefined) return false;
  const live = await trx
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", session.sessionId)
    .where("user_id", "=", session.userId)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", session.now)
    .forShare()
    .executeTakeFirst();
  return live !== undefined;
}

/** An endpoint moves to this account. Beyond `atMost` the oldest go. */
export async function upsertPushSubscription(
  trx: Transaction,
  subscription: PushSubscriptionRow & {
    readonly userId: string;
    readonly sessionId: string;
    readonly now: Date;
    readonly atMost: number;
  },
): Promise<void> {
  const values = {
    user_id: subscription.userId,
    session_id: subscription.sessionId,
    public_key: subscription.publicKey,
    auth_secret_wrapped: subscription.authSecretWrapped,
    created_at: subscription.now,
  };
  // Two browsers of an account may subscribe at once.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`push:${subscription.userId}`}, 0))`.execute(
    trx,
  );
  await trx
    .insertInto("push_subscriptions")
    .values({ id: subscription.id, endpoint: subscription.endpoint, ...values })
    .onConflict((conflict) => conflict.column("endpoint").doUpdateSet(values))
    .execute();
  await trx
    .deleteFrom("push_subscriptions")
    .where("user_id", "=", subscription.userId)
    .where("id", "not in", (eb) =>
      eb
        .selectFrom("push_subscriptions")
        .select("id")
        .where("user_id", "=", subscription.userId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(subscription.atMost),
    )
    .execute();
}

export async function deletePushEndpoint(
  reader: Reader,
  which: { userId: string; endpoint: string },
): Promise<void> {
  await reader
    .deleteFrom("push_subscriptions")
    .where("user_id", "=", which.userId)
    .where("endpoint", "=", which.endpoint)
    .execute();
}

/** The same key is required: the browser may have subscribed again. */
export async function deleteEndedSubscription(
  reader: Reader,
  ended: Pick<PushSubscriptionRow, "id" | "publicKey">,
): Promise<void> {
  await reader
    .deleteFrom("push_subscriptions")
    .where("id", "=", ended.id)
    .where("public_key", "=", ended.publicKey)
    .execute();
}

export async function listPushSubscriptions(
  reader: Reader,
  userId: string,
): Promise<readonly { readonly endpoint: string; readonly created_at: Date }[]> {
  return reader
    .selectFrom("push_subscriptions")
    .select(["endpoint", "created_at"])
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .execute();
}

/** No trigger sees a session that ends by time. */
export async function deleteExpiredSubscriptions(reader: Reader, now: Date): Promise<void> {
  await reader
    .deleteFrom("push_subscriptions")
    .where("session_id", "in", (eb) =>
      eb.selectFrom("sessions").select("id").where("expires_at", "<=", now),
    )
    .execute();
}

/** Gives subscriptions of live sessions that lack this message. */
export async function selectAwaitingPush(
  reader: Reader,
  which: { userId: string; noticeId: string; now: Date },
): Promise<readonly PushSubscriptionRow[]> {
  const rows = await reader
    .selectFrom("push_subscriptions as subscription")
    .innerJoin("sessions as session", "session.id", "subscription.session_id")
    .select([
      "subscription.id",
      "subscription.endpoint",
      "subscription.public_key",
      "subscription.auth_secret_wrapped",
    ])
    .where("subscription.user_id", "=", which.userId)
    .where("session.revoked_at", "is", null)
    .where("session.expires_at", ">", which.now)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("push_receipts as receipt")
            .select("receipt.subscription_id")
            .where("receipt.notice_id", "=", which.noticeId)
            .whereRef("receipt.subscription_id", "=", "subscription.id"),
        ),
      ),
    )
    .execute();
  return rows.map((row) => ({
    id: row.id,
    endpoint: row.endpoint,
    publicKey: new Uint8Array(row.public_key),
    authSecretWrapped: new Uint8Array(row.auth_secret_wrapped),
  }));
}

export async function insertPushReceipt(
  reader: Reader,
  receipt: { noticeId: string; subscriptionId: string },
): Promise<void> {
  await reader
    .insertInto("push_receipts")
    .columns(["notice_id", "subscription_id"])
    .expression((eb) =>
      eb
        .selectFrom("push_subscriptions")
        .select((row) => [
          row.val(receipt.noticeId).$castTo<string>().as("notice_id"),
          "id as subscription_id",
        ])
        .where("id", "=", receipt.subscriptionId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function hasPushReceipt(reader: Reader, noticeId: string): Promise<boolean> {
  const row = await reader
    .selectFrom("push_receipts")
    .select("notice_id")
    .where("notice_id", "=", noticeId)
    .executeTakeFirst();
  return row !== undefined;
}
