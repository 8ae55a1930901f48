import { loadAccount } from "../../src/features/accounts/store.ts";
import { enqueueNotices } from "../../src/features/notices/enqueue-notice.ts";
import {
  type MemberNotice,
  noticesForMember,
} from "../../src/features/notices/notices-for-member.ts";
import { releaseWaiting } from "../../src/features/notices/waiting.ts";
import { type TestApp, createTestApp } from "../app.ts";
import type { TestBrowser } from "../browser.ts";
import { type Member, createMember, signIn } from "../member.ts";
import { NOTICE_SAMPLES } from "../notice-samples.ts";
import { type ReceivedMail, type TestSmtpServer, startSmtpServer } from "../smtp-server.ts";

export const CHOICE = "/api/signature/me/notifications/";
export const MAIL = { email: true, sms: false, push: false };
export const SIGNED = "Zoë Œuvrard a signé «\u00a0Bail – 12 rue Haute <b>& Cie</b>\u00a0»";

/** An account, the hours of the day, a mail server. */
export type WaitingStage = {
  readonly smtp: TestSmtpServer;
  readonly platform: TestApp["platform"];
  readonly account: Member;
  /** Restarts the day. */
  begin(): Promise<void>;
  at(instant: string): void;
  /** Gives a browser with a fresh access token: the clock passes its 15 minutes. */
  inSession(): Promise<TestBrowser>;
  choose(choice: { quiet_hours?: boolean; daily_summary?: boolean }): Promise<void>;
  /** Notifies the owner of one event, or of the same one for the same key; gives the key. */
  tell(kind?: MemberNotice["kind"], content?: object, key?: string): Promise<string>;
  settle(): Promise<void>;
  /** Runs the jobs first. */
  arrived(): Promise<readonly ReceivedMail[]>;
  subjects(): Promise<readonly (string | undefined)[]>;
  /** Runs the scheduled job now. */
  release(): Promise<void>;
  /** As the owner's page shows it. */
  waiting(): Promise<unknown>;
  close(): Promise<void>;
};

export async function openWaitingStage(): Promise<WaitingStage> {
  const smtp = await startSmtpServer();
  const service = await createTestApp({
    settings: { smtpUrl: smtp.url, mailFrom: "paraphe@exemple.fr" },
  });
  const { platform } = service;
  const account = await createMember(platform);
  const browser = await signIn(service, account, { remember: true });
  let events = 0;

  const inSession = async () => {
    const answer = await browser.post("/api/token/refresh/");
    if (answer.status !== 200) throw new Error(`refresh answered ${answer.status}`);
    return browser;
  };
  const arrived = async () => {
    await service.settle();
    return smtp.received;
  };
  return {
    smtp,
    platform,
    account,
    inSession,
    arrived,
    settle: () => service.settle(),
    async begin() {
      platform.clock.set(new Date("2026-11-21T10:00:00.000Z"));
      await platform.db.deleteFrom("notices").execute();
      await platform.db
        .updateTable("users")
        .set({ quiet_hours: false, daily_summary: false })
        .where("id", "=", account.id)
        .execute();
      smtp.received.length = 0;
    },
    at: (instant) => platform.clock.set(new Date(instant)),
    async choose(choice) {
      const answer = await (await inSession()).send("PUT", CHOICE, {
        body: { ...MAIL, ...choice },
      });
      if (answer.status !== 200) throw new Error(`the choice answered ${answer.status}`);
    },
    async tell(kind = "signed", content = {}, key = `wait:${++events}`) {
      const notice = {
        kind,
        dedupeKey: key,
        envelopeId: null,
        content: { ...NOTICE_SAMPLES[kind], ...content },
      } as MemberNotice;
      const kept = await loadAccount(platform.db, account.id);
      if (kept === null) throw new Error("no such account");
      const { email, notifications: channels, rhythm } = kept;
      const verifiedPhone = kept.phoneVerifiedAt === null ? null : kept.phoneNumber;
      const member = {
        id: account.id,
        fullName: "Camille Roux",
        email,
        verifiedPhone,
        channels,
        rhythm,
      };
      await platform.db
        .transaction()
        .execute(async (trx) =>
          enqueueNotices(trx, platform, await noticesForMember(trx, platform, { member, notice })),
        );
      return key;
    },
    subjects: async () => (await arrived()).map(({ mail }) => mail.subject),
    release: () => releaseWaiting(platform),
    waiting: async () => (await (await inSession()).get(CHOICE)).body.waiting,
    async close() {
      await service.close();
      await smtp.close();
    },
  };
}
