import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL, recordTestSignature } from "../../../testing/envelope.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { type PushReceiver, startPushReceiver } from "../../../testing/push-receiver.ts";

const ME = "/api/signature/me";
let receiver: PushReceiver;
let service: TestApp;
let anneMember: Member;
let anne: TestBrowser;
let paulMember: Member;
let paul: TestBrowser;

beforeAll(async () => {
  receiver = await startPushReceiver();
  service = await createTestApp();
  [anneMember, paulMember] = [await createMember(service.platform), await createMember(service.platform)];
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
  const answer = await browser.post(`${ME}/push-subscriptions/`, { ...receiver.subscribe().json, expirationTime: null });
  expect(answer.status).toBe(201);
}

async function choose(browser: TestBrowser, channels: object): Promise<void> {
  expect((await browser.send("PUT", `${ME}/notifications/`, { body: channels })).status).toBe(200);
}

/** What came for an address: by which channel, and its subject. */
async function arrived(address: string): Promise<readonly (readonly [channel: string, subject: string, text: string])[]> {
  await service.settle();
  const rows = await service.platform.db
    .selectFrom("mailbox_messages")
    .selectAll()
    .where("destination", "=", address)
    .orderBy("channel")
    .execute();
  return rows.map((row) => [row.channel, row.subject, JSON.parse(row.content).text as string]);
}
const channelsOf = async (address: string) => (await arrived(address)).map(([channel]) => channel);
const forgetMessages = () => service.platform.db.deleteFrom("mailbox_messages").execute();

const withPaul = () => ({ email: paulMember.email.toUpperCase(), full_name: "Paul Morel", phone_number: "0611111111" });

describe("the sender", () => {
  test.each([
    [{ email: true, sms: false, push: false }, ["email"]],
    [{ email: false, sms: false, push: true }, ["push"]],
    [{ email: true, sms: false, push: true }, ["email", "push"]],
    // No number is known.
    [{ email: false, sms: true, push: false }, ["email"]],
  ])("who chose %j is told of the last signature by %j", async (channels, expected) => {
    // Chosen while a number was known, which is gone since.
    if (channels.sms)
      await service.platform.db
        .updateTable("users")
        .set({ notify_email: false, notify_sms: true })
        .where("id", "=", anneMember.id)
        .execute();
    else await choose(anne, channels);
    const sent = await createSent(anne, { recipients: [PAUL] });
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    const got = await arrived(anneMember.email);
    expect(got.map(([channel]) => channel)).toEqual(expected);
    for (const [channel, , text] of got)
      if (channel === "push") expect(text).toContain(`https://localhost:8443/signature/detail/${sent.id}`);
  });

  test("who chose push is told that way of a refusal", async () => {
    await choose(anne, { email: false, sms: false, push: true });
    const sent = await createSent(anne, { recipients: [withPaul()] });
    const declined = await paul.post(`${ENVELOPES}${sent.id}/decline/`, { reason: "Erreur dans le document" });
    expect(declined.status).toBe(200);
    expect((await arrived(anneMember.email)).map(([channel, subject]) => [channel, subject])).toEqual([
      ["push", expect.stringContaining("Paul Morel a refusé de signer")],
    ]);
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
});

describe("a recipient who has an account", () => {
  test("is asked by mail whatever they chose, and by push beside: the page that asks for their session, no token", async () => {
    await choose(paul, { email: false, sms: false, push: true });
    const sent = await createSent(anne, { recipients: [withPaul()] });
    const mails = await arrived(withPaul().email);
    const pushes = await arrived(paulMember.email);
    expect(mails.map(([channel]) => channel)).toEqual(["email"]);
    expect(mails[0]?.[2]).toContain("token=");
    expect(pushes.map(([channel, subject]) => [channel, subject])).toEqual([["push", expect.stringContaining("Document à signer")]]);
    expect(pushes[0]?.[2]).toContain(`https://localhost:8443/signature/sign/${sent.id}`);
    expect(pushes[0]?.[2]).not.toContain("token");
  });

  test("who did not choose push is not asked that way", async () => {
    await createSent(anne, { recipients: [withPaul()] });
    expect(await channelsOf(paulMember.email)).toEqual([]);
  });

  test("is told by push too of what became of it, and the sender sees nothing of that", async () => {
    await choose(paul, { email: false, sms: false, push: true });
    const sent = await createSent(anne, { recipients: [withPaul()] });
    await service.settle();
    await forgetMessages();
    expect((await anne.post(`${ENVELOPES}${sent.id}/cancel/`)).status).toBe(200);
    expect(await channelsOf(paulMember.email)).toEqual(["push"]);
    expect(await channelsOf(withPaul().email)).toEqual(["email"]);
    expect(JSON.stringify((await anne.get(`${ENVELOPES}${sent.id}/`)).body)).not.toContain('"push"');
  });

  test("and is the sender, is told once of the completion", async () => {
    await choose(anne, { email: true, sms: false, push: true });
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email: anneMember.email }] });
    await service.settle();
    await forgetMessages();
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    const completed = (await arrived(anneMember.email)).filter(([, subject]) => subject.includes("signé par tous"));
    expect(completed.map(([channel]) => channel)).toEqual(["email", "push"]);
  });
});
