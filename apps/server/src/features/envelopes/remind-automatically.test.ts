import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { createDraft, createSent, ENVELOPES, type EnvelopeValues, recordTestSignature } from "../../../testing/envelope.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { verifyChain } from "../audit/index.ts";
import { remindDue } from "./remind-automatically.ts";

let service: TestApp;
let anneMember: Member;
let tag = 0;

beforeAll(async () => {
  service = await createTestApp();
  anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
});
beforeEach(() => cancelAll());
afterAll(() => service.close());

/** What was left open waits no more. */
async function cancelAll(): Promise<void> {
  const anne = await signIn(service, anneMember);
  for (const envelope of (await anne.get(`${ENVELOPES}?status=sent&page_size=100`)).body.results as Envelope[])
    await anne.post(`${ENVELOPES}${envelope.id}/cancel/`);
}

const someone = (rest: object = {}) => ({ email: `rappel${++tag}@exemple.fr`, full_name: `Personne ${tag}`, ...rest });
const at = (moment: string) => service.platform.clock.set(new Date(moment));
/** Runs the job every quarter of an hour until that moment; gives when people were reminded, by the clocks of Paris. */
async function until(moment: string): Promise<string[]> {
  const sent: string[] = [];
  for (const end = Date.parse(moment); service.platform.clock().getTime() < end; service.platform.clock.advance({ minutes: 15 })) {
    const count = await remindDue(service.platform);
    for (let index = 0; index < count; index++) sent.push(parisClock.format(service.platform.clock()));
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
const reminders = (every_days: number | null) => ({ reminders: JSON.stringify({ every_days }) }) as unknown as EnvelopeValues;
const subjects = async (address: string) =>
  (await mailFor(service.platform, address)).map((mail) => mail.subject).filter((subject) => subject.startsWith("Rappel"));

describe("the setting", () => {
  it("is none by default, is kept with the draft, and bounded", async () => {
    at("2026-11-23T10:00:00Z");
    const anne = await signIn(service, anneMember);
    const draft = await createDraft(anne);
    expect(draft.reminders).toEqual({ every_days: null, business_days: true, next_at: null });
    const patch = (body: object) => anne.send("PATCH", `${ENVELOPES}${draft.id}/`, { body });
    expect((await patch({ reminders: { every_days: 3 } })).body.reminders).toEqual({ every_days: 3, business_days: true, next_at: null });
    expect((await patch({ title: "Autre" })).body.reminders.every_days).toBe(3);
    for (const every_days of [0, 31, 1.5, "3"]) expect((await patch({ reminders: { every_days } })).status).toBe(400);
    expect((await patch({ reminders: { every_days: 3, business_days: false } })).status).toBe(400);
    expect((await patch({ reminders: { every_days: null } })).body.reminders.every_days).toBeNull();
  });

  it("is the sender's alone to see", async () => {
    at("2026-11-23T10:10:00Z");
    const paulMember = await createMember(service.platform);
    const sent = await send({ every: 2, recipients: [someone({ email: paulMember.email })] });
    expect(sent.reminders).toEqual({ every_days: 2, business_days: true, next_at: "2026-11-25T10:10:00.000Z" });
    const paul = await signIn(service, paulMember);
    expect((await paul.get(`${ENVELOPES}${sent.id}/`)).body.reminders).toBeUndefined();
  });
});

describe("automatic reminders", () => {
  it("go to those awaited who have not signed, and stop at their signature", async () => {
    at("2027-02-01T09:00:00Z");
    const [late, done] = [someone(), someone()];
    const sent = await send({ every: 1, recipients: [late, done] });
    await recordTestSignature(service.platform, sent.id, sent.recipients[1]?.id ?? "");
    expect(await until("2027-02-04T08:00:00Z")).toEqual(["mar. 2 févr., 10:00", "mer. 3 févr., 10:00"]);
    await service.settle();
    expect(await subjects(late.email)).toHaveLength(2);
    expect(await subjects(done.email)).toEqual([]);
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    expect(await until("2027-02-09T08:00:00Z")).toEqual([]);
    const anne = await signIn(service, anneMember);
    const detail = (await anne.get(`${ENVELOPES}${sent.id}/`)).body;
    expect([detail.status, detail.reminders.next_at]).toEqual(["completed", null]);
    const events = (await anne.get(`${ENVELOPES}${sent.id}/events/?page_size=100`)).body.results;
    const noted = events.filter((event: { action: string }) => event.action === "recipient_reminded");
    expect(noted.map((event: { detail: object }) => event.detail)).toMatchObject([{ automatic: true }, { automatic: true }]);
    expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true });
  });

  it("keep to the days people work, over Easter and the change of hour", async () => {
    // Thursday 25 March 2027; the clocks go forward on Easter Sunday, 28 March, and Monday is a holiday.
    at("2027-03-25T15:00:00Z");
    await send({ every: 1, recipients: [someone()] });
    expect(await until("2027-04-01T00:00:00Z")).toEqual(["ven. 26 mars, 16:00", "mar. 30 mars, 09:00", "mer. 31 mars, 09:00"]);
  });

  it("are not sent on 1 May, nor between two years on a holiday", async () => {
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
    expect((await until("2031-01-02T12:00:00Z")).filter((line) => line.includes("31 déc.") || line.includes("1 janv."))).toEqual([
      "mar. 31 déc., 11:00",
    ]);
  });

  it("that no process was there to send wait for the next opening", async () => {
    at("2032-11-08T10:00:00Z");
    const one = someone();
    await send({ every: 1, recipients: [one] });
    at("2032-11-09T19:00:00Z");
    expect(await until("2032-11-10T10:00:00Z")).toEqual(["mer. 10 nov., 09:00"]);
  });

  it("never come within a day of the sender's own", async () => {
    at("2033-06-13T08:00:00Z");
    const one = someone();
    const sent = await send({ every: 2, recipients: [one] });
    at("2033-06-15T07:30:00Z");
    let anne = await signIn(service, anneMember);
    expect((await anne.post(`${ENVELOPES}${sent.id}/remind/`)).status).toBe(200);
    expect(await until("2033-06-17T08:00:00Z")).toEqual(["ven. 17 juin, 09:30"]);
    anne = await signIn(service, anneMember);
    expect((await anne.get(`${ENVELOPES}${sent.id}/`)).body.reminders.next_at).toBe("2033-06-20T07:00:00.000Z");
  });

  it("are ten at most for each person", async () => {
    at("2034-01-09T09:00:00Z");
    const one = someone();
    const sent = await send({ every: 1, recipients: [one] });
    expect(await until("2034-02-20T09:00:00Z")).toHaveLength(10);
    const anne = await signIn(service, anneMember);
    expect((await anne.get(`${ENVELOPES}${sent.id}/`)).body.reminders.next_at).toBeNull();
  });

  it("reach the next in turn only once it is their turn, counted from then", async () => {
    at("2035-03-05T09:00:00Z");
    const [first, second] = [someone({ order: 1 }), someone({ order: 2 })];
    const sent = await send({ every: 2, flow: "sequential", recipients: [first, second] });
    expect(await until("2035-03-08T13:00:00Z")).toEqual(["mer. 7 mars, 10:00"]);
    await service.settle();
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    expect(await until("2035-03-13T20:00:00Z")).toEqual(["lun. 12 mars, 09:00"]);
    expect(await subjects(first.email)).toHaveLength(1);
  });

  it("stop when the envelope is cancelled, and count anew from its restoration", async () => {
    at("2036-06-02T08:00:00Z");
    const sent = await send({ every: 1, recipients: [someone()] });
    let anne = await signIn(service, anneMember);
    await anne.post(`${ENVELOPES}${sent.id}/cancel/`);
    expect(await until("2036-06-04T12:00:00Z")).toEqual([]);
    anne = await signIn(service, anneMember);
    await anne.post(`${ENVELOPES}${sent.id}/restore/`);
    expect(await until("2036-06-05T20:00:00Z")).toEqual(["jeu. 5 juin, 14:00"]);
  });

  it("are sent once, though several processes look at the same time", async () => {
    at("2037-10-05T08:00:00Z");
    const one = someone();
    await send({ every: 1, recipients: [one] });
    service.platform.clock.advance({ hours: 25 });
    const counts = await Promise.all(Array.from({ length: 5 }, () => remindDue(service.platform)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    await service.settle();
    expect(await subjects(one.email)).toHaveLength(1);
  });

  it("thaw no link that wrong codes have frozen: that is the sender's own reminder's", async () => {
    at("2038-02-01T09:00:00Z");
    const one = someone();
    const sent = await send({ every: 1, recipients: [one] });
    await service.platform.db.updateTable("recipients").set({ wrong_tries: 20 }).where("envelope_id", "=", sent.id).execute();
    expect(await until("2038-02-03T12:00:00Z")).toEqual([]);
    const anne = await signIn(service, anneMember);
    await anne.post(`${ENVELOPES}${sent.id}/remind/`);
    expect(await until("2038-02-04T20:00:00Z")).toEqual(["jeu. 4 févr., 13:00"]);
  });
});
