import type { Envelope } from "@paraphe/contracts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  ENVELOPES,
  type EnvelopeValues,
  PAUL,
  readEnvelope,
  signNth,
} from "../../../testing/envelope.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, openMember, signIn } from "../../../testing/member.ts";
import { type PushReceiver, startPushReceiver } from "../../../testing/servers/push-receiver.ts";
import { verifyChain } from "../journal/journal.ts";
import { forEachDue, remindDue } from "./reminders.ts";
import { endRetention, expireOverdue, purgeDue } from "./jobs.ts";
import { warnDeadlines } from "./deadlines.ts";

let service: TestApp;

afterAll(() => service.close());

describe("automatic reminders", () => {
  let anneMember: Member;
  let tag = 0;

  beforeAll(async () => {
    service = await createTestApp();
    anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  });
  beforeEach(() => cancelAll());

  /** Cancels every open envelope, so that none is due in the next test. */
  async function cancelAll(): Promise<void> {
    const anne = await signIn(service, anneMember);
    for (const envelope of (await anne.get(`${ENVELOPES}?status=sent&page_size=100`)).body
      .results as Envelope[])
      await actOn(anne, envelope.id, "cancel");
  }

  const someone = (rest: object = {}) => ({
    email: `rappel${++tag}@exemple.fr`,
    full_name: `Personne ${tag}`,
    ...rest,
  });
  const at = (moment: string) => service.platform.clock.set(new Date(moment));
  /**
   * Runs the job every quarter of an hour until this moment; gives the times of reminders in Paris.
   */
  async function until(moment: string): Promise<string[]> {
    const sent: string[] = [];
    for (
      const end = Date.parse(moment);
      service.platform.clock().getTime() < end;
      service.platform.clock.advance({ minutes: 15 })
    ) {
      const count = await remindDue(service.platform);
      for (let index = 0; index < count; index++)
        sent.push(parisClock.format(service.platform.clock()));
    }
    return sent;
  }
  const parisClock = new Intl.DateTimeFormat("fr-FR", {
    timeZone: "Europe/Paris",
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  async function send(values: EnvelopeValues & { every: number }): Promise<Envelope> {
    const { every, ...rest } = values;
    const anne = await signIn(service, anneMember);
    return createSent(anne, { title: "Bail à signer", ...rest, ...reminders(every) });
  }
  const reminders = (every_days: number | null) =>
    ({ reminders: JSON.stringify({ every_days }) }) as unknown as EnvelopeValues;
  const subjects = async (address: string) =>
    (await mailFor(service.platform, address))
      .map((mail) => mail.subject)
      .filter((subject) => subject.startsWith("Rappel"));

  test("the setting is none by default, is stored with the draft, and has limits", async () => {
    at("2026-11-23T10:00:00Z");
    const anne = await signIn(service, anneMember);
    const draft = await createDraft(anne);
    expect(draft.reminders).toEqual({ every_days: null, business_days: true, next_at: null });
    const patch = (body: object) => anne.send("PATCH", `${ENVELOPES}${draft.id}/`, { body });
    expect((await patch({ reminders: { every_days: 3 } })).body.reminders).toEqual({
      every_days: 3,
      business_days: true,
      next_at: null,
    });
    expect((await patch({ title: "Autre" })).body.reminders.every_days).toBe(3);
    for (const every_days of [0, 31, 1.5, "3"])
      expect((await patch({ reminders: { every_days } })).status).toBe(400);
    expect((await patch({ reminders: { every_days: 3, business_days: false } })).status).toBe(400);
    expect((await patch({ reminders: { every_days: null } })).body.reminders.every_days).toBeNull();
  });

  test("only the sender sees the setting", async () => {
    at("2026-11-23T10:10:00Z");
    const paulMember = await createMember(service.platform);
    const sent = await send({ every: 2, recipients: [someone({ email: paulMember.email })] });
    expect(sent.reminders).toEqual({
      every_days: 2,
      business_days: true,
      next_at: "2026-11-25T10:10:00.000Z",
    });
    const paul = await signIn(service, paulMember);
    expect((await readEnvelope(paul, sent.id)).reminders).toBeUndefined();
  });

  test("automatic reminders go to those awaited who have not signed, and stop at their signature", async () => {
    at("2027-02-01T09:00:00Z");
    const [late, done] = [someone(), someone()];
    const sent = await send({ every: 1, recipients: [late, done] });
    await signNth(service.platform, sent, 1);
    expect(await until("2027-02-04T08:00:00Z")).toEqual([
      "mar. 2 févr., 10:00",
      "mer. 3 févr., 10:00",
    ]);
    await service.settle();
    expect(await subjects(late.email)).toHaveLength(2);
    expect(await subjects(done.email)).toEqual([]);
    await signNth(service.platform, sent);
    expect(await until("2027-02-09T08:00:00Z")).toEqual([]);
    const anne = await signIn(service, anneMember);
    const detail = await readEnvelope(anne, sent.id);
    expect([detail.status, detail.reminders.next_at]).toEqual(["completed", null]);
    const events = (await anne.get(`${ENVELOPES}${sent.id}/events/?page_size=100`)).body.results;
    const noted = events.filter(
      (event: { action: string }) => event.action === "recipient_reminded",
    );
    expect(noted.map((event: { detail: object }) => event.detail)).toMatchObject([
      { automatic: true },
      { automatic: true },
    ]);
    expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true });
  });

  test("automatic reminders are sent on business days, over Easter and the change of hour", async () => {
    // The test starts on Thursday 25 March 2027; the clocks go forward on Easter Sunday, 28 March,
    // and Monday is a holiday.
    at("2027-03-25T15:00:00Z");
    await send({ every: 1, recipients: [someone()] });
    expect(await until("2027-04-01T00:00:00Z")).toEqual([
      "ven. 26 mars, 16:00",
      "mar. 30 mars, 09:00",
      "mer. 31 mars, 09:00",
    ]);
  });

  test("automatic reminders are not sent on 1 May, nor between two years on a holiday", async () => {
    // 1 May 2028 is a Monday, and so is 8 May.
    at("2028-04-28T08:00:00Z");
    await send({ every: 3, recipients: [someone()] });
    expect(await until("2028-05-03T08:00:00Z")).toEqual(["mar. 2 mai, 09:00"]);
    await cancelAll();
    at("2029-12-30T20:00:00Z");
    await send({ every: 1, recipients: [someone()] });
    expect(await until("2030-01-03T00:00:00Z")).toEqual(["mer. 2 janv., 09:00"]);
    await cancelAll();
    at("2030-12-30T10:00:00Z");
    await send({ every: 1, recipients: [someone()] });
    expect(
      (await until("2031-01-02T12:00:00Z")).filter(
        (line) => line.includes("31 déc.") || line.includes("1 janv."),
      ),
    ).toEqual(["mar. 31 déc., 11:00"]);
  });

  test("automatic reminders that no process could send wait for the next opening hour", async () => {
    at("2032-11-08T10:00:00Z");
    const one = someone();
    await send({ every: 1, recipients: [one] });
    at("2032-11-09T19:00:00Z");
    expect(await until("2032-11-10T10:00:00Z")).toEqual(["mer. 10 nov., 09:00"]);
  });

  test("automatic reminders never come within a day of the sender's own", async () => {
    at("2033-06-13T08:00:00Z");
    const one = someone();
    const sent = await send({ every: 2, recipients: [one] });
    at("2033-06-15T07:30:00Z");
    let anne = await signIn(service, anneMember);
    expect((await actOn(anne, sent.id, "remind")).status).toBe(200);
    expect(await until("2033-06-17T08:00:00Z")).toEqual(["ven. 17 juin, 09:30"]);
    anne = await signIn(service, anneMember);
    expect((await readEnvelope(anne, sent.id)).reminders.next_at).toBe("2033-06-20T07:00:00.000Z");
  });

  test("automatic reminders are ten at most for each person", async () => {
    at("2034-01-09T09:00:00Z");
    const one = someone();
    const sent = await send({ every: 1, recipients: [one] });
    expect(await until("2034-02-20T09:00:00Z")).toHaveLength(10);
    const anne = await signIn(service, anneMember);
    expect((await readEnvelope(anne, sent.id)).reminders.next_at).toBeNull();
  });

  test("automatic reminders reach the next in turn only once it is their turn, counted from then", async () => {
    at("2035-03-05T09:00:00Z");
    const [first, second] = [someone({ order: 1 }), someone({ order: 2 })];
    const sent = await send({ every: 2, flow: "sequential", recipients: [first, second] });
    expect(await until("2035-03-08T13:00:00Z")).toEqual(["mer. 7 mars, 10:00"]);
    await service.settle();
    await signNth(service.platform, sent);
    expect(await until("2035-03-13T20:00:00Z")).toEqual(["lun. 12 mars, 09:00"]);
    expect(await subjects(first.email)).toHaveLength(1);
  });

  test("automatic reminders stop when the envelope is cancelled, and count anew from its restoration", async () => {
    at("2036-06-02T08:00:00Z");
    const sent = await send({ every: 1, recipients: [someone()] });
    let anne = await signIn(service, anneMember);
    await actOn(anne, sent.id, "cancel");
    expect(await until("2036-06-04T12:00:00Z")).toEqual([]);
    anne = await signIn(service, anneMember);
    await actOn(anne, sent.id, "restore");
    expect(await until("2036-06-05T20:00:00Z")).toEqual(["jeu. 5 juin, 14:00"]);
  });

  test("automatic reminders are sent once, though several processes look at the same time", async () => {
    at("2037-10-05T08:00:00Z");
    const one = someone();
    await send({ every: 1, recipients: [one] });
    service.platform.clock.advance({ hours: 25 });
    const counts = await Promise.all(Array.from({ length: 5 }, () => remindDue(service.platform)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    await service.settle();
    expect(await subjects(one.email)).toHaveLength(1);
  });

  test("automatic reminders leave a link frozen by wrong codes as it is: only the sender's own reminder unlocks it", async () => {
    at("2038-02-01T09:00:00Z");
    const one = someone();
    const sent = await send({ every: 1, recipients: [one] });
    await service.platform.db
      .updateTable("recipients")
      .set({ wrong_tries: 20 })
      .where("envelope_id", "=", sent.id)
      .execute();
    expect(await until("2038-02-03T12:00:00Z")).toEqual([]);
    const anne = await signIn(service, anneMember);
    await actOn(anne, sent.id, "remind");
    expect(await until("2038-02-04T20:00:00Z")).toEqual(["jeu. 4 févr., 13:00"]);
  });
});

describe("an envelope that no job can work on", () => {
  let browser: TestBrowser;

  beforeAll(async () => {
    service = await createTestApp({ settings: { rateLimits: "off" } });
    // A Monday, when people are at work.
    service.platform.clock.set(new Date("2026-11-23T10:00:00Z"));
    browser = await openMember(service);
    await sql`create table poisoned (envelope_id uuid primary key)`.execute(service.platform.owner);
    await sql`
    create function poison() returns trigger language plpgsql as $$
    begin
      if exists (select from poisoned p where p.envelope_id = new.envelope_id) then raise exception 'poison'; end if;
      return new;
    end $$`.execute(service.platform.owner);
    await sql`create trigger poison before insert on audit_events for each row execute function poison()`.execute(
      service.platform.owner,
    );
  });

  /** Two envelopes are equally due; nothing can be written about the first. */
  async function firstPoisoned(
    due: (id: string, place: number) => Promise<unknown>,
  ): Promise<string[]> {
    const ids: string[] = [];
    for (const place of [0, 1]) {
      const { id } = await createSent(browser, { recipients: [PAUL] });
      await due(id, place);
      ids.push(id);
    }
    await sql`insert into poisoned values (${ids[0]}::uuid)`.execute(service.platform.db);
    return ids;
  }
  const change = (id: string, set: Record<string, unknown>) =>
    service.platform.db.updateTable("envelopes").set(set).where("id", "=", id).execute();
  const before = (days: number, place = 0) =>
    new Date(service.platform.clock().getTime() - days * 86_400_000 + place * 1_000);

  const JOBS = [
    [
      "closed at its deadline",
      expireOverdue,
      (id: string, place: number) => change(id, { deadline_at: before(1, place) }),
    ],
    [
      "purged after its ten days",
      purgeDue,
      async (id: string, place: number) => {
        await actOn(browser, id, "cancel");
        await change(id, { cancelled_at: before(40, place) });
      },
    ],
    [
      "erased when its retention is over",
      endRetention,
      (id: string, place: number) =>
        change(id, { status: "expired", updated_at: before(4_000, place) }),
    ],
    [
      "warned of",
      warnDeadlines,
      (id: string, place: number) =>
        change(id, { sent_at: before(9), deadline_at: before(-0.9, place) }),
    ],
    [
      "reminded of",
      remindDue,
      async (id: string, place: number) => {
        await change(id, { remind_every_days: 1, next_reminder_at: before(0.1, place) });
        await service.platform.db
          .updateTable("recipients")
          .set({ asked_at: before(9) })
          .where("envelope_id", "=", id)
          .execute();
      },
    ],
  ] as const;

  test.each(JOBS)(
    "an envelope that fails does not stop another one from being %s",
    async (_what, run, due) => {
      await firstPoisoned(due);
      expect(await run(service.platform)).toBe(1);
      expect(await run(service.platform)).toBe(0);
    },
  );
});

describe("the work on what is due", () => {
  /** Work takes entries off the list, as a row's new state does. */
  function dueList(count: number, isStuck: (id: number) => boolean) {
    const due = Array.from({ length: count }, (_, id) => id);
    const logged: unknown[] = [];
    return {
      due,
      logged,
      platform: {
        log: { error: (fault: unknown, text: string) => logged.push([fault, text]) },
      } as unknown as Parameters<typeof forEachDue>[0],
      work: {
        what: "the work",
        select: async ({ limit, skip }: { limit: number; skip: number }) =>
          due.slice(skip, skip + limit).map(String),
        run: async (id: string) => {
          if (isStuck(Number(id))) throw new Error(`poison ${id}`);
          due.splice(due.indexOf(Number(id)), 1);
          return true;
        },
      },
    };
  }

  test("entries behind more than a batch of failures all have their turn; each failure is logged with its envelope", async () => {
    const list = dueList(1_700, (id) => id < 1_100 || id === 1_500);
    expect(await forEachDue(list.platform, list.work)).toBe(599);
    expect(list.due).toHaveLength(1_101);
    expect(list.logged).toHaveLength(1_101);
    expect(list.logged[0]).toEqual([
      { error: expect.any(Error), envelope: "0" },
      "the work failed",
    ]);
  });

  test("an entry that is refused waits for the next round, and ends none", async () => {
    const list = dueList(1_200, () => false);
    const refusing = {
      ...list.work,
      run: async (id: string) => Number(id) % 2 === 1 && list.work.run(id),
    };
    expect(await forEachDue(list.platform, refusing)).toBe(600);
    expect(list.due.every((id) => id % 2 === 0)).toBe(true);
    expect(list.logged).toEqual([]);
  });
});

describe("the messages to people", () => {
  const ME = "/api/signature/me";
  let receiver: PushReceiver;
  let anneMember: Member;
  let anne: TestBrowser;
  let paulMember: Member;
  let paul: TestBrowser;

  beforeAll(async () => {
    receiver = await startPushReceiver();
    service = await createTestApp();
    [anneMember, paulMember] = [
      await createMember(service.platform),
      await createMember(service.platform),
    ];
    [anne, paul] = [await signIn(service, anneMember), await signIn(service, paulMember)];
    for (const browser of [anne, paul]) await subscribe(browser);
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
  });
  beforeEach(async () => {
    await choose(anne, { email: true, sms: false, push: false });
    await choose(paul, { email: true, sms: false, push: false });
    await service.platform.db.deleteFrom("mailbox_messages").execute();
    receiver.received.length = 0;
  });

  /** Subscribes as the page of the notifications does. */
  async function subscribe(browser: TestBrowser): Promise<void> {
    const answer = await browser.post(`${ME}/push-subscriptions/`, {
      ...receiver.subscribe().json,
      expirationTime: null,
    });
    expect(answer.status).toBe(201);
  }

  async function choose(browser: TestBrowser, channels: object): Promise<void> {
    expect((await browser.send("PUT", `${ME}/notifications/`, { body: channels })).status).toBe(
      200,
    );
  }

  /** Gives the channel and subject of each message for an address. */
  async function arrived(
    address: string,
  ): Promise<readonly (readonly [channel: string, subject: string, text: string])[]> {
    await service.settle();
    const rows = await service.platform.db
      .selectFrom("mailbox_messages")
      .selectAll()
      .where("destination", "=", address)
      .orderBy("channel")
      .execute();
    return rows.map((row) => [row.channel, row.subject, JSON.parse(row.content).text as string]);
  }
  const channelsOf = async (address: string) =>
    (await arrived(address)).map(([channel]) => channel);
  const forgetMessages = () => service.platform.db.deleteFrom("mailbox_messages").execute();

  const withPaul = () => ({
    email: paulMember.email.toUpperCase(),
    full_name: "Paul Morel",
    phone_number: "0611111111",
  });

  test.each([
    [{ email: true, sms: false, push: false }, ["email"]],
    [{ email: false, sms: false, push: true }, ["push"]],
    [{ email: true, sms: false, push: true }, ["email", "push"]],
    // This account has no number.
    [{ email: false, sms: true, push: false }, ["email"]],
  ])("the sender who chose %j is told of the last signature by %j", async (channels, expected) => {
    // The channel was chosen while the account had a number.
    if (channels.sms)
      await service.platform.db
        .updateTable("users")
        .set({ notify_email: false, notify_sms: true })
        .where("id", "=", anneMember.id)
        .execute();
    else await choose(anne, channels);
    const sent = await createSent(anne, { recipients: [PAUL] });
    await signNth(service.platform, sent);
    const got = await arrived(anneMember.email);
    expect(got.map(([channel]) => channel)).toEqual(expected);
    for (const [channel, , text] of got)
      if (channel === "push")
        expect(text).toContain(`https://localhost:8443/signature/detail/${sent.id}`);
  });

  test("a sender who chose push gets a push about a refusal", async () => {
    await choose(anne, { email: false, sms: false, push: true });
    const sent = await createSent(anne, { recipients: [withPaul()] });
    const declined = await paul.post(`${ENVELOPES}${sent.id}/decline/`, {
      reason: "Erreur dans le document",
    });
    expect(declined.status).toBe(200);
    expect(
      (await arrived(anneMember.email)).map(([channel, subject]) => [channel, subject]),
    ).toEqual([["push", expect.stringContaining("Paul Morel a refusé de signer")]]);
    expect(receiver.received.map(({ text }) => JSON.parse(text))).toEqual([
      {
        title: expect.stringContaining("Paul Morel a refusé de signer"),
        body: "La demande de signature est close.",
        url: `/signature/detail/${sent.id}`,
      },
    ]);
    const { body } = await anne.get(`${ME}/push-subscriptions/`);
    expect(receiver.received[0]?.senderKey).toBe(body.public_key);
  });

  test("a recipient with an account is asked by mail whatever they chose, and also by push: it leads to the page that needs their session, without a token", async () => {
    await choose(paul, { email: false, sms: false, push: true });
    const sent = await createSent(anne, { recipients: [withPaul()] });
    const mails = await arrived(withPaul().email);
    const pushes = await arrived(paulMember.email);
    expect(mails.map(([channel]) => channel)).toEqual(["email"]);
    expect(mails[0]?.[2]).toContain("token=");
    expect(pushes.map(([channel, subject]) => [channel, subject])).toEqual([
      ["push", expect.stringContaining("Document à signer")],
    ]);
    expect(pushes[0]?.[2]).toContain(`https://localhost:8443/signature/sign/${sent.id}`);
    expect(pushes[0]?.[2]).not.toContain("token");
  });

  test("a recipient with an account who did not choose push gets none", async () => {
    await createSent(anne, { recipients: [withPaul()] });
    expect(await channelsOf(paulMember.email)).toEqual([]);
  });

  test("a recipient with an account gets a push about the outcome, which the sender does not see", async () => {
    await choose(paul, { email: false, sms: false, push: true });
    const sent = await createSent(anne, { recipients: [withPaul()] });
    await service.settle();
    await forgetMessages();
    expect((await actOn(anne, sent.id, "cancel")).status).toBe(200);
    expect(await channelsOf(paulMember.email)).toEqual(["push"]);
    expect(await channelsOf(withPaul().email)).toEqual(["email"]);
    expect(JSON.stringify(await readEnvelope(anne, sent.id))).not.toContain('"push"');
  });

  test("a sender who is also a recipient is notified once of the completion", async () => {
    await choose(anne, { email: true, sms: false, push: true });
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email: anneMember.email }] });
    await service.settle();
    await forgetMessages();
    await signNth(service.platform, sent);
    const completed = (await arrived(anneMember.email)).filter(([, subject]) =>
      subject.includes("signé par tous"),
    );
    expect(completed.map(([channel]) => channel)).toEqual(["email", "push"]);
  });
});
