import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { expectRefusal, expectStatus } from "../../../testing/answers.ts";
import type { TestApp } from "../../../testing/app.ts";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openConfirmedGuest, openMailedGuest, signAsGuest, TYPED } from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";
import { verifyChain } from "../journal/journal.ts";

let service: TestApp;
let member: Member;
let owner: TestBrowser;

beforeAll(async () => {
  ({ test: service, member } = await openSenderApp());
});
beforeEach(async () => {
  owner = await signIn(service, member);
});
afterAll(() => service.close());

const LEA = { email: "lea.petit@exemple.fr", full_name: "Léa Petit" };
const COPY = { email: "archives@exemple.fr", full_name: "Archives", role: "viewer", order: 3 };
const VISA = { ...ELOISE, role: "visa", order: 1 };
const SIGNER = { ...PAUL, order: 2 };

const send = (recipients: readonly object[] = [VISA, SIGNER, COPY]) =>
  createSent(owner, { recipients, flow: "sequential" });
const confirmed = (envelope: Envelope, email: string) =>
  openConfirmedGuest(service, envelope.id, email);
const mailed = async (email: string) =>
  (await mailFor(service.platform, email)).map(({ subject }) => subject);
const read = async (envelope: Envelope): Promise<Envelope> =>
  (await owner.get(`${ENVELOPES}${envelope.id}/`)).body;
const eventsOf = async (envelope: Envelope): Promise<readonly { action: string }[]> =>
  (await owner.get(`${ENVELOPES}${envelope.id}/events/?page_size=100`)).body.results;
const standing = ({ recipients }: Envelope) => recipients.map(({ status }) => status);

it("a visa opens the signature that follows, and signs nothing", async () => {
  const envelope = await send();
  expect(standing(await read(envelope))).toEqual(["notified", "waiting", "waiting"]);
  expect((await mailed(ELOISE.email))[0]).toMatch(/^Document à viser/);
  const eloise = await confirmed(envelope, ELOISE.email);
  const answer = await eloise.post("visa/");
  expect([answer.status, answer.body.status]).toEqual([200, "sent"]);
  const after = await read(envelope);
  expect(standing(after)).toEqual(["approved", "notified", "waiting"]);
  expect(after.progress).toEqual({ signed: 0, total: 1, percent: 0 });
  expect(after.recipients[0]?.approved_at).not.toBeNull();
  expect(await eventsOf(after)).toContainEqual(expect.objectContaining({ action: "visa_given" }));
  await expectRefusal(eloise.post("visa/"), 409, "visa_given");
  await expectRefusal(eloise.post("sign/", TYPED), 403, "other_act_asked");

  await signAsGuest(service, envelope.id, PAUL.email);
  const done = await read(envelope);
  expect([done.status, done.level, ...standing(done)]).toEqual([
    "completed",
    "B-LTA",
    "approved",
    "signed",
    "notified",
  ]);
  for (const { email } of [ELOISE, COPY])
    expect((await mailed(email))[0]).toMatch(/^Document signé par tous/);
  expect(await verifyChain(service.platform.db, envelope.id)).toMatchObject({ ok: true });
  await expectSoundFile(done);
});

async function expectSoundFile(envelope: Envelope): Promise<void> {
  const address = `${ENVELOPES}${envelope.id}/documents/${envelope.documents[0]?.id}/file/`;
  const folder = mkdtempSync(join(tmpdir(), "paraphe-circuit-"));
  try {
    writeFileSync(join(folder, "final.pdf"), (await owner.get(address)).bytes);
    const options = { cwd: folder, encoding: "utf8" } as const;
    const seen = execFileSync("pdfsig", ["-nocert", "final.pdf"], options);
    expect(seen.match(/Signature is Valid/g)).toHaveLength(1);
    execFileSync("qpdf", ["--check", "final.pdf"], options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it("a visa waits for its rank, needs a code, and is no signer's", async () => {
  const envelope = await send([
    { ...LEA, role: "visa", order: 1 },
    { ...VISA, order: 2 },
    { ...SIGNER, order: 3 },
  ]);
  const lea = await openMailedGuest(service, envelope.id, LEA.email);
  await expectRefusal(lea.post("visa/"), 403, "otp_required");
  await lea.confirm();
  expect((await lea.post("visa/")).status).toBe(200);
  await (await confirmed(envelope, ELOISE.email)).post("visa/");
  const paul = await confirmed(envelope, PAUL.email);
  await expectRefusal(paul.post("visa/"), 403, "other_act_asked");
});

it("a member gives a visa in their session, and early is told after whom", async () => {
  const eloise = await createMember(service.platform, { email: "visa@mairie.fr" });
  const browser = await signIn(service, eloise);
  const own = { email: "visa@mairie.fr", full_name: "Visa Membre", role: "visa", order: 2 };
  const envelope = await send([{ ...LEA, role: "visa", order: 1 }, own, { ...SIGNER, order: 3 }]);
  const address = `${ENVELOPES}${envelope.id}/visa/`;
  const early = await browser.post(address, {});
  expect(refusal(early)).toEqual([409, "not_your_turn"]);
  expect(early.body.detail).toContain("après le visa de Léa Petit");
  await (await confirmed(envelope, LEA.email)).post("visa/");
  await expectStatus(browser.post(address, {}), 200);
  expect(standing(await read(envelope))).toEqual(["approved", "approved", "notified"]);
});

it("two visas of one rank at once are both given, and the signer is invited once", async () => {
  const envelope = await send([VISA, { ...LEA, role: "visa", order: 1 }, SIGNER]);
  const both = [await confirmed(envelope, ELOISE.email), await confirmed(envelope, LEA.email)];
  const answers = await Promise.all(both.map((guest) => guest.post("visa/")));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(standing(await read(envelope))).toEqual(["approved", "approved", "notified"]);
  const invited = (await eventsOf(envelope)).filter(({ action }) => action === "recipient_invited");
  expect(invited).toHaveLength(3);
});

it("one visa pressed twice at once is given once", async () => {
  const envelope = await send();
  const eloise = await confirmed(envelope, ELOISE.email);
  const answers = await Promise.all([eloise.post("visa/"), eloise.post("visa/")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});
