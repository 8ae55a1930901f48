import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL, recordTestSignature } from "../../../testing/envelope.ts";
import { openMailedGuest } from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { verifyChain } from "../audit/index.ts";
import { updateEnvelopeRow } from "./store.ts";
import { warnDeadlines } from "./warn-deadline.ts";

let service: TestApp;
let anneMember: Member;
let anne: TestBrowser;
let tag = 0;

beforeAll(async () => {
  service = await createTestApp();
  anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  anne = await signIn(service, anneMember);
});
afterAll(() => service.close());

const someone = (rest: object = {}) => ({ ...PAUL, email: `attendu${++tag}@exemple.fr`, ...rest });
const events = async (id: string) => (await anne.get(`${ENVELOPES}${id}/events/`)).body.results;
const inHours = (hours: number) => new Date(service.platform.clock().getTime() + hours * 3_600_000).toISOString();

describe("a deadline that is near", () => {
  it("is told two days and one day before, once each, to those awaited and to the sender", async () => {
    const { platform } = service;
    const [late, done] = [someone({ full_name: "Zoë Œuvrard" }), someone({ full_name: "Déjà" })];
    const deadline = new Date(platform.clock().getTime() + 72 * 3_600_000);
    const sent = await createSent(anne, { title: "Bail proche", deadline_at: deadline.toISOString(), recipients: [late, done] });
    await recordTestSignature(platform, sent.id, sent.recipients[1]?.id ?? "");
    const near = async (address: string) =>
      (await mailFor(platform, address)).filter((mail) => /Plus que|Échéance proche/.test(mail.subject)).map((mail) => mail.subject);
    expect(await warnDeadlines(platform)).toBe(0);
    platform.clock.advance({ hours: 24 });
    expect(await warnDeadlines(platform)).toBe(1);
    expect(await warnDeadlines(platform)).toBe(0);
    expect(await near(late.email)).toEqual(["Plus que 2 jours pour signer\u00a0: Bail proche"]);
    expect(await near(done.email)).toEqual([]);
    expect(await near(anneMember.email)).toEqual(["Échéance proche\u00a0: Bail proche"]);
    const toOwner = (await mailFor(platform, anneMember.email)).find((mail) => mail.subject.startsWith("Échéance proche"));
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
    const noted = (await events(sent.id)).filter((event: { action: string }) => event.action === "deadline_near");
    expect(noted.map((event: { detail: object }) => event.detail)).toMatchObject([
      { days: 1, recipients: [sent.recipients[0]?.id] },
      { days: 2, recipients: [sent.recipients[0]?.id] },
    ]);
    expect(await verifyChain(platform.db, sent.id)).toMatchObject({ ok: true });
  });

  it("is not told of an envelope that closed meanwhile, nor when nobody is awaited any more", async () => {
    const { platform } = service;
    anne = await signIn(service, anneMember);
    const one = someone();
    const sent = await createSent(anne, { deadline_at: inHours(60), recipients: [one] });
    await anne.post(`${ENVELOPES}${sent.id}/cancel/`);
    platform.clock.advance({ hours: 24 });
    expect(await warnDeadlines(platform)).toBe(0);
    expect((await mailFor(platform, one.email)).filter((mail) => mail.subject.startsWith("Plus que"))).toEqual([]);
  });

  it("is told once, though several processes look at the same time", async () => {
    const { platform } = service;
    anne = await signIn(service, anneMember);
    const one = someone();
    await createSent(anne, { deadline_at: inHours(49), recipients: [one] });
    platform.clock.advance({ hours: 2 });
    await Promise.all(Array.from({ length: 5 }, () => warnDeadlines(platform)));
    expect((await mailFor(platform, one.email)).filter((mail) => mail.subject.startsWith("Plus que"))).toHaveLength(1);
  });

  it("is told again of another deadline", async () => {
    const { platform } = service;
    anne = await signIn(service, anneMember);
    const one = someone();
    const sent = await createSent(anne, { deadline_at: inHours(30), recipients: [one] });
    platform.clock.advance({ hours: 7 });
    await warnDeadlines(platform);
    const now = platform.clock();
    const deadline = new Date(inHours(24));
    await platform.db.transaction().execute((trx) => updateEnvelopeRow(trx, { id: sent.id, now, deadline_at: deadline }));
    await warnDeadlines(platform);
    expect((await mailFor(platform, one.email)).filter((mail) => mail.subject.startsWith("Plus que 24 heures"))).toHaveLength(2);
  });

  it("waits in a summary no longer than it is true: not of a deadline moved, removed or put off, nor once all have signed", async () => {
    const { platform } = service;
    const member = await createMember(platform, { firstName: "Lou", lastName: "Bréand" });
    let lou = await signIn(service, member);
    await lou.send("PUT", "/api/signature/me/notifications/", { body: { email: true, sms: false, push: false, daily_summary: true } });
    const ends: readonly ((sent: { readonly id: string; readonly recipients: readonly { readonly id: string }[] }) => Promise<unknown>)[] =
      [
        ({ id }) => lou.send("PUT", `${ENVELOPES}${id}/deadline/`, { body: { deadline_at: inHours(24 * 9) } }),
        ({ id }) => lou.send("PUT", `${ENVELOPES}${id}/deadline/`, { body: { deadline_at: null } }),
        ({ id }) => lou.post(`${ENVELOPES}${id}/extend/`, { deadline_at: inHours(24 * 9) }),
        async ({ id, recipients }) => recordTestSignature(platform, id, recipients[0]?.id ?? ""),
      ];
    const sent = [];
    for (const _ of ends) sent.push(await createSent(lou, { deadline_at: inHours(60), recipients: [someone()] }));
    platform.clock.advance({ hours: 24 });
    await warnDeadlines(platform);
    await service.settle();
    const waiting = () =>
      platform.db.selectFrom("notices").select("state").where("user_id", "=", member.id).where("kind", "=", "expiring").execute();
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
