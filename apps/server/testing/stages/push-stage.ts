import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { enqueueNotices } from "../../src/features/notices/enqueue-notice.ts";
import { registerNoticeJobs } from "../../src/features/notices/run-outbox.ts";
import {
  type Member,
  type MemberNotice,
  noticesForMember,
} from "../../src/features/notices/notices-for-member.ts";
import { subscribeToPush } from "../../src/features/notices/subscribe-to-push.ts";
import { createMember } from "../member.ts";
import { NOTICE_SAMPLES } from "../notice-samples.ts";
import { createTestPlatform } from "../platform.ts";
import { type TestBrowserPush, startPushReceiver } from "../servers/push-receiver.ts";
import { startSmtpServer } from "../smtp-server.ts";

export const TOLD_ENVELOPE = "01990000-0000-7000-8000-00000000000e";
export type PushStage = Awaited<ReturnType<typeof openPushStage>>;

/** An account with a push service, a mail server and an SMS gateway on loopback. */
export async function openPushStage() {
  const smtp = await startSmtpServer();
  const receiver = await startPushReceiver();
  // Both set: no local mailbox replaces the push service.
  const gatewayAnswers = { status: 202 };
  const gateway = createServer((request, response) =>
    request.resume().on("end", () => response.writeHead(gatewayAnswers.status).end()),
  );
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  const sms = { url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`, token: null };
  const platform = await createTestPlatform({
    settings: { smtpUrl: smtp.url, sms, mailFrom: "paraphe@exemple.fr" },
  });
  registerNoticeJobs(platform);
  const account = await createMember(platform);
  let events = 0;

  const member = (channels: Partial<Member["channels"]>, values: Partial<Member> = {}): Member => ({
    id: account.id,
    fullName: "Camille Roux",
    email: account.email,
    verifiedPhone: null,
    channels: { email: false, sms: false, push: false, ...channels },
    rhythm: { quietHours: false, dailySummary: false },
    ...values,
  });

  const subscribe = async (
    browser: TestBrowserPush = receiver.subscribe(),
  ): Promise<TestBrowserPush> => {
    const sessionId = platform.newId();
    const now = platform.clock();
    const expiresAt = new Date(now.getTime() + 30 * 86_400_000);
    platform.clock.advance({ seconds: 1 });
    await platform.db
      .insertInto("sessions")
      .values({
        id: sessionId,
        user_id: account.id,
        remembered: false,
        means: "password",
        created_at: now,
        last_used_at: now,
        expires_at: expiresAt,
      })
      .execute();
    const outcome = await subscribeToPush(platform, {
      userId: account.id,
      sessionId,
      subscription: browser.json,
    });
    if (!outcome.ok) throw new Error(`the subscription was refused: ${outcome.error.code}`);
    return browser;
  };

  const enqueue = async (told: Member, notice: MemberNotice): Promise<void> => {
    await platform.db
      .transaction()
      .execute(async (trx) =>
        enqueueNotices(
          trx,
          platform,
          await noticesForMember(trx, platform, { member: told, notice }),
        ),
      );
  };

  const rowsOf = (dedupeKey: string) =>
    platform.db
      .selectFrom("notices")
      .select([
        "id",
        "dedupe_key",
        "channel",
        "destination",
        "user_id",
        "state",
        "server_answer",
        "tries",
      ])
      .where("dedupe_key", "like", `${dedupeKey}%`)
      .orderBy(sql`array_position(array['email', 'sms', 'push'], channel)`)
      .execute();

  const tell = async (told: Member, options: { kind?: "signed" | "completed" } = {}) => {
    events += 1;
    const dedupeKey = `event:${events}`;
    const { kind = "signed" } = options;
    await enqueue(told, {
      kind,
      dedupeKey,
      envelopeId: TOLD_ENVELOPE,
      content: NOTICE_SAMPLES[kind],
    } as MemberNotice);
    return rowsOf(dedupeKey);
  };

  const clear = async () => {
    await platform.settle({ deferred: "run", failures: "keep" });
    smtp.received.length = 0;
    receiver.received.length = 0;
    receiver.answers.length = 0;
    await platform.db.deleteFrom("push_subscriptions").execute();
  };
  const close = async () => {
    await platform.close();
    await receiver.close();
    await smtp.close();
    gateway.close();
  };
  return {
    smtp,
    receiver,
    gatewayAnswers,
    platform,
    account,
    member,
    subscribe,
    enqueue,
    rowsOf,
    tell,
    clear,
    close,
  };
}

/** What logs must not contain: an address, an endpoint, a word of a message. */
export const PERSONAL_WORDS = /@|\/push\/|Bail|exemple/;
