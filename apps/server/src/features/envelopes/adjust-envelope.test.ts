import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, recordTestSignature } from "../../../testing/envelope.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { verifyChain } from "../audit/index.ts";
import { expireOverdue } from "./jobs.ts";
import { remindDue } from "./remind-automatically.ts";
import { warnDeadlines } from "./warn-deadline.ts";

let service: TestApp;
let anneMember: Member;
let paulMember: Member;
let anne: TestBrowser;
let paul: TestBrowser;
let tag = 0;

beforeAll(async () => {
  service = await createTestApp();
  anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  paulMember = await createMember(service.platform, { firstName: "Paul", lastName: "Morel" });
});
beforeEach(async () => {
  // A Monday morning, when people are at work.
  service.platform.clock.set(new Date(MONDAY));
  anne = await signIn(service, anneMember);
  paul = await signIn(service, paulMember);
});
afterAll(() => service.close());

const MONDAY = "2027-01-11T09:00:00Z";
const someone = (rest: object = {}) => ({ email: `regle${++tag}@exemple.fr`, full_name: `Personne ${tag}`, ...rest });
const inHours = (hours: number) => new Date(service.platform.clock().getTime() + hours * 3_600_000).toISOString();
const subjects = async (address: string) => (await mailFor(service.platform, address)).map((mail) => mail.subject);
const told = async (address: string) => (await subjects(address)).filter((subject) => subject.startsWith("Nouvelle échéance")).length;
/** Once the moment has passed that a deadline waits to be the last. */
const settled = () => service.settle({ deferred: "run" });
const put = (id: string, what: "deadline" | "reminders", body: object, browser = anne) =>
  browser.send("PUT", `${ENVELOPES}${id}/${what}/`, { body });
const journal = async (id: string, action: string) =>
  ((await anne.get(`${ENVELOPES}${id}/events/?page_size=100`)).body.results as { action: string; detail: object }[])
    .filter((event) => event.action === action)
    .map((event) => event.detail);
const code = async (answer: Promise<{ status: number; body: { code: string } }>) => {
  const { status, body } = await answer;
  return `${status} ${body.code}`;
};

describe("the deadline of an envelope that was sent", () => {
  it("is set where there is none: those awaited are told in words that fit, and it expires in its time", async () => {
    const [one, done] = [someone(), someone()];
    const sent = await createSent(anne, { title: "Bail", recipients: [done, one] });
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    const deadline = inHours(72);
    const answer = await put(sent.id, "deadline", { deadline_at: deadline });
    expect([answer.status, answer.body.deadline_at, answer.body.status]).toEqual([200, deadline, "pending"]);
    // What it is waits a moment to be the last.
    expect(await told(one.email)).toBe(0);
    await settled();
    expect([await told(one.email), await told(done.email)]).toEqual([1, 0]);
    const mail = (await mailFor(service.platform, one.email)).find(({ subject }) => subject.startsWith("Nouvelle"));
    expect(mail?.content.text).toMatch(/a fixé l’échéance de «\sBail\s»/);
    expect(mail?.content.text).toContain("Vos liens précédents restent valables.");
    expect(await journal(sent.id, "deadline_changed")).toMatchObject([{ from: null, to: deadline }]);
    expect(await journal(sent.id, "deadline_announced")).toEqual([{ deadline, recipients: [sent.recipients[1]?.id] }]);
    expect(await journal(sent.id, "recipient_invited"), "a new deadline is not an invitation").toHaveLength(2);
    expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true });
    service.platform.clock.advance({ hours: 25 });
    expect(await warnDeadlines(service.platform)).toBeGreaterThan(0);
    service.platform.clock.advance({ hours: 48 });
    await expireOverdue(service.platform);
    anne = await signIn(service, anneMember);
    expect((await anne.get(`${ENVELOPES}${sent.id}/`)).body.status).toBe("expired");
  });

  it("moves later or earlier, and both are told", async () => {
    const one = someone();
    const sent = await createSent(anne, { title: "Bail", deadline_at: inHours(72), recipients: [one] });
    expect((await put(sent.id, "deadline", { deadline_at: inHours(96) })).body.deadline_at).toBe(inHours(96));
    await settled();
    expect((await put(sent.id, "deadline", { deadline_at: inHours(30) })).body.deadline_at).toBe(inHours(30));
    await settled();
    const texts = (await mailFor(service.platform, one.email)).filter(({ subject }) => subject.startsWith("Nouvelle"));
    expect(texts.map(({ content }) => /a (prolongé|fixé)/.exec(content.text)?.[1]).toSorted()).toEqual(["fixé", "prolongé"]);
    // The message that told it was the warning of the 48 hours; that of the 24 is still to come.
    expect(await warnDeadlines(service.platform)).toBe(0);
  });

  it("is removed without a word to anybody, and set anew at the moment that everybody knows without a word either", async () => {
    const one = someone();
    const deadline = inHours(72);
    const sent = await createSent(anne, { deadline_at: deadline, recipients: [one] });
    expect((await put(sent.id, "deadline", { deadline_at: null })).body.deadline_at).toBeNull();
    await settled();
    await put(sent.id, "deadline", { deadline_at: deadline });
    await settled();
    await put(sent.id, "deadline", { deadline_at: null });
    await put(sent.id, "deadline", { deadline_at: deadline });
    await settled();
    expect(await told(one.email)).toBe(0);
    expect(await journal(sent.id, "deadline_announced")).toEqual([]);
    await put(sent.id, "deadline", { deadline_at: null });
    service.platform.clock.advance({ hours: 100 });
    await expireOverdue(service.platform);
    anne = await signIn(service, anneMember);
    expect((await anne.get(`${ENVELOPES}${sent.id}/`)).body.status).toBe("sent");
    expect(await journal(sent.id, "deadline_changed")).toHaveLength(5);
  });

  it("moved nine times in some minutes is one message, of the last one, in words that fit what its reader knows", async () => {
    const [one, texted] = [someone(), someone({ phone_number: "+33612345678" })];
    const sent = await createSent(anne, { title: "Bail", deadline_at: inHours(240), recipients: [one, texted] });
    await service.settle();
    for (const days of [12, 5, 20, 3, 30, 4, 8, 9, 6]) {
      expect((await put(sent.id, "deadline", { deadline_at: inHours(24 * days) })).status).toBe(200);
      service.platform.clock.advance({ seconds: 20 });
    }
    await settled();
    const last = (await anne.get(`${ENVELOPES}${sent.id}/`)).body as Envelope;
    for (const person of last.recipients) expect(person.deliveries?.map(({ kind }) => kind)).toEqual(["extended", "invitation"]);
    for (const { email } of [one, texted]) {
      const mails = (await mailFor(service.platform, email)).filter(({ subject }) => subject.startsWith("Nouvelle"));
      expect(mails.map(({ content }) => /a fixé l’échéance .* 17 janvier 2027/.test(content.text))).toEqual([true]);
    }
    expect(await journal(sent.id, "deadline_changed")).toHaveLength(9);
  });

  it("brought back to what everybody knows, or removed, before it was told, is told to nobody", async () => {
    const [one, other] = [someone(), someone()];
    const deadline = inHours(72);
    const back = await createSent(anne, { deadline_at: deadline, recipients: [one] });
    await put(back.id, "deadline", { deadline_at: inHours(96) });
    await put(back.id, "deadline", { deadline_at: deadline });
    const removed = await createSent(anne, { deadline_at: deadline, recipients: [other] });
    await put(removed.id, "deadline", { deadline_at: inHours(96) });
    await put(removed.id, "deadline", { deadline_at: null });
    await settled();
    expect([await told(one.email), await told(other.email)]).toEqual([0, 0]);
    expect(await journal(back.id, "deadline_changed")).toHaveLength(2);
    for (const { id } of [back, removed]) expect(await journal(id, "deadline_announced")).toEqual([]);
  });

  it("is told to nobody who signs before the message has left, and at once when it is near", async () => {
    const [one, done] = [someone(), someone()];
    const sent = await createSent(anne, { recipients: [done, one] });
    await put(sent.id, "deadline", { deadline_at: inHours(72) });
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    await settled();
    expect([await told(one.email), await told(done.email)]).toEqual([1, 0]);
    await put(sent.id, "deadline", { deadline_at: inHours(0.9) });
    expect(await told(one.email)).toBe(2);
  });

  it("put off once passed, then moved or removed, still tells that the link works again", async () => {
    const [one, other] = [someone(), someone()];
    const sent = [];
    for (const person of [one, other]) sent.push(await createSent(anne, { deadline_at: inHours(2), recipients: [person] }));
    service.platform.clock.advance({ hours: 3 });
    await expireOverdue(service.platform);
    anne = await signIn(service, anneMember);
    for (const { id } of sent) expect((await anne.post(`${ENVELOPES}${id}/extend/`, { deadline_at: inHours(48) })).status).toBe(200);
    await put(sent[0]?.id ?? "", "deadline", { deadline_at: inHours(96) });
    await put(sent[1]?.id ?? "", "deadline", { deadline_at: null });
    await settled();
    const [moved] = (await mailFor(service.platform, one.email)).filter(({ subject }) => subject.startsWith("Nouvelle"));
    expect(moved?.content.text).toMatch(/a prolongé le délai .* 15 janvier 2027/);
    expect(moved?.content.text).toContain("Votre lien fonctionne à nouveau.");
    expect(await told(other.email)).toBe(0);
    expect(await subjects(other.email)).toContainEqual(expect.stringMatching(/^Rappel/));
  });

  it("asked for as it is, changes nothing", async () => {
    const deadline = inHours(72);
    const sent = await createSent(anne, { deadline_at: deadline, recipients: [someone()] });
    expect((await put(sent.id, "deadline", { deadline_at: deadline })).body.version).toBe(sent.version);
    expect(await journal(sent.id, "deadline_changed")).toEqual([]);
  });

  it("is refused with the reason: passed, not to come, too far, another state, somebody else's", async () => {
    const sent = await createSent(anne, { deadline_at: inHours(48), recipients: [someone({ email: paulMember.email })] });
    const draft = await createDraft(anne);
    const late = { deadline_at: inHours(24) };
    expect((await put(sent.id, "deadline", { deadline_at: inHours(-1) })).body.errors).toEqual({
      deadline_at: ["L'échéance doit être dans le futur"],
    });
    expect(await code(put(sent.id, "deadline", { deadline_at: inHours(24 * 366 * 2 + 24) }))).toBe("400 validation");
    expect(await code(put(sent.id, "deadline", {}))).toBe("400 validation");
    expect(await code(put(draft.id, "deadline", late))).toBe("409 invalid_state");
    expect(await code(put(sent.id, "deadline", late, paul))).toBe("403 not_allowed");
    expect(await code(put(draft.id, "deadline", late, paul))).toBe("404 not_found");
    expect(await code(put(service.platform.newId(), "deadline", late, paul))).toBe("404 not_found");
    expect(await code(put(sent.id, "deadline", late, openBrowser(service.app)))).toMatch(/^40[13] /);
    service.platform.clock.advance({ hours: 49 });
    anne = await signIn(service, anneMember);
    expect(await code(put(sent.id, "deadline", { deadline_at: null }))).toBe("409 deadline_passed");
    await expireOverdue(service.platform);
    expect(await code(put(sent.id, "deadline", { deadline_at: inHours(24) }))).toBe("409 invalid_state");
  });

  it("is bounded with its extensions: ten a day for one envelope", async () => {
    const sent = await createSent(anne, { deadline_at: inHours(24), recipients: [someone()] });
    for (let day = 2; day <= 11; day++) expect((await put(sent.id, "deadline", { deadline_at: inHours(24 * day) })).status).toBe(200);
    expect((await put(sent.id, "deadline", { deadline_at: inHours(24 * 12) })).status).toBe(429);
    expect((await anne.post(`${ENVELOPES}${sent.id}/extend/`, {})).status).toBe(429);
  });
});

describe("an extension without a date", () => {
  it("puts the deadline off by a week, to the end of the day in Paris", async () => {
    const sent = await createSent(anne, { deadline_at: "2027-01-14T22:59:59Z", recipients: [someone()] });
    const answer = await anne.post(`${ENVELOPES}${sent.id}/extend/`, {});
    expect([answer.status, answer.body.deadline_at]).toEqual([200, "2027-01-21T22:59:59.000Z"]);
    expect(await journal(sent.id, "deadline_extended")).toHaveLength(1);
  });

  it("opens an expired envelope again for a week from today; without a deadline there is nothing to put off", async () => {
    const sent = await createSent(anne, { deadline_at: inHours(2), recipients: [someone()] });
    service.platform.clock.advance({ hours: 72 });
    await expireOverdue(service.platform);
    anne = await signIn(service, anneMember);
    const answer = await anne.post(`${ENVELOPES}${sent.id}/extend/`, {});
    expect([answer.body.status, answer.body.deadline_at]).toEqual(["sent", "2027-01-21T22:59:59.000Z"]);
    const open = await createSent(anne, { recipients: [someone()] });
    expect(await code(anne.post(`${ENVELOPES}${open.id}/extend/`, {}))).toBe("409 no_deadline");
  });
});

describe("the automatic reminders of an envelope that was sent", () => {
  const next = async (id: string) => ((await anne.get(`${ENVELOPES}${id}/`)).body as Envelope).reminders;

  it("are switched on: they count from when each person was asked, and leave", async () => {
    const one = someone();
    const sent = await createSent(anne, { recipients: [one] });
    const answer = await put(sent.id, "reminders", { every_days: 3 });
    expect(answer.body.reminders).toEqual({ every_days: 3, business_days: true, next_at: "2027-01-14T09:00:00.000Z" });
    expect(await remindDue(service.platform)).toBe(0);
    service.platform.clock.advance({ hours: 72 });
    expect(await remindDue(service.platform)).toBe(1);
    anne = await signIn(service, anneMember);
    expect(await journal(sent.id, "reminders_changed")).toMatchObject([{ from: null, to: 3 }]);
    await put(sent.id, "reminders", { every_days: null });
  });

  it("are switched off: none leaves any more", async () => {
    const sent = await createSent(anne, { reminders: { every_days: 1, business_days: true }, recipients: [someone()] });
    expect((await put(sent.id, "reminders", { every_days: null })).body.reminders).toMatchObject({ every_days: null, next_at: null });
    service.platform.clock.advance({ hours: 240 });
    expect(await remindDue(service.platform)).toBe(0);
  });

  it("are timed anew, nearer or farther; whoever has waited that long already is reminded at once", async () => {
    const sent = await createSent(anne, { reminders: { every_days: 2, business_days: true }, recipients: [someone()] });
    expect((await put(sent.id, "reminders", { every_days: 7 })).body.reminders.next_at).toBe("2027-01-18T09:00:00.000Z");
    service.platform.clock.advance({ hours: 72 });
    expect(await remindDue(service.platform)).toBe(0);
    anne = await signIn(service, anneMember);
    await put(sent.id, "reminders", { every_days: 2 });
    expect((await next(sent.id))?.next_at).toBe(service.platform.clock().toISOString());
    expect(await remindDue(service.platform)).toBe(1);
    expect(await remindDue(service.platform)).toBe(0);
    await put(sent.id, "reminders", { every_days: null });
  });

  it("follow the deadline that is removed or brought nearer", async () => {
    const sent = await createSent(anne, {
      deadline_at: inHours(48),
      reminders: { every_days: 3, business_days: true },
      recipients: [someone()],
    });
    expect((await next(sent.id))?.next_at).toBeNull();
    await put(sent.id, "deadline", { deadline_at: null });
    expect((await next(sent.id))?.next_at).toBe("2027-01-14T09:00:00.000Z");
    service.platform.clock.advance({ hours: 72 });
    expect(await remindDue(service.platform)).toBe(1);
    anne = await signIn(service, anneMember);
    await put(sent.id, "reminders", { every_days: null });
  });

  it("asked for as they are, change nothing; refused with the reason otherwise", async () => {
    const sent = await createSent(anne, {
      reminders: { every_days: 2, business_days: true },
      recipients: [someone({ email: paulMember.email })],
    });
    const draft = await createDraft(anne);
    expect((await put(sent.id, "reminders", { every_days: 2 })).body.version).toBe(sent.version);
    expect(await journal(sent.id, "reminders_changed")).toEqual([]);
    for (const every_days of [0, 31, 1.5, "3"]) expect(await code(put(sent.id, "reminders", { every_days }))).toBe("400 validation");
    expect(await code(put(draft.id, "reminders", { every_days: 3 }))).toBe("409 invalid_state");
    expect(await code(put(sent.id, "reminders", { every_days: 3 }, paul))).toBe("403 not_allowed");
    expect(await code(put(draft.id, "reminders", { every_days: 3 }, paul))).toBe("404 not_found");
    for (let n = 0; n < 20; n++) expect((await put(sent.id, "reminders", { every_days: 3 + (n % 2) })).status).toBe(200);
    expect(await code(put(sent.id, "reminders", { every_days: 9 }))).toBe("429 too_many_requests");
    await anne.post(`${ENVELOPES}${sent.id}/cancel/`);
    expect(await code(put(sent.id, "reminders", { every_days: 3 }))).toBe("409 invalid_state");
  });
});
