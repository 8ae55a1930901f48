import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, recordTestSignature } from "../../../testing/envelope.ts";
import { openMailedGuest, signAsGuest } from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { verifyChain } from "../audit/index.ts";
import { expireOverdue } from "./jobs.ts";
import { warnDeadlines } from "./warn-deadline.ts";

let service: TestApp;
let anneMember: Member;
let anne: TestBrowser;
let tag = 0;

beforeAll(async () => {
  service = await createTestApp();
  anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
});
afterAll(() => service.close());

const someone = (rest: object = {}) => ({ email: `prolonge${++tag}@exemple.fr`, full_name: `Personne ${tag}`, ...rest });
const inHours = (hours: number) => new Date(service.platform.clock().getTime() + hours * 3_600_000).toISOString();
const extend = (id: string, deadline_at: string, browser = anne) => browser.post(`${ENVELOPES}${id}/extend/`, { deadline_at });
const subjects = async (address: string) => (await mailFor(service.platform, address)).map((mail) => mail.subject);
const journal = async (id: string) => (await anne.get(`${ENVELOPES}${id}/events/`)).body.results;

/** An envelope that has expired, of these people; the first `signed` of them have signed. */
async function expired(recipients: readonly object[], { signed = 0, flow = "parallel" as const } = {}): Promise<Envelope> {
  anne = await signIn(service, anneMember);
  const sent = await createSent(anne, { title: "Bail prolongé", deadline_at: inHours(30), recipients, flow });
  for (const person of sent.recipients.slice(0, signed)) await recordTestSignature(service.platform, sent.id, person.id);
  await service.settle();
  service.platform.clock.advance({ hours: 31 });
  await expireOverdue(service.platform);
  await service.settle();
  anne = await signIn(service, anneMember);
  return sent;
}

describe("a deadline that is put off", () => {
  it("opens an expired envelope again: its status, its links, and those awaited are told", async () => {
    const [late, done] = [someone(), someone()];
    const sent = await expired([done, late], { signed: 1 });
    const guest = await openMailedGuest(service, sent.id, late.email);
    expect((await guest.get("guest/")).status).toBe(410);
    const deadline = inHours(24 * 7);
    const answer = await extend(sent.id, deadline);
    expect([answer.status, answer.body.status, answer.body.deadline_at]).toEqual([200, "pending", deadline]);
    await service.settle({ deferred: "run" });
    expect((await guest.get("guest/")).status).toBe(200);
    expect(await subjects(late.email)).toContain("Nouvelle échéance\u00a0: Bail prolongé");
    expect(await subjects(done.email)).not.toContain("Nouvelle échéance\u00a0: Bail prolongé");
    expect((await journal(sent.id)).find((event: { action: string }) => event.action === "deadline_extended").detail).toMatchObject({
      to: deadline,
      reopened: true,
    });
    expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true });
    await signAsGuest(service, sent.id, late.email);
    expect((await anne.get(`${ENVELOPES}${sent.id}/`)).body.status).toBe("completed");
  });

  it("gives back 'sent' when nobody had signed, and counts the lists again", async () => {
    const sent = await expired([someone()]);
    expect((await anne.get(`${ENVELOPES}?status=expired`)).body.results.map((row: Envelope) => row.id)).toEqual([sent.id]);
    expect((await extend(sent.id, inHours(48))).body.status).toBe("sent");
    expect((await anne.get(`${ENVELOPES}?status=expired`)).body.count).toBe(0);
  });

  it("is told to those whose turn it is in a sequential flow, and expires again in its time", async () => {
    const [first, second] = [someone({ order: 1 }), someone({ order: 2 })];
    const sent = await expired([first, second], { flow: "sequential" as "parallel" });
    await extend(sent.id, inHours(24));
    await service.settle({ deferred: "run" });
    expect(await subjects(first.email)).toContain("Nouvelle échéance\u00a0: Bail prolongé");
    expect(await subjects(second.email)).toEqual([]);
    service.platform.clock.advance({ hours: 25 });
    expect(await expireOverdue(service.platform)).toBeGreaterThan(0);
    anne = await signIn(service, anneMember);
    expect((await anne.get(`${ENVELOPES}${sent.id}/`)).body.status).toBe("expired");
  });

  it("before it has passed moves it, and warns anew only of what is not near already", async () => {
    anne = await signIn(service, anneMember);
    const one = someone();
    const sent = await createSent(anne, { title: "Bail prolongé", deadline_at: inHours(72), recipients: [one] });
    service.platform.clock.advance({ hours: 30 });
    await warnDeadlines(service.platform);
    await service.settle();
    anne = await signIn(service, anneMember);
    expect((await extend(sent.id, inHours(46))).status).toBe(200);
    expect(await warnDeadlines(service.platform)).toBe(0);
    service.platform.clock.advance({ hours: 23 });
    expect(await warnDeadlines(service.platform)).toBe(1);
    expect((await subjects(one.email)).filter((subject) => subject.startsWith("Plus que")).toSorted()).toEqual([
      "Plus que 2 jours pour signer\u00a0: Bail prolongé",
      "Plus que 24 heures pour signer\u00a0: Bail prolongé",
    ]);
  });

  it("is refused with the reason: no deadline, none later, another state, somebody else's", async () => {
    anne = await signIn(service, anneMember);
    const paulMember = await createMember(service.platform, { firstName: "Paul", lastName: "Morel" });
    const paul = await signIn(service, paulMember);
    const sent = await createSent(anne, { deadline_at: inHours(48), recipients: [someone({ email: paulMember.email })] });
    const open = await createSent(anne, { recipients: [someone()] });
    const draft = await createDraft(anne, { deadline_at: inHours(48) });
    const codes = async (answer: Promise<{ status: number; body: { code: string } }>) => {
      const { status, body } = await answer;
      return `${status} ${body.code}`;
    };
    expect(await codes(extend(open.id, inHours(48)))).toBe("409 no_deadline");
    expect(await codes(extend(sent.id, inHours(47)))).toBe("400 validation");
    expect((await extend(sent.id, inHours(47))).body.errors).toEqual({ deadline_at: ["Choisissez une date après l’échéance actuelle"] });
    expect(await codes(extend(sent.id, inHours(-1)))).toBe("400 validation");
    expect(await codes(extend(sent.id, "demain"))).toBe("400 validation");
    expect(await codes(extend(draft.id, inHours(72)))).toBe("409 invalid_state");
    expect(await codes(extend(sent.id, inHours(72), paul))).toBe("403 not_allowed");
    expect(await codes(extend(draft.id, inHours(72), paul))).toBe("404 not_found");
    await anne.post(`${ENVELOPES}${sent.id}/cancel/`);
    expect(await codes(extend(sent.id, inHours(72)))).toBe("409 invalid_state");
  });

  it("is bounded: ten a day for one envelope", async () => {
    anne = await signIn(service, anneMember);
    const sent = await createSent(anne, { deadline_at: inHours(24), recipients: [someone()] });
    for (let day = 2; day <= 11; day++) expect((await extend(sent.id, inHours(24 * day))).status).toBe(200);
    expect((await extend(sent.id, inHours(24 * 12))).status).toBe(429);
  });
});

describe("a guest of an expired envelope", () => {
  it("asks for more time; the sender is told once a day, with the way to give it", async () => {
    const late = someone();
    const sent = await expired([late]);
    const guest = await openMailedGuest(service, sent.id, late.email);
    const asked = async () => (await subjects(anneMember.email)).filter((subject) => subject.includes("demande une prolongation")).length;
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
    expect((await journal(sent.id)).filter((event: { action: string }) => event.action === "extension_requested")).toHaveLength(2);
    // Once the sender gave it, there is nothing to ask for.
    await extend(sent.id, inHours(24));
    expect((await guest.post("request-extension/")).body.code).toBe("deadline_ahead");
  });

  it("gets the same 404 by a wrong token, and the reason of a closed one", async () => {
    const late = someone();
    const sent = await expired([late]);
    const guest = await openMailedGuest(service, sent.id, late.email);
    const wrong = await openBrowser(service.app).send("POST", `${ENVELOPES}${sent.id}/request-extension/`, {
      headers: { "x-signature-token": "A".repeat(43) },
    });
    expect([wrong.status, wrong.body.code]).toEqual([404, "not_found"]);
    await anne.post(`${ENVELOPES}${sent.id}/cancel/`);
    expect((await guest.post("request-extension/")).body.code).toBe("envelope_cancelled");
  });

  it("may be somebody with an account, by the session; a stranger gets 404, the sender is not one of them", async () => {
    const paulMember = await createMember(service.platform, { firstName: "Paul", lastName: "Morel" });
    const sent = await expired([someone({ email: paulMember.email })]);
    const paul = await signIn(service, paulMember);
    const zoe = await signIn(service, await createMember(service.platform));
    const call = (browser: TestBrowser) => browser.post(`${ENVELOPES}${sent.id}/request-extension/`);
    expect((await call(zoe)).status).toBe(404);
    expect((await call(anne)).body.code).toBe("not_a_signer");
    expect((await call(openBrowser(service.app))).status).toBe(401);
    expect((await call(paul)).body).toEqual({ told: true });
  });
});
