import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { codeIn, openMailedGuest } from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { recipientCalls, recipientPath } from "../../../testing/recipient-calls.ts";
import { startSmtpServer } from "../../../testing/smtp-server.ts";

type Calls = ReturnType<typeof recipientCalls>;
let service: TestApp;
let anne: TestBrowser;
let resend: Calls["resend"];
let tag = 0;

beforeAll(async () => {
  service = await createTestApp();
  anne = await signIn(service, await createMember(service.platform, { firstName: "Anne", lastName: "Roux" }));
  ({ resend } = recipientCalls(service, () => anne));
});
afterAll(() => service.close());

const fresh = () => `adresse${++tag}@exemple.fr`;
const someone = (rest: object = {}) => ({ ...PAUL, email: fresh(), ...rest });

describe("resending", () => {
  it("asks that one person again with a fresh link, thaws a frozen one, and at most once an hour", async () => {
    const { platform } = service;
    const [one, other] = [someone(), someone({ full_name: "Autre" })];
    const sent = await createSent(anne, { recipients: [one, other] });
    await mailFor(platform, one.email);
    await platform.db.updateTable("recipients").set({ wrong_tries: 20 }).where("email", "=", one.email).execute();
    const answer = await resend(sent);
    expect(answer).toMatchObject({
      status: 200,
      body: { recipients: [{ deliveries: [{ kind: "invitation" }, {}] }, { deliveries: [{}] }] },
    });
    expect(await mailFor(platform, one.email)).toHaveLength(2);
    expect(await mailFor(platform, other.email)).toHaveLength(1);
    const guest = await openMailedGuest(service, sent.id, one.email);
    await guest.confirm();
    expect(await resend(sent)).toMatchObject({ status: 429, body: { code: "remind_cooldown" }, headers: { "retry-after": "3600" } });
  });

  it("is not held back by one that its server refused", async () => {
    const { platform } = service;
    const sent = await createSent(anne, { recipients: [someone()] });
    expect((await resend(sent)).status).toBe(200);
    await platform.settle();
    expect((await resend(sent)).body.code).toBe("remind_cooldown");
    await platform.db.updateTable("notices").set({ state: "refused" }).where("envelope_id", "=", sent.id).execute();
    expect((await resend(sent)).status).toBe(200);
    expect((await resend(sent)).body.code).toBe("remind_cooldown");
  });

  it("goes by text when asked, to a number that is known", async () => {
    const sent = await createSent(anne, { recipients: [someone({ phone_number: "0612345699" })] });
    expect((await resend(sent, { channel: "sms" })).body.recipients[0].deliveries[0]).toMatchObject({
      kind: "invitation",
      channel: "sms",
      destination: "+33612345699",
      state: "queued",
    });
    const [text] = await mailFor(service.platform, "+33612345699");
    expect(text?.content.text).toContain(`${service.platform.settings.publicUrl}/sign/${sent.id}?token=`);
    const without = await createSent(anne, { recipients: [someone()] });
    expect((await resend(without, { channel: "sms" })).body).toMatchObject({
      status: 400,
      errors: { channel: ["Aucun numéro de téléphone n’est connu pour cet envoi."] },
    });
  });

  it("is refused before one's turn", async () => {
    const sent = await createSent(anne, { flow: "sequential", recipients: [someone(), someone({ full_name: "Suivant", order: 2 })] });
    expect((await anne.post(`${recipientPath(sent, 1)}resend/`)).body).toMatchObject({
      status: 409,
      code: "recipient_not_awaited",
      detail: "Ce destinataire n’a rien à signer pour le moment. Son message partira à son tour.",
    });
  });
});

describe("the deliveries", () => {
  it("are the sender's alone, and no list carries them", async () => {
    const signerMember = await createMember(service.platform);
    const sent = await createSent(anne, { title: "Suivi des envois", recipients: [someone({ email: signerMember.email })] });
    await mailFor(service.platform, signerMember.email);
    const seen = (await (await signIn(service, signerMember)).get(`${ENVELOPES}${sent.id}/`)).body;
    expect(seen.recipients[0]).not.toHaveProperty("deliveries");
    const [listed] = (await anne.get(`${ENVELOPES}?search=Suivi`)).body.results;
    expect(listed.recipients[0]).not.toHaveProperty("deliveries");
    expect((await anne.get(`${ENVELOPES}${sent.id}/`)).body.recipients[0].deliveries).toMatchObject([
      {
        kind: "invitation",
        destination: signerMember.email,
        state: "sent",
        server_answer: "Boîte aux lettres de ce serveur d’essai.",
        failure: null,
      },
    ]);
  });

  it("tell that the mailed link was opened, and that the code arrived", async () => {
    const email = fresh();
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email }] });
    const guest = await openMailedGuest(service, sent.id, email);
    await guest.get("guest/");
    await guest.post("send_otp/");
    await codeIn(service, email);
    const states = async () =>
      (await anne.get(`${ENVELOPES}${sent.id}/`)).body.recipients[0].deliveries.map(
        (delivery: { kind: string; state: string; opened_at: unknown }) => [delivery.kind, delivery.state, delivery.opened_at !== null],
      );
    expect(await states()).toEqual([
      ["code", "sent", false],
      ["invitation", "delivered", true],
    ]);
    await guest.post("verify_otp/", { otp: await codeIn(service, email) });
    expect((await states())[0]).toEqual(["code", "delivered", false]);
  });
});

it("a 550 shows why on the envelope, over a real SMTP server; the corrected address gets its mail", async () => {
  const server = await startSmtpServer();
  const mailed = await createTestApp({ settings: { smtpUrl: server.url, mailFrom: "paraphe@exemple.fr" } });
  const owner = await signIn(mailed, await createMember(mailed.platform));
  server.answers.push({ at: "rcpt", code: 550, words: "5.1.1 User unknown" });
  const sent = await createSent(owner, { recipients: [someone()] });
  await mailed.settle();
  expect((await owner.get(`${ENVELOPES}${sent.id}/`)).body.recipients[0].deliveries).toMatchObject([
    { state: "refused", server_answer: "550 5.1.1 User unknown", failure: { code: "unknown_address", detail: "adresse inconnue" } },
  ]);
  const right = fresh();
  mailed.platform.clock.advance({ seconds: 1 });
  const { body } = await owner.send("PATCH", recipientPath(sent), { body: { email: right } });
  expect(body.recipients[0].deliveries[0].state).toBe("queued");
  await mailed.settle();
  expect(server.received.map((got) => got.envelope.to)).toEqual([[right]]);
  await mailed.close();
  await server.close();
});
