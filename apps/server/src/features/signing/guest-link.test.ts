import { createHash } from "node:crypto";
import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openGuest, type TestGuest, TYPED } from "../../../testing/guest.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { openSenderApp, sendToGuest } from "../../../testing/sent-to-guest.ts";

let test: TestApp;
let member: Member;
let owner: TestBrowser;
let envelope: Envelope;
let guest: TestGuest;

beforeAll(async () => {
  ({ test, member } = await openSenderApp());
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ owner, envelope, guest } = await sendToGuest({ test, member }));
});

const statusOf = async (who: TestGuest) => (await who.get("guest/")).status;
/** The links mailed to Paul for this envelope, the newest first. */
async function linksOfPaul(): Promise<readonly TestGuest[]> {
  const start = `${test.platform.settings.publicUrl}/sign/${envelope.id}?token=`;
  const mails = (await mailFor(test.platform, PAUL.email)).filter((mail) => mail.content.text.includes(start));
  return mails.map((mail) => {
    const token = new URL(linkIn(mail, start)).searchParams.get("token") ?? "";
    return openGuest(test, { envelopeId: envelope.id, token, email: PAUL.email });
  });
}

it("security line 34: the link's token is 256 bits in base64url, of which the tables keep the hash alone", async () => {
  expect(guest.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(guest.token, "base64url")).toHaveLength(32);
  const hash = createHash("sha256").update(guest.token).digest();
  const kept = await test.platform.db.selectFrom("recipient_tokens").select("token_sha256").execute();
  expect(kept.filter(({ token_sha256 }) => Buffer.compare(token_sha256, hash) === 0)).toHaveLength(1);
});

it("security line 34: a reminder's link works beside the first, and a decline ends them all", async () => {
  test.platform.clock.advance({ hours: 2 });
  owner = await signIn(test, member);
  expect((await owner.post(`${ENVELOPES}${envelope.id}/remind/`)).status).toBe(200);
  const links = await linksOfPaul();
  expect(new Set(links.map(({ token }) => token)).size).toBe(2);
  expect(await Promise.all(links.map(statusOf))).toEqual([200, 200]);
  await links[0]?.confirm();
  expect((await links[0]?.post("decline/", { reason: "Désaccord" }))?.status).toBe(200);
  expect(await Promise.all(links.map(statusOf))).toEqual([410, 410]);
});

it("security line 34: the link dies with a cancellation, and for good with the purge", async () => {
  await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
  expect(await statusOf(guest)).toBe(410);
  expect((await owner.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`)).status).toBe(204);
  expect(await statusOf(guest)).toBe(404);
  const hash = createHash("sha256").update(guest.token).digest();
  expect(await test.platform.db.selectFrom("recipient_tokens").select("token_sha256").where("token_sha256", "=", hash).execute()).toEqual(
    [],
  );
});

it("security line 36: a code ends after ten minutes, to the second", async () => {
  const code = await guest.askCode();
  test.platform.clock.advance({ seconds: 600 });
  expect((await guest.post("verify_otp/", { otp: code })).body.code).toBe("otp_invalid");
  const second = await guest.askCode();
  test.platform.clock.advance({ seconds: 599 });
  expect((await guest.post("verify_otp/", { otp: second })).status).toBe(200);
});

it("security line 41: no answer of the service holds the code: not its own, not the sender's journal or list of messages", async () => {
  const sent = await guest.post("send_otp/");
  const [mail] = await mailFor(test.platform, PAUL.email);
  const code = mail?.subject.replace(/\D/g, "") ?? "";
  expect(code).toMatch(/^\d{6}$/);
  const verified = await guest.post("verify_otp/", { otp: code });
  const answers = [
    sent,
    verified,
    await guest.get("guest/"),
    await owner.get(`${ENVELOPES}${envelope.id}/`),
    await owner.get(`${ENVELOPES}${envelope.id}/events/`),
  ];
  for (const answer of answers) expect(JSON.stringify([answer.text, answer.headers])).not.toContain(code);
  const pushes = await test.platform.db.selectFrom("notices").select("channel").where("kind", "=", "code").execute();
  expect(pushes.filter(({ channel }) => channel === "push")).toEqual([]);
});

it("security line 42: two accounts of one envelope each sign as the recipient of their own confirmed address", async () => {
  const [paul, eloise, stranger] = await Promise.all([1, 2, 3].map(() => createMember(test.platform)));
  const both = await createSent(owner, {
    recipients: [
      { ...PAUL, email: paul?.email },
      { ...ELOISE, email: eloise?.email },
    ],
  });
  const signer = await signIn(test, eloise as Member);
  expect((await signer.get(`${ENVELOPES}${both.id}/sign-page/`)).body.recipient.full_name).toBe(ELOISE.full_name);
  expect((await signer.post(`${ENVELOPES}${both.id}/sign_authenticated/`, TYPED)).status).toBe(200);
  const { recipients } = (await owner.get(`${ENVELOPES}${both.id}/`)).body as Envelope;
  expect(recipients.map(({ email, signed }) => [email, signed])).toEqual([
    [paul?.email, false],
    [eloise?.email, true],
  ]);
  const nobody = await signIn(test, stranger as Member);
  expect((await nobody.post(`${ENVELOPES}${both.id}/sign_authenticated/`, TYPED)).status).toBe(404);
});
