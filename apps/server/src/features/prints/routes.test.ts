import { createHash, X509Certificate, verify as verifySignature } from "node:crypto";
import { truncateSync, writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import canonicalize from "canonicalize";
import type { Envelope, Print } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { revokeCertificate } from "../trust/store.ts";

const PRINTS = "/api/signature/prints/";
let test: TestApp;
let member: Member;
let owner: TestBrowser;
let anybody: TestBrowser;

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" } });
  member = await createMember(test.platform);
  owner = await signIn(test, member);
  anybody = openBrowser(test.app);
});
afterAll(() => test.close());

const sign = async (envelope: Envelope, email: string) => {
  const guest = await openMailedGuest(test, envelope.id, email);
  await guest.confirm();
  const answer = await guest.post("sign/", TYPED);
  expect([200, 202]).toContain(answer.status);
  await expect.poll(async () => (await guest.get("guest/")).body.recipient.signed, { timeout: 15_000 }).toBe(true);
};
const print = async (envelope: Envelope, qr_type = "page"): Promise<Print> => {
  const answer = await owner.post(`${PRINTS}generate/`, { envelope: envelope.id, qr_type });
  expect(answer.status).toBe(201);
  return answer.body;
};
const proofOf = async ({ id, sig }: Print) => (await anybody.get(`${PRINTS}${id}/verify/?sig=${sig}`)).body;
const completed = async () => {
  const envelope = await createSent(owner, { recipients: [PAUL] });
  await sign(envelope, PAUL.email);
  // The copies are mailed before anything happens to the files.
  await test.settle();
  return envelope;
};
const currentHash = async (envelope: Envelope) => {
  const rows = await test.platform.db
    .selectFrom("document_revisions")
    .select("blob_sha256")
    .where("document_id", "=", envelope.documents[0]?.id as string)
    .orderBy("number", "desc")
    .execute();
  return Buffer.from(rows[0]?.blob_sha256 as Uint8Array).toString("hex");
};
const storedPath = (hash: string) =>
  join((test.platform.settings.storage as { folder: string }).folder, hash.slice(0, 2), hash.slice(2, 4), hash);

describe("POST prints/generate/", () => {
  it("gives an address, its QR code and its signature, and lists them to their owner alone", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL] });
    const made = await print(envelope, "last");
    expect(made).toMatchObject({
      envelope: envelope.id,
      qr_type: "last",
      verify_url: `https://localhost:8443/verify/${made.id}?sig=${made.sig}`,
      printable_url: `${PRINTS}${made.id}/printable/?sig=${made.sig}`,
    });
    expect(made.sig).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(made.qr_svg).toMatch(/^<svg /);
    expect(made.qr_svg).not.toMatch(/script|href/);
    const list = (await owner.get(`${PRINTS}?envelope=${envelope.id}`)).body;
    expect([list.count, list.results[0].sig]).toEqual([1, made.sig]);
    const stranger = await signIn(test, await createMember(test.platform));
    expect((await stranger.get(PRINTS)).body.count).toBe(0);
    expect((await anybody.get(PRINTS)).status).toBe(401);
    const journal = await test.platform.db.selectFrom("audit_events").select("action").where("envelope_id", "=", envelope.id).execute();
    expect(journal.map((event) => event.action)).toContain("print_generated");
  });

  it("is the owner's, of an envelope that was sent", async () => {
    const recipient = await createMember(test.platform);
    const envelope = await createSent(owner, { recipients: [{ email: recipient.email, full_name: "Camille Roux" }] });
    const ask = async (who: TestBrowser, id: string, qr_type = "page") =>
      refusal(await who.post(`${PRINTS}generate/`, { envelope: id, qr_type }));
    expect(await ask(await signIn(test, recipient), envelope.id)).toEqual([403, "not_allowed"]);
    expect(await ask(await signIn(test, await createMember(test.platform)), envelope.id)).toEqual([404, "not_found"]);
    expect(await ask(owner, "019aa000-0000-7000-8000-000000000000")).toEqual([404, "not_found"]);
    expect(await ask(anybody, envelope.id)).toEqual([401, "session_expired"]);
    expect(await ask(owner, envelope.id, "poster")).toEqual([400, "validation"]);
    expect(await ask(owner, (await createDraft(owner)).id)).toEqual([409, "invalid_state"]);
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    expect(await ask(owner, envelope.id)).toEqual([409, "invalid_state"]);
  });
});

describe("GET prints/{id}/verify/", () => {
  it("proves a completed envelope from its file: people, times, hashes, certificate, revocation, time-stamp", async () => {
    const envelope = await completed();
    const made = await print(envelope);
    const proof = await proofOf(made);
    const document = (await anybody.get(proof.document_url)).bytes;
    expect(proof).toMatchObject({
      verdict: "valid",
      integrity: true,
      level: "B-LTA",
      completed: true,
      title: "Bail d’habitation",
      purged: false,
      reason: "Toutes les signatures sont valides et le document n’a pas été modifié depuis.",
      warnings: [],
      signers: [
        {
          full_name: "Paul Morel",
          signed: true,
          signed_at: test.platform
            .clock()
            .toISOString()
            .replace(/\.\d+Z/, ".000Z"),
        },
      ],
      hash_sha256: createHash("sha256").update(document).digest("hex"),
      hash_md5: createHash("md5").update(document).digest("hex"),
      certificate: {
        subject: { CN: "Paul Morel", O: "Paraphe", C: "FR" },
        revocation: {
          ocsp_status: "good",
          ocsp_url: "https://localhost:8443/pki/ocsp",
          crl_status: "good",
          crl_url: expect.stringMatching(/^https:\/\/localhost:8443\/pki\/crl\/[0-9a-f-]{36}\.crl$/),
        },
        timestamp: { tsa: "Paraphe Horodatage" },
        issuers: ["Paraphe Signature", "Paraphe Racine"],
        hash_algorithm: "SHA-256",
        valid_at_signing: true,
      },
      documents: [{ page_count: expect.any(Number) }],
      cancelled: false,
      chain: { intact: true },
    });
    for (const { revocation } of [proof.certificate])
      for (const at of [revocation.ocsp_at, revocation.crl_at]) expect(Date.parse(at)).toBeLessThanOrEqual(Date.parse(proof.checked_at));
    expect(JSON.stringify(proof)).not.toMatch(/exemple\.fr|127\.0\.0\.1/);
  });

  it("says what is still awaited, and shows no document before a first signature", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL, ELOISE] });
    const made = await print(envelope);
    expect(await proofOf(made)).toMatchObject({
      verdict: "indeterminate",
      completed: false,
      document_url: null,
      certificate: null,
      reason: "Personne n’a encore signé ce document.",
    });
    expect((await anybody.get(made.document_url)).status).toBe(404);
    await sign(envelope, PAUL.email);
    expect(await proofOf(made)).toMatchObject({
      verdict: "indeterminate",
      integrity: true,
      reason: "Les signatures apposées sont valides, mais une signature est encore attendue.",
      signers: [{ signed: true }, { full_name: "Éloïse Lefèvre", signed: false, signed_at: null }],
    });
  });

  it("gives the same 404 for an unknown print, a wrong or missing sig, another print's sig", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL] });
    const [first, second] = [await print(envelope), await print(envelope)];
    const flipped = (first.sig[0] === "A" ? "B" : "A") + first.sig.slice(1);
    const bodies = new Set<string>();
    for (const call of ["verify", "document", "printable", "proof"]) {
      for (const address of [
        `${first.id}/${call}/?sig=${flipped}`,
        `${first.id}/${call}/?sig=${second.sig}`,
        `${first.id}/${call}/`,
        `019aa000-0000-7000-8000-000000000000/${call}/?sig=${first.sig}`,
        `x/${call}/?sig=${first.sig}`,
      ]) {
        const answer = await anybody.get(PRINTS + address);
        expect(refusal(answer)).toEqual([404, "not_found"]);
        bodies.add(JSON.stringify({ ...answer.body, request_id: "" }));
      }
    }
    expect(bodies.size).toBe(1);
    expect((await owner.get(`${PRINTS}${first.id}/verify/`)).status).toBe(200);
    expect((await owner.get(`${PRINTS}${first.id}/verify/?sig=${flipped}`)).status).toBe(404);
    const stranger = await signIn(test, await createMember(test.platform));
    expect((await stranger.get(`${PRINTS}${first.id}/verify/`)).status).toBe(404);
  });

  it.each<[string, (path: string, bytes: Buffer) => void]>([
    [
      "one byte was flipped",
      (path, bytes) => writeFileSync(path, Buffer.from(bytes.map((byte, index) => (index === 100 ? byte ^ 1 : byte)))),
    ],
    ["it was cut", (path, bytes) => truncateSync(path, bytes.length - 10)],
    ["it was replaced by another", (path) => writeFileSync(path, makePdf())],
  ])("is invalid when the stored file is not the signed one: %s", async (_, damage) => {
    const envelope = await completed();
    const made = await print(envelope);
    const path = storedPath(await currentHash(envelope));
    damage(path, readFileSync(path));
    expect(await proofOf(made)).toMatchObject({
      verdict: "invalid",
      integrity: false,
      document_url: null,
      reason: expect.stringContaining("n’est pas celui qui a été signé"),
    });
    const shown = await anybody.get(made.document_url);
    expect([shown.status, shown.body.code, shown.body.detail]).toEqual([
      500,
      "stored_file_lost",
      "Le fichier conservé manque ou a été altéré : il n’est pas présenté. Prévenez l’organisation qui exploite ce service.",
    ]);
  });

  it("is invalid when the row was pointed at an earlier, unsigned revision", async () => {
    const envelope = await completed();
    const made = await print(envelope);
    const id = envelope.documents[0]?.id as string;
    const prepared = await test.platform.db
      .selectFrom("document_revisions")
      .select("blob_sha256")
      .where("document_id", "=", id)
      .where("number", "=", 1)
      .executeTakeFirstOrThrow();
    await test.platform.db
      .updateTable("document_revisions")
      .set({ blob_sha256: prepared.blob_sha256 })
      .where("document_id", "=", id)
      .where("number", "=", 3)
      .execute();
    expect(await proofOf(made)).toMatchObject({ verdict: "invalid", signers: [{ signed: false }] });
  });

  it("sees a revocation at once, and keeps what was stamped before it", async () => {
    const envelope = await completed();
    const made = await print(envelope);
    const row = await test.platform.db
      .selectFrom("signatures")
      .select("serial_number")
      .where("envelope_id", "=", envelope.id)
      .executeTakeFirstOrThrow();
    test.platform.clock.advance({ minutes: 5 });
    await revokeCertificate(test.platform.db, row.serial_number, { at: test.platform.clock(), reason: 1 });
    const proof = await proofOf(made);
    expect(proof.certificate.revocation).toMatchObject({ ocsp_status: "revoked", crl_status: "revoked" });
    expect(proof.integrity).toBe(true);
  });

  it("keeps hashes and dates of a purged envelope, and names nobody", async () => {
    const envelope = await completed();
    const made = await print(envelope);
    const hash = await currentHash(envelope);
    const session = await signIn(test, member);
    await session.post(`${ENVELOPES}${envelope.id}/cancel/`);
    expect(await proofOf(made)).toMatchObject({
      verdict: "indeterminate",
      document_url: null,
      purged: false,
      reason: expect.stringContaining("annulé"),
    });
    expect((await anybody.get(made.document_url)).status).toBe(404);
    expect((await session.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`)).status).toBe(204);
    await test.settle();
    const proof = await proofOf(made);
    expect(proof).toMatchObject({
      purged: true,
      verdict: "indeterminate",
      title: null,
      signers: [],
      certificate: null,
      document_url: null,
      hash_sha256: hash,
      completed: true,
    });
    expect(JSON.stringify(proof)).not.toMatch(/Morel|Bail/);
    expect((await anybody.get(made.document_url)).status).toBe(404);
  });

  it("proves several documents, each with its own address", async () => {
    const files = [1, 2].map((pages) => ({ name: `Annexe ${pages}.pdf`, bytes: makePdf({ pages }) }));
    const session = await signIn(test, member);
    const envelope = await createSent(session, { files, recipients: [PAUL] });
    await sign(envelope, PAUL.email);
    owner = session;
    const proof = await proofOf(await print(envelope));
    expect(proof).toMatchObject({ verdict: "valid", documents: [{ name: "Annexe 1.pdf" }, { name: "Annexe 2.pdf" }] });
    for (const document of proof.documents) {
      const answer = await anybody.get(document.document_url);
      expect(createHash("sha256").update(answer.bytes).digest("hex")).toBe(document.hash_sha256);
    }
  });
});

describe("GET prints/{id}/document/", () => {
  it("shows the signed PDF inline, byte for byte, never kept by a cache", async () => {
    const made = await print(await completed());
    const answer = await anybody.get(made.document_url);
    expect([answer.status, answer.headers["content-type"], answer.headers["cache-control"]]).toEqual([
      200,
      "application/pdf",
      "private, no-store",
    ]);
    expect(answer.headers["content-disposition"]).toContain("inline");
    expect(answer.bytes.subarray(0, 5).toString()).toBe(Buffer.from("%PDF-").toString());
  });
});

describe("GET prints/{id}/proof/", () => {
  it("gives preuve.json, sealed: its JWS verifies offline with the certificates it carries, and any change is seen", async () => {
    const made = await print(await completed());
    const answer = await anybody.get(made.proof_url);
    expect(answer.headers["content-disposition"]).toBe('attachment; filename="preuve.json"');
    const { proof, jws } = JSON.parse(answer.text);
    const [header, payload, signature] = (jws as string).split(".") as [string, string, string];
    const { alg, x5c } = JSON.parse(Buffer.from(header, "base64url").toString());
    expect(alg).toBe("ES256");
    expect(Buffer.from(payload, "base64url").toString()).toBe(canonicalize(proof));
    const [seal, ca] = (x5c as string[]).map((der) => new X509Certificate(Buffer.from(der, "base64")));
    const root = new X509Certificate(Buffer.from(proof.certificates.root, "base64"));
    const isSealed = (signed: string) =>
      verifySignature(
        "sha256",
        Buffer.from(signed),
        { key: (seal as X509Certificate).publicKey, dsaEncoding: "ieee-p1363" },
        Buffer.from(signature, "base64url"),
      );
    expect([isSealed(`${header}.${payload}`), seal?.verify((ca as X509Certificate).publicKey), ca?.verify(root.publicKey)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(isSealed(`${header}.${payload.slice(0, -1)}${payload.endsWith("A") ? "B" : "A"}`)).toBe(false);
    expect(proof.verdict).toBe("valid");
  });
});

it("asks an address that verifies too often to wait", async () => {
  const limited = await createTestApp();
  try {
    const answers = [];
    for (let times = 0; times < 65; times++) answers.push(await limited.app.inject(`${PRINTS}x/verify/?sig=y`));
    expect(answers.slice(0, 60).every((answer) => answer.statusCode === 404)).toBe(true);
    expect([answers.at(-1)?.statusCode, Number(answers.at(-1)?.headers["retry-after"]) > 0]).toEqual([429, true]);
  } finally {
    await limited.close();
  }
});
