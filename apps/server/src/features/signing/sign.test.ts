import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Envelope } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { expectRefusal, expectStatus } from "../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  createSent,
  ELOISE,
  ENVELOPES,
  PAUL,
  createDraft,
  mintRecipientTokens,
} from "../../../testing/envelope.ts";
import {
  openConfirmedGuest,
  openGuest,
  openMailedGuest,
  signAsGuest,
  type TestGuest,
  TYPED,
} from "../../../testing/guest.ts";
import { makePng } from "../../../testing/images.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn, openMember } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";
import { openSoftHsm, SOFT_HSM_MISSING, type SoftHsm } from "../../../testing/soft-hsm.ts";
import { type Hsm, HsmUnavailableError, openHsm } from "../../platform/hsm/hsm.ts";
import {
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  lockEnvelope,
} from "../envelopes/public.ts";
import { verifyChain } from "../journal/journal.ts";
import { createTrust } from "../trust/public.ts";
import { certifyHsm } from "../trust/create-trust.ts";
import { setTimeout } from "node:timers/promises";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { recordConsent } from "./sign-envelope.ts";
import { findAct } from "./seal/store.ts";

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

const confirmed = (envelope: Envelope, email: string) =>
  openConfirmedGuest(service, envelope.id, email);
const body = (more: object = {}) => ({ ...TYPED, ...more });
const fileOf = async (envelope: Envelope) =>
  (await owner.get(`${ENVELOPES}${envelope.id}/documents/${envelope.documents[0]?.id}/file/`))
    .bytes;

it("two guests complete an envelope with signatures that other validators accept", async () => {
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
  expect([first.status, first.body.status, first.body.progress]).toEqual([
    200,
    "pending",
    { signed: 1, total: 2, percent: 50 },
  ]);
  const between = await fileOf(envelope);
  const second = await eloise.post(
    "sign/",
    body({
      signature: {
        kind: "uploaded",
        image: `data:image/png;base64,${Buffer.from(makePng(300, 100)).toString("base64")}`,
      },
    }),
  );
  expect([second.status, second.body.status, second.body.level]).toEqual([
    200,
    "completed",
    "B-LTA",
  ]);
  const final = await fileOf(envelope);
  for (const earlier of [original, between])
    expect(Buffer.compare(earlier, final.subarray(0, earlier.length))).toBe(0);

  const folder = mkdtempSync(join(tmpdir(), "paraphe-signed-"));
  try {
    writeFileSync(join(folder, "final.pdf"), final);
    const seen = execFileSync("pdfsig", ["-nocert", "final.pdf"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(seen.match(/Signature is Valid/g)).toHaveLength(2);
    execFileSync("qpdf", ["--check", "final.pdf"], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  expect(await verifyChain(service.platform.db, envelope.id)).toMatchObject({ ok: true });
  const kinds = await service.platform.db
    .selectFrom("notices")
    .select("kind")
    .where("envelope_id", "=", envelope.id)
    .execute();
  expect(kinds.map((row) => row.kind)).toEqual(expect.arrayContaining(["signed", "completed"]));
});

it("every document of an envelope is signed, an approver's invisibly", async () => {
  const files = [1, 2, 3].map((pages) => ({
    name: `Annexe ${pages}.pdf`,
    bytes: makePdf({ pages }),
  }));
  const envelope = await createSent(owner, {
    files,
    recipients: [PAUL, { ...ELOISE, role: "approver" }],
  });
  await (await confirmed(envelope, PAUL.email)).post("sign/", TYPED);
  const last = await (await confirmed(envelope, ELOISE.email)).post("sign/", TYPED);
  expect([last.status, last.body.status]).toEqual([200, "completed"]);
  const { body: list } = await owner.get(`/api/signature/signatures/?envelope=${envelope.id}`);
  expect(list.count).toBe(6);
  expect(new Set(list.results.map((row: { document: string }) => row.document)).size).toBe(3);
  expect(list.results[0]).toMatchObject({
    level: "B-LTA",
    signer_name: "Paul Morel",
    certificate: { subject: "Paul Morel" },
  });
  const serials = new Set(
    list.results.map(
      (row: { certificate: { serial_number: string } }) => row.certificate.serial_number,
    ),
  );
  expect(serials.size).toBe(2);
});

it("a signature needs the code, in this browser", async () => {
  const envelope = await createSent(owner);
  const guest = await openMailedGuest(service, envelope.id, PAUL.email);
  await expectRefusal(guest.post("sign/", TYPED), 403, "otp_required");
  await guest.confirm();
  const elsewhere = openGuest(service, {
    envelopeId: envelope.id,
    token: guest.token,
    email: PAUL.email,
  });
  await expectRefusal(elsewhere.post("sign/", TYPED), 403, "otp_required");
  service.platform.clock.advance({ minutes: 61 });
  await expectRefusal(guest.post("sign/", TYPED), 403, "otp_required");
});

it("security line 40: documents other than those read are not signed", async () => {
  const envelope = await createSent(owner);
  const guest = await confirmed(envelope, PAUL.email);
  const other = await service.platform.files.put(makePdf({ text: "Autre contrat" }));
  await service.platform.db
    .updateTable("document_revisions")
    .set({ blob_sha256: other })
    .where("document_id", "=", envelope.documents[0]?.id as string)
    .where("number", "=", 0)
    .execute();
  await expectRefusal(guest.post("sign/", TYPED), 409, "documents_changed");
  expect((await guest.get("guest/")).body.otp.verified).toBe(false);
});

it("a sequential signer waits for their turn, then the next one is mailed", async () => {
  const envelope = await createSent(owner, {
    flow: "sequential",
    recipients: [
      { ...PAUL, order: 1 },
      { ...ELOISE, order: 2 },
    ],
  });
  const second = envelope.recipients[1]?.id as string;
  const [token = ""] = await service.platform.db
    .transaction()
    .execute((trx) => mintRecipientTokens(trx, service.platform, [second]));
  const early = openGuest(service, { envelopeId: envelope.id, token, email: ELOISE.email });
  expect((await early.get("guest/")).body.signs_before, "before the code nobody is named").toEqual({
    count: 1,
    names: [],
  });
  await early.confirm();
  const waiting = (await early.get("guest/")).body;
  expect([waiting.recipient.status, waiting.signs_before]).toEqual([
    "waiting",
    { count: 1, names: [PAUL.full_name] },
  ]);
  const refused = await early.post("sign/", TYPED);
  expect([...refusal(refused), refused.body.detail]).toEqual([
    409,
    "not_your_turn",
    `Ce n’est pas encore votre tour. Vous pourrez répondre après la signature de ${PAUL.full_name}.`,
  ]);
  await (await confirmed(envelope, PAUL.email)).post("sign/", TYPED);
  expect((await openMailedGuest(service, envelope.id, ELOISE.email)).token).not.toBe(token);
  expect((await early.get("guest/")).body.signs_before).toBeUndefined();
  expect((await early.post("sign/", TYPED)).body.status).toBe("completed");
});

it("a sender who signs last reads whose signature comes before", async () => {
  const own = { email: member.email, full_name: "Camille Roux", order: 3 };
  const envelope = await createSent(owner, {
    flow: "sequential",
    recipients: [own, { ...ELOISE, order: 2 }, { ...PAUL, order: 1 }],
  });
  const page = await owner.get(`${ENVELOPES}${envelope.id}/sign-page/`);
  expect([...refusal(page), page.body.detail]).toEqual([
    409,
    "not_your_turn",
    `Ce n’est pas encore votre tour. Vous pourrez répondre après les signatures de ${PAUL.full_name} et d’${ELOISE.full_name}.`,
  ]);
});

it("a later recipient reads that they must wait, others learn nothing", async () => {
  const later = await createMember(service.platform);
  const [laterClient, strangerClient] = [await signIn(service, later), await openMember(service)];
  const recipients = [
    { ...PAUL, order: 1 },
    { email: later.email, full_name: "Noé Petit", order: 2 },
  ];
  const envelope = await createSent(owner, { flow: "sequential", recipients });
  const page = await laterClient.get(`${ENVELOPES}${envelope.id}/sign-page/`);
  expect([...refusal(page), page.body.detail]).toEqual([
    409,
    "not_your_turn",
    `Ce n’est pas encore votre tour. Vous pourrez répondre après la signature de ${PAUL.full_name}.`,
  ]);
  await expectRefusal(
    laterClient.post(`${ENVELOPES}${envelope.id}/sign_authenticated/`, TYPED),
    409,
    "not_your_turn",
  );
  await expectRefusal(laterClient.get(`${ENVELOPES}${envelope.id}/`), 404, "not_found");
  await expectRefusal(
    strangerClient.get(`${ENVELOPES}${envelope.id}/sign-page/`),
    404,
    "not_found",
  );
  await owner.post(`${ENVELOPES}${envelope.id}/cancel/`, {});
  await expectRefusal(laterClient.get(`${ENVELOPES}${envelope.id}/sign-page/`), 404, "not_found");
});

it("a second signature, and a viewer's, is refused", async () => {
  const envelope = await createSent(owner, {
    recipients: [PAUL, { ...ELOISE, role: "viewer" }],
  });
  const paul = await confirmed(envelope, PAUL.email);
  await paul.post("sign/", TYPED);
  const again = await paul.post("sign/", TYPED);
  expect([...refusal(again), again.body.detail]).toEqual([
    409,
    "already_signed",
    "Vous avez déjà signé ce document.",
  ]);
  const viewer = envelope.recipients[1]?.id as string;
  const [token = ""] = await service.platform.db
    .transaction()
    .execute((trx) => mintRecipientTokens(trx, service.platform, [viewer]));
  const copy = openGuest(service, { envelopeId: envelope.id, token, email: ELOISE.email });
  await copy.confirm();
  await expectRefusal(copy.post("sign/", TYPED), 403, "viewer_cannot_sign");
});

it("one of several simultaneous signatures is taken, the same joins it, others are refused", async () => {
  const envelope = await createSent(owner, { recipients: [PAUL] });
  const guest = await confirmed(envelope, PAUL.email);
  const bodies = Array.from({ length: 8 }, (_, index) => `Paul Morel ${index}`).map((text) =>
    body({ signature: { kind: "typed", text, font: "caveat" } }),
  );
  const sent = Array.from({ length: 24 }, (_, index) => index % bodies.length);
  const answers = await Promise.all(
    sent.map(async (which) => ({ which, answer: await guest.post("sign/", bodies[which]) })),
  );
  const taken = answers.filter(({ answer }) => answer.status === 200);
  expect(new Set(taken.map(({ which }) => which)).size).toBe(1);
  const others = answers.filter(({ answer }) => answer.status !== 200);
  expect([taken.length, others.length]).toEqual([3, 21]);
  expect(new Set(others.map(({ answer }) => refusal(answer).join(" ")))).toEqual(
    new Set(["409 already_signed"]),
  );
});

it("a repeated key gives the first answer", async () => {
  const envelope = await createSent(owner);
  const guest = await confirmed(envelope, PAUL.email);
  const key = { "idempotency-key": `sign-${envelope.id}` };
  const first = await guest.post("sign/", TYPED, key);
  const second = await guest.post("sign/", TYPED, key);
  expect([second.status, second.text]).toEqual([200, first.text]);
});

it("the owner's session signs nothing as a guest", async () => {
  const envelope = await createSent(owner);
  await expectStatus(owner.post(`${ENVELOPES}${envelope.id}/sign/`, TYPED), 404);
});

it("an envelope's signatures are listed to those who see it", async () => {
  const envelope = await createSent(owner, { recipients: [PAUL] });
  await (await confirmed(envelope, PAUL.email)).post("sign/", TYPED);
  const stranger = await openMember(service);
  const url = `/api/signature/signatures/?envelope=${envelope.id}`;
  expect((await owner.get(url)).body.count).toBe(1);
  await expectStatus(stranger.get(url), 404);
  await expectStatus(openBrowser(service.app).get(url), 401);
  await expectStatus(owner.get("/api/signature/signatures/"), 400);
  expect(JSON.stringify(await mailFor(service.platform, PAUL.email))).not.toContain("undefined");
});

/** Gives the current bytes of an envelope's first document. */
async function currentFile(envelope: Envelope): Promise<Uint8Array> {
  const { blob_sha256 } = await service.platform.db
    .selectFrom("document_revisions")
    .select("blob_sha256")
    .where("document_id", "=", envelope.documents[0]?.id as string)
    .orderBy("number", "desc")
    .executeTakeFirstOrThrow();
  return service.platform.files.get(blob_sha256);
}

it("a file signed before says so, keeps its signatures, and changes only by signing", async () => {
  const first = await createSent(owner, { recipients: [PAUL] });
  await signAsGuest(service, first.id, PAUL.email);
  expect((await owner.get(`${ENVELOPES}${first.id}/`)).body.status).toBe("completed");
  const signedBefore = await currentFile(first);

  const second = await createSent(owner, {
    recipients: [PAUL],
    files: [{ name: "Bail signé.pdf", bytes: signedBefore }],
  });
  const guest = await openMailedGuest(service, second.id, PAUL.email);
  expect(
    (await guest.get("guest/")).body.documents,
    "nothing of the documents before the code",
  ).toBeUndefined();
  await guest.confirm();
  const { documents } = (await guest.get("guest/")).body;
  expect(documents[0].control.findings).toEqual([
    {
      code: "existing_signatures",
      detail:
        "Ce PDF porte déjà une signature, qui n’a pas été altérée. Elle est conservée. Les textes et les paraphes sont imprimés avec chaque nouvelle signature.",
    },
  ]);

  expect([200, 202]).toContain((await guest.post("sign/", TYPED)).status);
  await expect
    .poll(async () => (await guest.get("guest/")).body.recipient.signed, { timeout: 15_000 })
    .toBe(true);
  await service.settle();
  const signedAfter = await currentFile(second);
  expect(Buffer.compare(signedAfter.subarray(0, signedBefore.length), signedBefore)).toBe(0);
  const { signatures } = await service.platform.sandbox.call("validate", signedAfter, {
    evidence: { trustAnchors: { signers: [], timestamps: [] } },
    now: service.platform.clock(),
  });
  expect(signatures.map(({ kind, laterChanges }) => [kind, laterChanges])).toEqual([
    ["signature", "signing"],
    ["document_timestamp", "signing"],
    ["signature", "lta"],
    ["document_timestamp", "none"],
  ]);
});

describe.skipIf(SOFT_HSM_MISSING !== null)(
  "POST hsm_sign/ with the organisation's key in a token",
  () => {
    let token: SoftHsm;
    let hsm: Hsm;
    let service: TestApp;
    let owner: TestBrowser;

    beforeAll(async () => {
      token = await openSoftHsm();
      hsm = await openHsm(token.settings);
      service = await createTestApp({ settings: { rateLimits: "off" }, platform: { hsm } });
      owner = await openMember(service);
    });
    afterEach(() => vi.restoreAllMocks());
    afterAll(async () => {
      await service.close();
      hsm.close();
      await token.close();
    });

    const send = async (
      recipients: readonly { readonly email: string }[],
    ): Promise<{ envelope: Envelope; guests: TestGuest[] }> => {
      const envelope = await createSent(owner, { recipients });
      const guests = [];
      for (const { email } of recipients) {
        const guest = await openConfirmedGuest(service, envelope.id, email);
        guests.push(guest);
      }
      return { envelope, guests };
    };
    const actsOf = (envelope: Envelope) =>
      service.platform.db
        .selectFrom("signing_acts")
        .selectAll()
        .where("envelope_id", "=", envelope.id)
        .execute();

    it("the organisation's key signs for several people, whom the proof names", async () => {
      const { envelope, guests } = await send([PAUL, ELOISE]);
      for (const guest of guests) await expectStatus(guest.post("hsm_sign/", TYPED), 200);
      expect((await owner.get(`${ENVELOPES}${envelope.id}/`)).body).toMatchObject({
        status: "completed",
        level: "B-LTA",
      });
      expect((await actsOf(envelope)).map(({ method }) => method)).toEqual(["hsm", "hsm"]);
      const rows = await service.platform.db
        .selectFrom("signatures")
        .selectAll()
        .where("envelope_id", "=", envelope.id)
        .execute();
      const certificates = rows.map(({ certificate_der }) => parseCertificate(certificate_der));
      expect(certificates.map(({ subject }) => subject.commonName)).toEqual([
        "Paraphe Cachet HSM",
        "Paraphe Cachet HSM",
      ]);
      expect(
        Buffer.from(hsm.subjectPublicKey).equals(
          certificates[0]?.subjectPublicKey ?? new Uint8Array(),
        ),
      ).toBe(true);
      const print = (
        await owner.post("/api/signature/prints/generate/", {
          envelope: envelope.id,
          qr_type: "page",
        })
      ).body;
      const { pathname, search } = new URL(print.verify_url);
      const proof = (
        await openBrowser(service.app).get(
          `/api/signature/prints/${pathname.split("/").at(-1)}/verify/${search}`,
        )
      ).body;
      expect([
        proof.verdict,
        proof.level,
        proof.signers.map((signer: { full_name: string; signed: boolean }) => [
          signer.full_name,
          signer.signed,
        ]),
      ]).toEqual([
        "valid",
        "B-LTA",
        [
          ["Paul Morel", true],
          ["Éloïse Lefèvre", true],
        ],
      ]);
    });

    it("the organisation's key mixes with one-time keys", async () => {
      const { envelope, guests } = await send([PAUL, ELOISE]);
      expect((await guests[0]?.post("sign/", TYPED))?.status).toBe(200);
      expect((await guests[1]?.post("hsm_sign/", TYPED))?.status).toBe(200);
      expect((await owner.get(`${ENVELOPES}${envelope.id}/`)).body).toMatchObject({
        status: "completed",
        level: "B-LTA",
      });
    });

    it("the organisation's key is offered to signed-in signers", async () => {
      const member = await createMember(service.platform);
      const { id } = await createSent(owner, {
        recipients: [{ email: member.email, full_name: "Camille Roux" }],
      });
      const page = await (await signIn(service, member)).get(`${ENVELOPES}${id}/sign-page/`);
      expect([page.status, page.body.hsm]).toEqual([200, true]);
    });

    it("a saved signature serves with the organisation's key, with consent, and not for guests", async () => {
      const member = await createMember(service.platform);
      const signer = await signIn(service, member);
      const kept = await signer.post("/api/signature/saved-signatures/", {
        kind: "typed",
        text: "Paul Morel",
        font: "caveat",
      });
      const envelope = await createSent(owner, {
        recipients: [{ email: member.email, full_name: "Paul Morel" }, PAUL],
      });
      const signature = { kind: "saved", saved_signature_id: kept.body.id };
      const sign = (more: object) =>
        signer.post(`${ENVELOPES}${envelope.id}/hsm_sign/`, { fields: [], signature, ...more });
      await expectStatus(sign({}), 400);
      await expectStatus(sign({ consent: true }), 200);
      const guest = await openConfirmedGuest(service, envelope.id, PAUL.email);
      const asked = { fields: [], signature, consent: true };
      for (const call of ["sign/", "hsm_sign/"])
        expect((await guest.post(call, asked)).body.code).toBe("not_found");
    });

    it("hsm_sign/ answers 503 while the token is away, and records nothing", async () => {
      const { envelope, guests } = await send([PAUL]);
      vi.spyOn(hsm, "isReady").mockResolvedValue(false);
      const answer = await guests[0]?.post("hsm_sign/", TYPED);
      expect([answer?.status, answer?.body.code, answer?.body.detail]).toEqual([
        503,
        "hsm_unavailable",
        "Impossible de signer via HSM",
      ]);
      expect(await actsOf(envelope)).toEqual([]);
    });

    it("a token lost while signing keeps the consent, sealed later", async () => {
      const { envelope, guests } = await send([PAUL]);
      vi.spyOn(hsm, "sign").mockRejectedValueOnce(new HsmUnavailableError("away"));
      expect((await guests[0]?.post("hsm_sign/", TYPED))?.status).toBe(202);
      expect((await actsOf(envelope)).map(({ last_failure }) => last_failure)).toEqual([
        "HsmUnavailableError",
      ]);
      // The first request waits: the same joins it, anything else is refused, with another key too.
      vi.spyOn(hsm, "sign").mockRejectedValueOnce(new HsmUnavailableError("away"));
      expect((await guests[0]?.post("hsm_sign/", TYPED))?.status).toBe(202);
      const another = { ...TYPED, signature: { ...TYPED.signature, text: "P. Morel" } };
      for (const [call, sent] of [
        ["hsm_sign/", another],
        ["sign/", TYPED],
      ] as const)
        expect((await guests[0]?.post(call, sent))?.body.code).toBe("already_signed");
      await service.settle({ deferred: "run" });
      expect((await owner.get(`${ENVELOPES}${envelope.id}/`)).body).toMatchObject({
        status: "completed",
        level: "B-LTA",
      });
    });

    it("hsm_sign/ needs the code and a signer", async () => {
      const envelope = await createSent(owner, { recipients: [PAUL] });
      const guest = await openMailedGuest(service, envelope.id, PAUL.email);
      expect((await guest.post("hsm_sign/", TYPED)).body.code).toBe("otp_required");
      expect((await owner.post(`${ENVELOPES}${envelope.id}/hsm_sign/`, TYPED)).body.code).toBe(
        "not_a_signer",
      );
    });

    it("the organisation's certificate stays between starts, and follows its key", async () => {
      const [first, again] = [
        await certifyHsm(service.platform, hsm),
        await certifyHsm(service.platform, hsm),
      ];
      expect(again.certificateDer).toEqual(first.certificateDer);
      const { subjectPublicKey } = parseCertificate(first.certificateDer);
      const other = await certifyHsm(service.platform, {
        ...hsm,
        subjectPublicKey: await otherKey(),
      });
      expect(parseCertificate(other.certificateDer).subject.commonName).toBe(
        "Paraphe Cachet HSM G2",
      );
      expect(parseCertificate(other.certificateDer).subjectPublicKey).not.toEqual(subjectPublicKey);
      const { certificates = [] } = await (await createTrust(service.platform)).evidence();
      expect(certificates.map((der) => Buffer.from(der).toString("hex"))).toContain(
        Buffer.from(first.certificateDer).toString("hex"),
      );
    });
  },
);

async function otherKey(): Promise<Uint8Array> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  return new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
}

describe("a signed-in signer", () => {
  let signer: Member;
  let browser: TestBrowser;
  let envelope: Envelope;
  beforeEach(async () => {
    signer = await createMember(service.platform, { firstName: "Éloïse", lastName: "Lefèvre" });
    browser = await signIn(service, signer);
    envelope = await createSent(owner, {
      recipients: [{ email: signer.email.toUpperCase(), full_name: "Éloïse Lefèvre" }, PAUL],
    });
  });
  const call = (path: string) => `${ENVELOPES}${envelope.id}/${path}`;

  it("a sign page takes one read-only call, and its first view is recorded once", async () => {
    const { status, body: page } = await browser.get(call("sign-page/"));
    expect([
      status,
      page.recipient.email,
      page.documents.length,
      page.fields.filter((field: { own: boolean }) => field.own).length,
    ]).toEqual([200, signer.email.toUpperCase(), 1, 1]);
    const views = () =>
      service.platform.db
        .selectFrom("audit_events")
        .select("sequence")
        .where("envelope_id", "=", envelope.id)
        .where("action", "=", "recipient_viewed")
        .execute();
    expect(await views()).toEqual([]);
    const shown = [await browser.post(call("view/")), await browser.post(call("view/"))];
    expect([...shown.map((answer) => answer.status), (await views()).length]).toEqual([
      204, 204, 1,
    ]);
    expect((await browser.get(call("sign-page/"))).body.recipient.status).toBe("viewed");
  });

  it("a signed-in signer signs by session alone", async () => {
    const answer = await browser.post(call("sign_authenticated/"), TYPED);
    expect([answer.status, answer.body.status, answer.body.recipients[0].signed]).toEqual([
      200,
      "pending",
      true,
    ]);
    await expectRefusal(browser.post(call("sign_authenticated/"), TYPED), 409, "already_signed");
    const act = await service.platform.db
      .selectFrom("signing_acts")
      .selectAll()
      .where("envelope_id", "=", envelope.id)
      .executeTakeFirstOrThrow();
    expect([act.method, act.user_id]).toEqual(["authenticated", signer.id]);
  });

  it("a signed-in signer declines by session alone", async () => {
    expect((await browser.post(call("decline/"), { reason: "Désaccord" })).body.status).toBe(
      "declined",
    );
    await expectRefusal(browser.post(call("sign_authenticated/"), TYPED), 409, "invalid_state");
  });

  it("hsm_sign/ answers 503 to a signed-in signer", async () => {
    await expectRefusal(browser.post(call("hsm_sign/"), TYPED), 503, "hsm_unavailable");
  });

  it.each(["sign-page/", "view/", "sign_authenticated/", "hsm_sign/", "decline/"])(
    "security line 42: %s answers 404 to others, 401 without session, 403 to the sender, before the body is read",
    async (path) => {
      const stranger = await openMember(service);
      const ask = (who: TestBrowser) =>
        path === "sign-page/" ? who.get(call(path)) : who.post(call(path), { nonsense: true });
      await expectRefusal(ask(stranger), 404, "not_found");
      await expectRefusal(ask(openBrowser(service.app)), 401, "session_expired");
      await expectRefusal(ask(owner), 403, "not_a_signer");
    },
  );

  it("a signed-in signer learns nothing of drafts and cancelled envelopes", async () => {
    const draft = await createDraft(owner, {
      recipients: [{ email: signer.email, full_name: "Éloïse Lefèvre" }],
    });
    await expectStatus(browser.get(`${ENVELOPES}${draft.id}/sign-page/`), 404);
    await owner.post(call("cancel/"));
    await expectStatus(browser.post(call("sign_authenticated/"), TYPED), 404);
  });

  it("security line 42: a sender who is a signer signs as themselves", async () => {
    const self = await createSent(owner, {
      recipients: [{ email: member.email, full_name: "Camille Roux" }],
    });
    const answer = await owner.post(`${ENVELOPES}${self.id}/sign_authenticated/`, TYPED);
    expect([answer.status, answer.body.status]).toEqual([200, "completed"]);
  });
});

describe("somebody whose address stands for two people", () => {
  let signer: Member;
  let browser: TestBrowser;

  beforeEach(async () => {
    signer = await createMember(service.platform, { firstName: "Éloïse", lastName: "Lefèvre" });
    browser = await signIn(service, signer);
  });

  /**
   * One address stands for two people, herself and the company she runs; with an order, somebody
   * else comes between them.
   */
  const send = (flow: "parallel" | "sequential") =>
    createSent(owner, {
      flow,
      recipients: [
        { email: signer.email, full_name: "Éloïse Lefèvre", order: 1 },
        ...(flow === "sequential" ? [{ ...PAUL, order: 2 }] : []),
        { email: signer.email, full_name: "Ateliers Lefèvre", order: 3 },
      ],
    });
  const call = ({ id }: Envelope, path: string) => `${ENVELOPES}${id}/${path}`;
  const signed = async (envelope: Envelope) =>
    ((await owner.get(call(envelope, ""))).body as Envelope).recipients.map((recipient) => [
      recipient.full_name,
      recipient.signed,
    ]);

  it("an address of two recipients signs once for each, and never with the other's page", async () => {
    const envelope = await send("parallel");
    const first = (await browser.get(call(envelope, "sign-page/"))).body.recipient;
    expect(first.full_name).toBe("Éloïse Lefèvre");
    const body = { ...TYPED, recipient_id: first.id };
    await expectStatus(browser.post(call(envelope, "sign_authenticated/"), body), 200);
    await expectRefusal(
      browser.post(call(envelope, "sign_authenticated/"), body),
      409,
      "already_signed",
    );
    expect(await signed(envelope)).toEqual([
      ["Éloïse Lefèvre", true],
      ["Ateliers Lefèvre", false],
    ]);
    expect(
      (await browser.get(call(envelope, `sign-page/?recipient=${first.id}`))).body.recipient,
    ).toMatchObject({
      full_name: "Éloïse Lefèvre",
      signed: true,
    });
    const second = (await browser.get(call(envelope, "sign-page/"))).body.recipient;
    expect(second).toMatchObject({ full_name: "Ateliers Lefèvre", signed: false });
    expect(
      (
        await browser.post(call(envelope, "sign_authenticated/"), {
          ...TYPED,
          recipient_id: second.id,
        })
      ).body.status,
    ).toBe("completed");
  });

  it("two simultaneous requests of one address sign for one recipient", async () => {
    const envelope = await send("parallel");
    const path = call(envelope, "sign_authenticated/");
    const first = envelope.recipients[0]?.id;
    await Promise.all([1, 2].map(() => browser.post(path, { ...TYPED, recipient_id: first })));
    expect((await signed(envelope)).filter(([, isSigned]) => isSigned)).toHaveLength(1);
  });

  it("an address of two recipients waits for its second turn, and still reads the first page", async () => {
    const envelope = await send("sequential");
    const first = envelope.recipients[0]?.id;
    await browser.post(call(envelope, "sign_authenticated/"), { ...TYPED, recipient_id: first });
    const page = await browser.get(call(envelope, "sign-page/"));
    expect([...refusal(page), page.body.detail]).toEqual([
      409,
      "not_your_turn",
      `Ce n’est pas encore votre tour. Vous pourrez répondre après la signature de ${PAUL.full_name}.`,
    ]);
    expect(
      (await browser.get(call(envelope, `sign-page/?recipient=${first}`))).body.recipient.signed,
    ).toBe(true);
    const later = envelope.recipients[2]?.id;
    await expectRefusal(
      browser.get(call(envelope, `sign-page/?recipient=${later}`)),
      404,
      "not_found",
    );
    const stranger = await openMember(service);
    await expectRefusal(
      stranger.get(call(envelope, `sign-page/?recipient=${first}`)),
      404,
      "not_found",
    );
  });
});

describe("cancelling against signing", () => {
  /** Four times fifty: two hundred short races. */
  const RACES = 50;
  const CLIENT = { ip: "192.0.2.1", userAgent: "test" };
  const MARK = { kind: "typed", text: "Paul Morel", hand: "caveat" } as const;
  let envelope: Envelope;

  beforeAll(async () => {
    envelope = await createSent(await signIn(service, member), { recipients: [PAUL] });
  });

  /** Every way of signing ends here: the consent and its act, under the envelope's lock. */
  async function consent(): Promise<string> {
    const { platform } = service;
    const result = await inTransaction(platform.db, async (trx) => {
      const aggregate = (await lockEnvelope(trx, envelope.id)) as EnvelopeAggregate;
      const recipient = aggregate.recipients[0] as EnvelopeRecipient;
      return recordConsent(
        trx,
        { platform },
        {
          aggregate,
          recipient,
          read: null,
          act: await findAct(trx, recipient.id),
          body: {
            fields: [],
            signature: { kind: "typed", text: "Paul Morel", font: "caveat" },
            consent: true,
          },
          mark: MARK,
          initials: null,
          evidence: { mark: "typed" },
          readDocumentsSha256: null,
          reached: { account_address: "confirmed" },
          method: "guest",
          userId: null,
          actor: { kind: "recipient", id: recipient.id, name: recipient.fullName, ...CLIENT },
          client: CLIENT,
        },
      );
    });
    return result.ok ? "consented" : result.error.code;
  }

  async function cancel(): Promise<string> {
    const answer = await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    return answer.status === 200 ? "cancelled" : answer.body.code;
  }

  /** Gives the envelope's state, and the act that waits, if any. */
  async function standing(): Promise<{ status: string; act: string | null }> {
    return service.platform.db
      .selectFrom("envelopes")
      .leftJoin("signing_acts", "signing_acts.envelope_id", "envelopes.id")
      .select(["envelopes.status", "signing_acts.id as act"])
      .where("envelopes.id", "=", envelope.id)
      .executeTakeFirstOrThrow();
  }

  /**
   * Returns to the start of the race by the service's own ways: a restored envelope waits again,
   * and a withdrawn consent may be given again.
   */
  async function begin(winner: "consented" | "cancelled"): Promise<void> {
    if (winner === "cancelled")
      await expectStatus(owner.post(`${ENVELOPES}${envelope.id}/restore/`), 200);
    else
      await service.platform.db
        .deleteFrom("signing_acts")
        .where("envelope_id", "=", envelope.id)
        .execute();
  }

  it.each([1, 2, 3, 4])(
    "cancelling against signing has one winner: fifty races, part %i of 4",
    async () => {
      const wins = { consented: 0, cancelled: 0 };
      // The loser gets a head start in the next race, so that neither always wins.
      let startMs = 0;
      for (let race = 0; race < RACES; race++) {
        const outcomes = new Set(
          await Promise.all([
            setTimeout(Math.max(0, startMs)).then(consent),
            setTimeout(Math.max(0, -startMs)).then(cancel),
          ]),
        );
        const { status, act } = await standing();
        if (outcomes.has("consented")) {
          expect([[...outcomes].toSorted(), act !== null, status]).toEqual([
            ["consented", "signature_in_progress"],
            true,
            "sent",
          ]);
          wins.consented += 1;
          startMs += 2;
          await begin("consented");
        } else {
          expect([[...outcomes].toSorted(), act, status]).toEqual([
            ["cancelled", "invalid_state"],
            null,
            "cancelled",
          ]);
          wins.cancelled += 1;
          startMs -= 2;
          await begin("cancelled");
        }
      }
      expect(Math.min(wins.consented, wins.cancelled)).toBeGreaterThan(0);
      expect(await verifyChain(service.platform.db, envelope.id)).toMatchObject({ ok: true });
    },
  );
});
