import { writeTogether } from "../../platform/database/in-transaction.ts";
import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  ENVELOPES,
  eventsOf,
  PAUL,
  readEnvelope,
  recordTestSignature,
  signNth,
} from "../../../testing/envelope.ts";
import { openMailedGuest, signAsGuest } from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, openMember, signIn } from "../../../testing/member.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../testing/smtp-server.ts";
import { verifyChain } from "../journal/journal.ts";
import { runAnnouncement, warnDeadlines } from "./deadlines.ts";
import { expireOverdue } from "./jobs.ts";
import { updateEnvelopeRow } from "./store.ts";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp();
});

afterAll(() => service.close());

const inHours = (hours: number) =>
  new Date(service.platform.clock().getTime() + hours * 3_600_000).toISOString();

describe("an extended deadline", () => {
  let anneMember: Member;
  let anne: TestBrowser;
  let tag = 0;
  beforeAll(async () => {
    anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  });

  const someone = (rest: object = {}) => ({
    email: `prolonge${++tag}@exemple.fr`,
    full_name: `Personne ${tag}`,
    ...rest,
  });
  const extend = (id: string, deadline_at: string, browser = anne) =>
    browser.post(`${ENVELOPES}${id}/extend/`, { deadline_at });
  const subjects = async (address: string) =>
    (await mailFor(service.platform, address)).map((mail) => mail.subject);
  const journal = async (id: string) => await eventsOf(anne, id);

  /** Makes an expired envelope for these people; the first `signed` of them have signed. */
  async function expired(
    recipients: readonly object[],
    { signed = 0, flow = "parallel" as const } = {},
  ): Promise<Envelope> {
    anne = await signIn(service, anneMember);
    const sent = await createSent(anne, {
      title: "Bail prolongé",
      deadline_at: inHours(30),
      recipients,
      flow,
    });
    for (const person of sent.recipients.slice(0, signed))
      await recordTestSignature(service.platform, sent.id, person.id);
    await service.settle();
    service.platform.clock.advance({ hours: 31 });
    await expireOverdue(service.platform);
    await service.settle();
    anne = await signIn(service, anneMember);
    return sent;
  }

  test("an extension reopens an expired envelope: its status, its links, and a message to those awaited", async () => {
    const [late, done] = [someone(), someone()];
    const sent = await expired([done, late], { signed: 1 });
    const guest = await openMailedGuest(service, sent.id, late.email);
    expect((await guest.get("guest/")).status).toBe(410);
    const deadline = inHours(24 * 7);
    const answer = await extend(sent.id, deadline);
    expect([answer.status, answer.body.status, answer.body.deadline_at]).toEqual([
      200,
      "pending",
      deadline,
    ]);
    await service.settle({ deferred: "run" });
    expect((await guest.get("guest/")).status).toBe(200);
    expect(await subjects(late.email)).toContain("Nouvelle échéance\u00a0: Bail prolongé");
    expect(await subjects(done.email)).not.toContain("Nouvelle échéance\u00a0: Bail prolongé");
    expect(
      (await journal(sent.id)).find(
        (event: { action: string }) => event.action === "deadline_extended",
      ).detail,
    ).toMatchObject({
      to: deadline,
      reopened: true,
    });
    expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true });
    await signAsGuest(service, sent.id, late.email);
    expect((await readEnvelope(anne, sent.id)).status).toBe("completed");
  });

  test("an extension gives back 'sent' when nobody had signed, and recounts the lists", async () => {
    const sent = await expired([someone()]);
    expect(
      (await anne.get(`${ENVELOPES}?status=expired`)).body.results.map((row: Envelope) => row.id),
    ).toEqual([sent.id]);
    expect((await extend(sent.id, inHours(48))).body.status).toBe("sent");
    expect((await anne.get(`${ENVELOPES}?status=expired`)).body.count).toBe(0);
  });

  test("an extended deadline is announced to those whose turn it is, and expires again", async () => {
    const [first, second] = [someone({ order: 1 }), someone({ order: 2 })];
    const sent = await expired([first, second], { flow: "sequential" as "parallel" });
    await extend(sent.id, inHours(24));
    await service.settle({ deferred: "run" });
    expect(await subjects(first.email)).toContain("Nouvelle échéance\u00a0: Bail prolongé");
    expect(await subjects(second.email)).toEqual([]);
    service.platform.clock.advance({ hours: 25 });
    expect(await expireOverdue(service.platform)).toBeGreaterThan(0);
    anne = await signIn(service, anneMember);
    expect((await readEnvelope(anne, sent.id)).status).toBe("expired");
  });

  test("an extension before the deadline moves it, and warns anew unless it is near", async () => {
    anne = await signIn(service, anneMember);
    const one = someone();
    const sent = await createSent(anne, {
      title: "Bail prolongé",
      deadline_at: inHours(72),
      recipients: [one],
    });
    service.platform.clock.advance({ hours: 30 });
    await warnDeadlines(service.platform);
    await service.settle();
    anne = await signIn(service, anneMember);
    expect((await extend(sent.id, inHours(46))).status).toBe(200);
    expect(await warnDeadlines(service.platform)).toBe(0);
    service.platform.clock.advance({ hours: 23 });
    expect(await warnDeadlines(service.platform)).toBe(1);
    expect(
      (await subjects(one.email)).filter((subject) => subject.startsWith("Plus que")).toSorted(),
    ).toEqual([
      "Plus que 2 jours pour signer\u00a0: Bail prolongé",
      "Plus que 24 heures pour signer\u00a0: Bail prolongé",
    ]);
  });

  test("an extension is refused with its reason: no deadline, not later, state, another sender", async () => {
    anne = await signIn(service, anneMember);
    const paulMember = await createMember(service.platform, {
      firstName: "Paul",
      lastName: "Morel",
    });
    const paul = await signIn(service, paulMember);
    const sent = await createSent(anne, {
      deadline_at: inHours(48),
      recipients: [someone({ email: paulMember.email })],
    });
    const open = await createSent(anne, { recipients: [someone()] });
    const draft = await createDraft(anne, { deadline_at: inHours(48) });
    const codes = async (answer: Promise<{ status: number; body: { code: string } }>) => {
      const { status, body } = await answer;
      return `${status} ${body.code}`;
    };
    expect(await codes(extend(open.id, inHours(48)))).toBe("409 no_deadline");
    expect(await codes(extend(sent.id, inHours(47)))).toBe("400 validation");
    expect((await extend(sent.id, inHours(47))).body.errors).toEqual({
      deadline_at: ["Choisissez une date après l’échéance actuelle"],
    });
    expect(await codes(extend(sent.id, inHours(-1)))).toBe("400 validation");
    expect(await codes(extend(sent.id, "demain"))).toBe("400 validation");
    expect(await codes(extend(draft.id, inHours(72)))).toBe("409 invalid_state");
    expect(await codes(extend(sent.id, inHours(72), paul))).toBe("403 not_allowed");
    expect(await codes(extend(draft.id, inHours(72), paul))).toBe("404 not_found");
    await actOn(anne, sent.id, "cancel");
    expect(await codes(extend(sent.id, inHours(72)))).toBe("409 invalid_state");
  });

  test("extensions are limited to ten a day for one envelope", async () => {
    anne = await signIn(service, anneMember);
    const sent = await createSent(anne, { deadline_at: inHours(24), recipients: [someone()] });
    for (let day = 2; day <= 11; day++)
      expect((await extend(sent.id, inHours(24 * day))).status).toBe(200);
    expect((await extend(sent.id, inHours(24 * 12))).status).toBe(429);
  });

  test("a guest of an expired envelope asks for more time; the sender is told once a day, with the way to give it", async () => {
    const late = someone();
    const sent = await expired([late]);
    const guest = await openMailedGuest(service, sent.id, late.email);
    const asked = async () =>
      (await subjects(anneMember.email)).filter((subject) =>
        subject.includes("demande une prolongation"),
      ).length;
    const before = await asked();
    expect((await guest.post("request-extension/")).body).toEqual({ told: true });
    expect((await guest.post("request-extension/")).body).toEqual({ told: false });
    service.platform.clock.advance({ hours: 23 });
    expect((await guest.post("request-extension/")).body).toEqual({ told: false });
    await service.settle();
    expect(await asked()).toBe(before + 1);
    service.platform.clock.advance({ hours: 1 });
    expect((await guest.post("request-extension/")).body).toEqual({ told: true });
    await service.settle();
    expect(await asked()).toBe(before + 2);
    const mail = (await mailFor(service.platform, anneMember.email)).find((message) =>
      message.subject.includes("demande une prolongation"),
    );
    expect(mail?.content.text).toContain(`/signature/detail/${sent.id}`);
    anne = await signIn(service, anneMember);
    expect(
      (await journal(sent.id)).filter(
        (event: { action: string }) => event.action === "extension_requested",
      ),
    ).toHaveLength(2);
    // Once the sender extended the deadline, there is nothing to ask for.
    await extend(sent.id, inHours(24));
    expect((await guest.post("request-extension/")).body.code).toBe("deadline_ahead");
  });

  test("a guest of an expired envelope gets the same 404 by a wrong token, and the reason of a closed one", async () => {
    const late = someone();
    const sent = await expired([late]);
    const guest = await openMailedGuest(service, sent.id, late.email);
    const wrong = await openBrowser(service.app).send(
      "POST",
      `${ENVELOPES}${sent.id}/request-extension/`,
      {
        headers: { "x-signature-token": "A".repeat(43) },
      },
    );
    expect([wrong.status, wrong.body.code]).toEqual([404, "not_found"]);
    await actOn(anne, sent.id, "cancel");
    expect((await guest.post("request-extension/")).body.code).toBe("envelope_cancelled");
  });

  test("a recipient with an account asks for more time by their session; others get 404", async () => {
    const paulMember = await createMember(service.platform, {
      firstName: "Paul",
      lastName: "Morel",
    });
    const sent = await expired([someone({ email: paulMember.email })]);
    const paul = await signIn(service, paulMember);
    const zoe = await openMember(service);
    const call = (browser: TestBrowser) =>
      browser.post(`${ENVELOPES}${sent.id}/request-extension/`);
    expect((await call(zoe)).status).toBe(404);
    expect((await call(anne)).body.code).toBe("not_a_signer");
    expect((await call(openBrowser(service.app))).status).toBe(401);
    expect((await call(paul)).body).toEqual({ told: true });
  });
});

describe("a deadline that is near", () => {
  let anneMember: Member;
  let anne: TestBrowser;
  let tag = 0;
  beforeAll(async () => {
    anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
    anne = await signIn(service, anneMember);
  });

  const someone = (rest: object = {}) => ({
    ...PAUL,
    email: `attendu${++tag}@exemple.fr`,
    ...rest,
  });
  const events = async (id: string) => await eventsOf(anne, id);

  test("is announced two days and one day before, once each, to those awaited and to the sender", async () => {
    const { platform } = service;
    const [late, done] = [someone({ full_name: "Zoë Œuvrard" }), someone({ full_name: "Déjà" })];
    const deadline = new Date(platform.clock().getTime() + 72 * 3_600_000);
    const sent = await createSent(anne, {
      title: "Bail proche",
      deadline_at: deadline.toISOString(),
      recipients: [late, done],
    });
    await signNth(platform, sent, 1);
    const near = async (address: string) =>
      (await mailFor(platform, address))
        .filter((mail) => /Plus que|Échéance proche/.test(mail.subject))
        .map((mail) => mail.subject);
    expect(await warnDeadlines(platform)).toBe(0);
    platform.clock.advance({ hours: 24 });
    expect(await warnDeadlines(platform)).toBe(1);
    expect(await warnDeadlines(platform)).toBe(0);
    expect(await near(late.email)).toEqual(["Plus que 2 jours pour signer\u00a0: Bail proche"]);
    expect(await near(done.email)).toEqual([]);
    expect(await near(anneMember.email)).toEqual(["Échéance proche\u00a0: Bail proche"]);
    const toOwner = (await mailFor(platform, anneMember.email)).find((mail) =>
      mail.subject.startsWith("Échéance proche"),
    );
    expect(toOwner?.content.text).toContain("Personne attendue\u00a0: Zoë Œuvrard");
    platform.clock.advance({ hours: 24 });
    expect(await warnDeadlines(platform)).toBe(1);
    expect(await near(late.email)).toEqual([
      "Plus que 24 heures pour signer\u00a0: Bail proche",
      "Plus que 2 jours pour signer\u00a0: Bail proche",
    ]);
    const guest = await openMailedGuest(service, sent.id, late.email);
    expect((await guest.get("guest/")).status).toBe(200);
    platform.clock.advance({ hours: 23 });
    expect(await warnDeadlines(platform)).toBe(0);
    anne = await signIn(service, anneMember);
    const noted = (await events(sent.id)).filter(
      (event: { action: string }) => event.action === "deadline_near",
    );
    expect(noted.map((event: { detail: object }) => event.detail)).toMatchObject([
      { days: 1, recipients: [sent.recipients[0]?.id] },
      { days: 2, recipients: [sent.recipients[0]?.id] },
    ]);
    expect(await verifyChain(platform.db, sent.id)).toMatchObject({ ok: true });
  });

  test("is not announced for an envelope that closed meanwhile, nor when nobody is awaited any more", async () => {
    const { platform } = service;
    anne = await signIn(service, anneMember);
    const one = someone();
    const sent = await createSent(anne, { deadline_at: inHours(60), recipients: [one] });
    await actOn(anne, sent.id, "cancel");
    platform.clock.advance({ hours: 24 });
    expect(await warnDeadlines(platform)).toBe(0);
    expect(
      (await mailFor(platform, one.email)).filter((mail) => mail.subject.startsWith("Plus que")),
    ).toEqual([]);
  });

  test("is announced once, though several processes look at the same time", async () => {
    const { platform } = service;
    anne = await signIn(service, anneMember);
    const one = someone();
    await createSent(anne, { deadline_at: inHours(49), recipients: [one] });
    platform.clock.advance({ hours: 2 });
    await Promise.all(Array.from({ length: 5 }, () => warnDeadlines(platform)));
    expect(
      (await mailFor(platform, one.email)).filter((mail) => mail.subject.startsWith("Plus que")),
    ).toHaveLength(1);
  });

  test("is announced again for another deadline", async () => {
    const { platform } = service;
    anne = await signIn(service, anneMember);
    const one = someone();
    const sent = await createSent(anne, { deadline_at: inHours(30), recipients: [one] });
    platform.clock.advance({ hours: 7 });
    await warnDeadlines(platform);
    const now = platform.clock();
    const deadline = new Date(inHours(24));
    await platform.db
      .transaction()
      .execute((trx) =>
        writeTogether(trx, [updateEnvelopeRow({ id: sent.id, now, deadline_at: deadline })]),
      );
    await warnDeadlines(platform);
    expect(
      (await mailFor(platform, one.email)).filter((mail) =>
        mail.subject.startsWith("Plus que 24 heures"),
      ),
    ).toHaveLength(2);
  });

  test("leaves a summary once it is no longer true: the deadline was moved, removed or put off, or all have signed", async () => {
    const { platform } = service;
    const member = await createMember(platform, { firstName: "Lou", lastName: "Bréand" });
    let lou = await signIn(service, member);
    await lou.send("PUT", "/api/signature/me/notifications/", {
      body: { email: true, sms: false, push: false, daily_summary: true },
    });
    const ends: readonly ((sent: {
      readonly id: string;
      readonly recipients: readonly { readonly id: string }[];
    }) => Promise<unknown>)[] = [
      ({ id }) =>
        lou.send("PUT", `${ENVELOPES}${id}/deadline/`, { body: { deadline_at: inHours(24 * 9) } }),
      ({ id }) => lou.send("PUT", `${ENVELOPES}${id}/deadline/`, { body: { deadline_at: null } }),
      ({ id }) => lou.post(`${ENVELOPES}${id}/extend/`, { deadline_at: inHours(24 * 9) }),
      async ({ id, recipients }) => recordTestSignature(platform, id, recipients[0]?.id ?? ""),
    ];
    const sent = [];
    for (const _ of ends)
      sent.push(await createSent(lou, { deadline_at: inHours(60), recipients: [someone()] }));
    platform.clock.advance({ hours: 24 });
    await warnDeadlines(platform);
    await service.settle();
    const waiting = () =>
      platform.db
        .selectFrom("notices")
        .select("state")
        .where("user_id", "=", member.id)
        .where("kind", "=", "expiring")
        .execute();
    expect(await waiting()).toEqual(ends.map(() => ({ state: "queued" })));
    lou = await signIn(service, member);
    for (const [index, end] of ends.entries()) {
      await end(sent[index] as (typeof sent)[number]);
      expect((await waiting()).map(({ state }) => state).toSorted()).toEqual(
        ends.map((_, at) => (at < ends.length - 1 - index ? "queued" : "withdrawn")),
      );
    }
  });
});

describe("a new deadline", () => {
  let server: TestSmtpServer;
  let anneMember: Member;
  let anne: TestBrowser;
  let tag = 0;

  beforeAll(async () => {
    server = await startSmtpServer();
    service = await createTestApp({
      settings: { smtpUrl: server.url, mailFrom: "paraphe@exemple.fr" },
    });
    anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  });
  beforeEach(async () => {
    service.platform.clock.set(new Date("2027-01-11T09:00:00Z"));
    anne = await signIn(service, anneMember);
  });
  afterAll(async () => {
    await service.close();
    await server.close();
  });

  const someone = () => ({ email: `annonce${++tag}@exemple.fr`, full_name: `Personne ${tag}` });
  const move = async ({ id }: Envelope, deadline_at: string | null) =>
    expect(
      (await anne.send("PUT", `${ENVELOPES}${id}/deadline/`, { body: { deadline_at } })).status,
    ).toBe(200);
  const remind = async ({ id }: Envelope) =>
    expect((await actOn(anne, id, "remind")).status).toBe(200);
  /** Runs the announcements once the deadline has stood unchanged for long enough. */
  const settled = () => service.settle({ deferred: "run" });
  /** Gives the payload of the job for an envelope's last announcement. */
  const asked = async (id: string) => {
    const rows = service.platform.db
      .selectFrom("envelopes")
      .select("deadline_announcement as announcement")
      .where("id", "=", id);
    return { envelope_id: id, ...(await rows.executeTakeFirstOrThrow()) };
  };
  const announced = async ({ id }: Envelope) =>
    (
      (await anne.get(`${ENVELOPES}${id}/events/?page_size=100`)).body.results as {
        action: string;
        detail: object;
      }[]
    )
      .filter((event) => event.action === "deadline_announced")
      .map((event) => event.detail);
  const news = ({ email }: { readonly email: string }) =>
    server.received.filter(
      ({ envelope, mail }) =>
        envelope.to.includes(email) && mail.subject?.startsWith("Nouvelle échéance"),
    );
  const askedAt = async ({ recipients }: Envelope) =>
    (
      await service.platform.db
        .selectFrom("recipients")
        .select("asked_at")
        .where("id", "=", recipients[0]?.id ?? "")
        .executeTakeFirstOrThrow()
    ).asked_at;

  test("moved again before its announcement, it is announced only as the last one, and the journal lists only that announcement", async () => {
    const one = someone();
    const sent = await createSent(anne, { deadline_at: inHours(72), recipients: [one] });
    const invited = await askedAt(sent);
    service.platform.clock.advance({ seconds: 30 });
    await move(sent, inHours(96));
    service.platform.clock.advance({ seconds: 30 });
    const last = inHours(120);
    await move(sent, last);
    expect([await announced(sent), await askedAt(sent)]).toEqual([[], invited]);
    service.platform.clock.advance({ minutes: 2 });
    await settled();
    expect(await announced(sent)).toEqual([
      { deadline: last, recipients: [sent.recipients[0]?.id] },
    ]);
    expect(await askedAt(sent)).toEqual(service.platform.clock());
    expect(news(one)).toHaveLength(1);
    expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true });
  });

  test("moved back, it is announced again to those whom a reminder gave the other one meanwhile, and to them alone", async () => {
    const [one, other] = [someone(), someone()];
    const first = inHours(72);
    const sent = await createSent(anne, { deadline_at: first, recipients: [one, other] });
    await move(sent, inHours(96));
    const path = `${ENVELOPES}${sent.id}/recipients/${sent.recipients[0]?.id}/resend/`;
    expect((await anne.post(path, { channel: "email" })).status).toBe(200);
    await move(sent, first);
    await settled();
    expect(await announced(sent)).toEqual([
      { deadline: first, recipients: [sent.recipients[0]?.id] },
    ]);
    expect([news(one).length, news(other).length]).toEqual([1, 0]);
    expect(news(one)[0]?.mail.text).toMatch(/a fixé l’échéance .* 14\u00a0janvier 2027/);
  });

  test("a deadline that a reminder gave is not announced a second time", async () => {
    const one = someone();
    const sent = await createSent(anne, { deadline_at: inHours(72), recipients: [one] });
    await move(sent, inHours(96));
    await remind(sent);
    await settled();
    expect([await announced(sent), news(one).length]).toEqual([[], 0]);
  });

  test("moved back before any server took the announcement, it is announced only to those reminded meanwhile", async () => {
    const first = inHours(72);
    const people = [someone(), someone()];
    const sent = await Promise.all(
      people.map((person) => createSent(anne, { deadline_at: first, recipients: [person] })),
    );
    await service.settle();
    service.platform.clock.advance({ seconds: 1 });
    for (const envelope of sent) await move(envelope, inHours(96));
    for (const { id } of sent) await runAnnouncement(service.platform, await asked(id));
    const away = { at: "rcpt", code: 451, words: "4.3.0 plus tard" } as const;
    server.answers.push(away, away);
    await service.settle({ failures: "keep" });
    expect(await Promise.all(sent.map(announced))).toMatchObject([[{}], [{}]]);
    service.platform.clock.advance({ seconds: 1 });
    await remind(sent[1] as Envelope);
    for (const envelope of sent) await move(envelope, first);
    await settled();
    expect(people.map((person) => news(person).length)).toEqual([0, 1]);
  });

  test("of an envelope that closed meanwhile, or once it has passed, it is announced to nobody", async () => {
    const people = [someone(), someone()];
    const sent = await Promise.all(
      people.map((person) => createSent(anne, { deadline_at: inHours(72), recipients: [person] })),
    );
    for (const envelope of sent) await move(envelope, inHours(2));
    await anne.post(`${ENVELOPES}${sent[0]?.id}/cancel/`);
    service.platform.clock.advance({ hours: 3 });
    await expireOverdue(service.platform);
    await settled();
    expect(people.map((person) => news(person).length)).toEqual([0, 0]);
  });
});
