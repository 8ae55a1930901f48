import { waitInWords } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, PAUL, recordTestSignature } from "../../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { recipientCalls, recipientPath } from "../../../testing/recipient-calls.ts";
import { maskEmail } from "../accounts/index.ts";
import { verifyChain } from "../audit/index.ts";
import { lockGuestDoor, openGuestDoor } from "../signing/guest-door.ts";

/** A point of P-256: RFC 8291, appendix A. */
const BROWSER_KEY = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";

type Calls = ReturnType<typeof recipientCalls>;
let service: TestApp;
let anneMember: Member;
let anne: TestBrowser;
let correct: Calls["correct"];
let resend: Calls["resend"];
let tag = 0;

beforeAll(async () => {
  service = await createTestApp();
  anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  anne = await signIn(service, anneMember);
  ({ correct, resend } = recipientCalls(service, () => anne));
});
afterAll(() => service.close());

const fresh = () => `adresse${++tag}@exemple.fr`;
const someone = (rest: object = {}) => ({ ...PAUL, email: fresh(), ...rest });
const events = async (id: string) => (await anne.get(`${ENVELOPES}${id}/events/`)).body.results;

describe("correcting an address", () => {
  it("asks the person at the new one, and kills every link, code and session of the old one", async () => {
    const { platform } = service;
    const [wrong, right] = [fresh(), fresh()];
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email: wrong }] });
    const stranger = await openMailedGuest(service, sent.id, wrong);
    await stranger.confirm();
    expect((await anne.get(`${ENVELOPES}${sent.id}/`)).body.recipients[0]).toMatchObject({ status: "viewed" });

    const answer = await correct(sent, { email: right.toUpperCase() });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        version: sent.version + 1,
        recipients: [{ email: right.toUpperCase(), status: "notified", viewed_at: null, deliveries: [{ state: "queued" }, {}, {}] }],
      },
    });
    for (const call of ["guest/", "signed-document/"]) expect((await stranger.get(call)).body).toMatchObject({ code: "not_found" });
    expect((await stranger.post("sign/", TYPED)).status).toBe(404);
    expect(await platform.db.selectFrom("guest_sessions").selectAll().execute()).toEqual([]);

    const guest = await openMailedGuest(service, sent.id, right);
    expect((await guest.get("guest/")).body.otp.verified).toBe(false);
    platform.clock.advance({ minutes: 2 });
    await guest.confirm();
    expect((await guest.post("sign/", TYPED)).status).toBe(200);
    expect(await mailFor(platform, wrong)).toHaveLength(2);
    expect(await verifyChain(platform.db, sent.id)).toMatchObject({ ok: true });
    const corrected = (await events(sent.id)).find((event: { action: string }) => event.action === "recipient_address_corrected");
    expect(corrected).toMatchObject({
      actor: "Anne Roux",
      detail: { recipient: sent.recipients[0]?.id, email: right.toUpperCase(), old_email: maskEmail(wrong) },
    });
  });

  it("stops a call of the old link that was already let in", async () => {
    const { platform } = service;
    const wrong = fresh();
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email: wrong }] });
    const { token } = await openMailedGuest(service, sent.id, wrong);
    const door = await openGuestDoor(platform.db, { envelopeId: sent.id, token }, platform.clock());
    if (!door.ok) throw new Error("the link should open");
    await correct(sent, { email: fresh() });
    const again = await platform.db.transaction().execute((trx) => lockGuestDoor(trx, door.value, platform.clock()));
    expect(again).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  it("owes the new one its own automatic reminders, however many the old one had", async () => {
    const sent = await createSent(anne, { recipients: [someone()], reminders: { every_days: 1, business_days: true } });
    const remindersSent = { automatic_reminders: 10 };
    await service.platform.db.updateTable("recipients").set(remindersSent).where("envelope_id", "=", sent.id).execute();
    const same = await correct(sent, { phone_number: "0612345678" });
    expect(same.body.reminders.next_at).toBeNull();
    expect((await correct(sent, { email: fresh() })).body.reminders.next_at).toMatch(/^2026-11-23T08:00:00/);
  });

  it("withdraws what had not left yet for the old one", async () => {
    const wrong = fresh();
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email: wrong }] });
    const { body } = await correct(sent, { email: fresh() });
    expect(body.recipients[0].deliveries.map((delivery: { state: string }) => delivery.state)).toEqual(["queued", "withdrawn"]);
    expect(await mailFor(service.platform, wrong)).toHaveLength(0);
  });

  it("before one's turn writes to nobody; the invitation goes to the corrected address", async () => {
    const right = fresh();
    const sent = await createSent(anne, { flow: "sequential", recipients: [someone(), someone({ full_name: "Suivant", order: 2 })] });
    const path = recipientPath(sent, 1);
    expect((await anne.send("PATCH", path, { body: { email: right } })).body.recipients[1]).toMatchObject({
      email: right,
      status: "waiting",
      deliveries: [],
    });
    expect(await mailFor(service.platform, right)).toHaveLength(0);
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    expect(await mailFor(service.platform, right)).toHaveLength(1);
  });

  it("of the number alone keeps the link, ends the code sent, and writes no mail", async () => {
    const email = fresh();
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email, phone_number: "0612345678" }] });
    const guest = await openMailedGuest(service, sent.id, email);
    const code = await guest.askCode();
    const { body } = await correct(sent, { phone_number: "06 98 76 54 32" });
    expect(body.recipients[0]).toMatchObject({ email, phone_number: "+33698765432" });
    expect((await guest.post("verify_otp/", { otp: code })).body).toMatchObject({ code: "otp_invalid" });
    expect(await mailFor(service.platform, email)).toHaveLength(2);
    expect((await correct(sent, { phone_number: null })).body.recipients[0].phone_number).toBeNull();
  });

  it("that changes nothing writes nothing", async () => {
    const email = fresh();
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email }] });
    expect((await correct(sent, { email })).body.version).toBe(sent.version);
    expect((await events(sent.id)).map((event: { action: string }) => event.action)).not.toContain("recipient_address_corrected");
  });

  it("is refused with the field that is wrong", async () => {
    const twin = someone();
    const sent = await createSent(anne, { recipients: [someone(), twin] });
    expect((await correct(sent, { email: twin.email })).body).toMatchObject({
      status: 400,
      errors: { email: ["Cette personne figure déjà parmi les destinataires"] },
    });
    expect((await correct(sent, { email: "nul" })).body).toMatchObject({ status: 400, errors: { email: ["Email invalide"] } });
    expect((await correct(sent, {})).status).toBe(400);
    expect((await correct(sent, { full_name: "Autre" })).status).toBe(400);
  });

  it("is refused once they have answered, in a closed envelope, and in a draft", async () => {
    const sent = await createSent(anne, { recipients: [someone(), someone({ full_name: "B" })] });
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    expect((await correct(sent, { email: fresh() })).body).toMatchObject({
      status: 409,
      code: "recipient_answered",
      detail: "Ce destinataire a déjà répondu.",
    });
    await anne.post(`${ENVELOPES}${sent.id}/cancel/`);
    expect((await correct(sent, { email: fresh() })).body).toMatchObject({ status: 409, code: "invalid_state" });
    expect((await correct(await createDraft(anne), { email: fresh() })).body).toMatchObject({ status: 409, code: "invalid_state" });
  });

  it("is done five times a day for one person, with what is sent to them again; the others of the envelope are not held back", async () => {
    const sent = await createSent(anne, { recipients: Array.from({ length: 12 }, (_, index) => someone({ full_name: `N° ${index}` })) });
    for (let index = 0; index < 5; index++) expect((await correct(sent, { email: fresh() })).status).toBe(200);
    expect((await correct(sent, { email: fresh() })).body).toMatchObject({ status: 429, code: "too_many_requests" });
    expect((await resend(sent)).body).toMatchObject({ status: 429, code: "too_many_requests" });
    for (let index = 1; index < 12; index++)
      expect((await anne.send("PATCH", recipientPath(sent, index), { body: { email: fresh() } })).status).toBe(200);
  });

  it("is not held back by requests that their server refused; what is left of the wait is said in words", async () => {
    const { platform } = service;
    const sent = await createSent(anne, { recipients: [someone()] });
    const refuse = async () => {
      await platform.db.updateTable("notices").set({ state: "refused" }).where("envelope_id", "=", sent.id).execute();
    };
    await refuse();
    for (const ask of [
      () => resend(sent),
      () => resend(sent),
      () => correct(sent, { email: fresh() }),
      () => correct(sent, { email: fresh() }),
    ]) {
      expect((await ask()).status).toBe(200);
      await refuse();
    }
    // From here on they arrive, and count.
    for (let n = 0; n < 5; n++) expect((await correct(sent, { email: fresh() })).status).toBe(200);
    const { status, body, headers } = await correct(sent, { email: fresh() });
    expect([status, body.detail]).toEqual([429, `Trop de demandes. Réessayez dans ${waitInWords(Number(headers["retry-after"]))}.`]);
  });

  it("is done five hundred times a day by one account", async () => {
    const busy = await signIn(service, await createMember(service.platform));
    const sent = await createSent(busy, { recipients: [someone()] });
    expect((await correct(sent, { email: fresh() }, busy)).status).toBe(200);
    const counts = service.platform.db.updateTable("throttles").where("key", "like", "envelope askOneOfAccount %");
    await counts.set({ hits: 500 }).execute();
    expect((await correct(sent, { email: fresh() }, busy)).body).toMatchObject({ status: 429, code: "too_many_requests" });
    await counts.set({ hits: 0 }).execute();
  });

  it("stops the push message that waited for whoever has an account at the old address", async () => {
    const { db } = service.platform;
    const zoe = await createMember(service.platform);
    const zoes = await signIn(service, zoe);
    const keys = { p256dh: BROWSER_KEY, auth: "A".repeat(22) };
    await zoes.post("/api/signature/me/push-subscriptions/", { endpoint: "https://push.exemple.fr/zoe", keys });
    await zoes.send("PUT", "/api/signature/me/notifications/", { body: { email: true, sms: false, push: true } });
    const sent = await createSent(anne, {
      title: "Licenciement",
      recipients: [someone({ email: zoe.email }), someone({ full_name: "B" })],
    });
    expect((await correct(sent, { email: fresh() })).status).toBe(200);
    const rows = await db
      .selectFrom("notices")
      .select(["channel", "state", "destination"])
      .where("envelope_id", "=", sent.id)
      .orderBy("channel")
      .execute();
    expect(rows.filter(({ destination }) => destination === zoe.email)).toEqual([
      { channel: "email", state: "withdrawn", destination: zoe.email },
      { channel: "push", state: "withdrawn", destination: zoe.email },
    ]);
    expect(rows.filter(({ state }) => state === "queued")).toHaveLength(2);
  });

  it("of the number alone stops the code that waits for the old one, and not the request", async () => {
    const { platform } = service;
    const sent = await createSent(anne, { recipients: [someone({ phone_number: "0612345678" })] });
    const recipientId = sent.recipients[0]?.id ?? "";
    await platform.db
      .insertInto("notices")
      .values({
        id: platform.newId(),
        dedupe_key: `code:${recipientId}`,
        kind: "code",
        channel: "sms",
        destination: "+33612345678",
        message_id: "",
        state: "queued",
        envelope_id: sent.id,
        recipient_id: recipientId,
        created_at: platform.clock(),
      })
      .execute();
    const { body } = await correct(sent, { phone_number: "0698765432" });
    const states = body.recipients[0].deliveries.map(({ kind, state }: { kind: string; state: string }) => [kind, state]);
    expect(states.toSorted()).toEqual([
      ["code", "withdrawn"],
      ["invitation", "queued"],
    ]);
  });
});

it.each(["PATCH", "POST"] as const)("%s is the owner's: 403 for a recipient, 404 for a stranger, 401 for nobody", async (method) => {
  const signerMember = await createMember(service.platform);
  const sent = await createSent(anne, { recipients: [someone({ email: signerMember.email })] });
  const call = (who: TestBrowser, envelope = sent) =>
    method === "PATCH" ? correct(envelope, { email: fresh() }, who) : resend(envelope, {}, who);
  expect((await call(await signIn(service, signerMember))).body).toMatchObject({ status: 403, code: "not_allowed" });
  expect((await call(await signIn(service, await createMember(service.platform)))).body).toMatchObject({ status: 404, code: "not_found" });
  expect((await call(openBrowser(service.app))).status).toBe(401);
  expect((await call(anne, { ...sent, recipients: [{ ...sent.recipients[0], id: service.platform.newId() }] } as typeof sent)).status).toBe(
    404,
  );
});
