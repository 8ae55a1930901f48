import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openConfirmedGuest, openGuest, openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { makePng } from "../../../testing/images.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";
import { mintRecipientToken } from "../envelopes/index.ts";
import { verifyChain } from "../audit/index.ts";

let test: TestApp;
let member: Member;
let owner: TestBrowser;

beforeAll(async () => {
  ({ test, member } = await openSenderApp());
});
afterAll(() => test.close());
beforeEach(async () => {
  owner = await signIn(test, member);
});
const confirmed = (envelope: Envelope, email: string) => openConfirmedGuest(test, envelope.id, email);
const body = (more: object = {}) => ({ ...TYPED, ...more });
const fileOf = async (envelope: Envelope) =>
  (await owner.get(`${ENVELOPES}${envelope.id}/documents/${envelope.documents[0]?.id}/file/`)).bytes;

describe("POST sign/", () => {
  it("takes two guests from sent to completed, each with a signature that other validators accept", async () => {
    const envelope = await createSent(owner);
    const original = await fileOf(envelope);
    const paul = await confirmed(envelope, PAUL.email);
    const eloise = await confirmed(envelope, ELOISE.email);
    const first = await paul.post(
      "sign/",
      body({
        signature: {
          kind: "drawn",
          strokes: [
            [
              [0, 0.2, 0.4],
              [0.5, 0.8, 0.9],
              [1.2, 0.3, 0.5],
            ],
          ],
        },
      }),
    );
    expect([first.status, first.body.status, first.body.progress]).toEqual([200, "pending", { signed: 1, total: 2, percent: 50 }]);
    const between = await fileOf(envelope);
    const second = await eloise.post(
      "sign/",
      body({ signature: { kind: "uploaded", image: `data:image/png;base64,${Buffer.from(makePng(300, 100)).toString("base64")}` } }),
    );
    expect([second.status, second.body.status, second.body.level]).toEqual([200, "completed", "B-LTA"]);
    const final = await fileOf(envelope);
    for (const earlier of [original, between]) expect(Buffer.compare(earlier, final.subarray(0, earlier.length))).toBe(0);

    const folder = mkdtempSync(join(tmpdir(), "paraphe-signed-"));
    try {
      writeFileSync(join(folder, "final.pdf"), final);
      const seen = execFileSync("pdfsig", ["-nocert", "final.pdf"], { cwd: folder, encoding: "utf8" });
      expect(seen.match(/Signature is Valid/g)).toHaveLength(2);
      execFileSync("qpdf", ["--check", "final.pdf"], { cwd: folder });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    expect(await verifyChain(test.platform.db, envelope.id)).toMatchObject({ ok: true });
    const kinds = await test.platform.db.selectFrom("notices").select("kind").where("envelope_id", "=", envelope.id).execute();
    expect(kinds.map((row) => row.kind)).toEqual(expect.arrayContaining(["signed", "completed"]));
  });

  it("signs every document of the envelope, an approver's invisibly", async () => {
    const files = [1, 2, 3].map((pages) => ({ name: `Annexe ${pages}.pdf`, bytes: makePdf({ pages }) }));
    const envelope = await createSent(owner, { files, recipients: [PAUL, { ...ELOISE, role: "approver" }] });
    await (await confirmed(envelope, PAUL.email)).post("sign/", TYPED);
    const last = await (await confirmed(envelope, ELOISE.email)).post("sign/", TYPED);
    expect([last.status, last.body.status]).toEqual([200, "completed"]);
    const { body: list } = await owner.get(`/api/signature/signatures/?envelope=${envelope.id}`);
    expect(list.count).toBe(6);
    expect(new Set(list.results.map((row: { document: string }) => row.document)).size).toBe(3);
    expect(list.results[0]).toMatchObject({ level: "B-LTA", signer_name: "Paul Morel", certificate: { subject: "Paul Morel" } });
    const serials = new Set(list.results.map((row: { certificate: { serial_number: string } }) => row.certificate.serial_number));
    expect(serials.size).toBe(2);
  });

  it("needs the code, in this browser", async () => {
    const envelope = await createSent(owner);
    const guest = await openMailedGuest(test, envelope.id, PAUL.email);
    expect(refusal(await guest.post("sign/", TYPED))).toEqual([403, "otp_required"]);
    await guest.confirm();
    const elsewhere = openGuest(test, { envelopeId: envelope.id, token: guest.token, email: PAUL.email });
    expect(refusal(await elsewhere.post("sign/", TYPED))).toEqual([403, "otp_required"]);
    test.platform.clock.advance({ minutes: 61 });
    expect(refusal(await guest.post("sign/", TYPED))).toEqual([403, "otp_required"]);
  });

  it("security line 40: refuses to sign documents that are not those that were read", async () => {
    const envelope = await createSent(owner);
    const guest = await confirmed(envelope, PAUL.email);
    const other = await test.platform.files.put(makePdf({ text: "Autre contrat" }));
    await test.platform.db
      .updateTable("document_revisions")
      .set({ blob_sha256: other })
      .where("document_id", "=", envelope.documents[0]?.id as string)
      .where("number", "=", 0)
      .execute();
    expect(refusal(await guest.post("sign/", TYPED))).toEqual([409, "documents_changed"]);
    expect((await guest.get("guest/")).body.otp.verified).toBe(false);
  });

  it("waits for one's turn in a sequential flow, then mails the next", async () => {
    const envelope = await createSent(owner, {
      flow: "sequential",
      recipients: [
        { ...PAUL, order: 1 },
        { ...ELOISE, order: 2 },
      ],
    });
    const second = envelope.recipients[1]?.id as string;
    const token = await test.platform.db.transaction().execute((trx) => mintRecipientToken(trx, test.platform, second));
    const early = openGuest(test, { envelopeId: envelope.id, token, email: ELOISE.email });
    expect((await early.get("guest/")).body.signs_before, "before the code nobody is named").toEqual({ count: 1, names: [] });
    await early.confirm();
    const waiting = (await early.get("guest/")).body;
    expect([waiting.recipient.status, waiting.signs_before]).toEqual(["waiting", { count: 1, names: [PAUL.full_name] }]);
    const refused = await early.post("sign/", TYPED);
    expect([...refusal(refused), refused.body.detail]).toEqual([
      409,
      "not_your_turn",
      `Ce n’est pas encore votre tour. Vous recevrez un message après la signature de ${PAUL.full_name}.`,
    ]);
    await (await confirmed(envelope, PAUL.email)).post("sign/", TYPED);
    expect((await openMailedGuest(test, envelope.id, ELOISE.email)).token).not.toBe(token);
    expect((await early.get("guest/")).body.signs_before).toBeUndefined();
    expect((await early.post("sign/", TYPED)).body.status).toBe("completed");
  });

  it("tells a sender who signs last whose signature comes before", async () => {
    const own = { email: member.email, full_name: "Camille Roux", order: 3 };
    const envelope = await createSent(owner, { flow: "sequential", recipients: [own, { ...ELOISE, order: 2 }, { ...PAUL, order: 1 }] });
    const page = await owner.get(`${ENVELOPES}${envelope.id}/sign-page/`);
    expect([...refusal(page), page.body.detail]).toEqual([
      409,
      "not_your_turn",
      `Ce n’est pas encore votre tour. Vous recevrez un message après les signatures de ${PAUL.full_name} et d’${ELOISE.full_name}.`,
    ]);
  });

  it("tells a signed-in recipient that it is not their turn yet; a stranger, and the recipient of a cancelled one, learn nothing", async () => {
    const later = await createMember(test.platform);
    const [laterClient, strangerClient] = [await signIn(test, later), await signIn(test, await createMember(test.platform))];
    const recipients = [
      { ...PAUL, order: 1 },
      { email: later.email, full_name: "Noé Petit", order: 2 },
    ];
    const envelope = await createSent(owner, { flow: "sequential", recipients });
    const page = await laterClient.get(`${ENVELOPES}${envelope.id}/sign-page/`);
    expect([...refusal(page), page.body.detail]).toEqual([
      409,
      "not_your_turn",
      `Ce n’est pas encore votre tour. Vous recevrez un message après la signature de ${PAUL.full_name}.`,
    ]);
    expect(refusal(await laterClient.post(`${ENVELOPES}${envelope.id}/sign_authenticated/`, TYPED))).toEqual([409, "not_your_turn"]);
    expect(refusal(await laterClient.get(`${ENVELOPES}${envelope.id}/`))).toEqual([404, "not_found"]);
    expect(refusal(await strangerClient.get(`${ENVELOPES}${envelope.id}/sign-page/`))).toEqual([404, "not_found"]);
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`, {});
    expect(refusal(await laterClient.get(`${ENVELOPES}${envelope.id}/sign-page/`))).toEqual([404, "not_found"]);
  });

  it("refuses a second signature, and a signature of who only gets a copy", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL, { ...ELOISE, role: "viewer" }] });
    const paul = await confirmed(envelope, PAUL.email);
    await paul.post("sign/", TYPED);
    const again = await paul.post("sign/", TYPED);
    expect([...refusal(again), again.body.detail]).toEqual([409, "already_signed", "Vous avez déjà signé ce document."]);
    const viewer = envelope.recipients[1]?.id as string;
    const token = await test.platform.db.transaction().execute((trx) => mintRecipientToken(trx, test.platform, viewer));
    const copy = openGuest(test, { envelopeId: envelope.id, token, email: ELOISE.email });
    await copy.confirm();
    expect(refusal(await copy.post("sign/", TYPED))).toEqual([403, "viewer_cannot_sign"]);
  });

  it("answers again what it answered when the same request is sent again with its key", async () => {
    const envelope = await createSent(owner);
    const guest = await confirmed(envelope, PAUL.email);
    const key = { "idempotency-key": `sign-${envelope.id}` };
    const first = await guest.post("sign/", TYPED, key);
    const second = await guest.post("sign/", TYPED, key);
    expect([second.status, second.text]).toEqual([200, first.text]);
  });

  it("does not serve the owner's cookies: the session signs nothing here", async () => {
    const envelope = await createSent(owner);
    expect((await owner.post(`${ENVELOPES}${envelope.id}/sign/`, TYPED)).status).toBe(404);
  });
});

describe("GET signatures/", () => {
  it("shows an envelope's signatures to those who see it, and to nobody else", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL] });
    await (await confirmed(envelope, PAUL.email)).post("sign/", TYPED);
    const stranger = await signIn(test, await createMember(test.platform));
    const url = `/api/signature/signatures/?envelope=${envelope.id}`;
    expect((await owner.get(url)).body.count).toBe(1);
    expect((await stranger.get(url)).status).toBe(404);
    expect((await openBrowser(test.app).get(url)).status).toBe(401);
    expect((await owner.get("/api/signature/signatures/")).status).toBe(400);
    expect(JSON.stringify(await mailFor(test.platform, PAUL.email))).not.toContain("undefined");
  });
});
