import { createHash } from "node:crypto";
import { rmSync, truncateSync } from "node:fs";
import type { Envelope, Print } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { signAsGuest } from "../../../testing/guest.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { completeEnvelope, PRINTS, printOf } from "../../../testing/proven-envelope.ts";
import { storedHash, storedPath } from "../../../testing/stored-file.ts";
import { revokeCertificate } from "../trust/store.ts";

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

const proofOf = async ({ id, sig }: Print) => (await anybody.get(`${PRINTS}${id}/verify/?sig=${sig}`)).body;
const hashOf = (envelope: Envelope) => storedHash(test.platform, envelope.documents[0]?.id ?? "");

describe("GET prints/{id}/verify/", () => {
  it("proves a completed envelope from its file: people, times, hashes, certificate, revocation, time-stamp", async () => {
    const envelope = await completeEnvelope({ test, owner });
    const made = await printOf(owner, envelope);
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
    const made = await printOf(owner, envelope);
    expect(await proofOf(made)).toMatchObject({
      verdict: "indeterminate",
      completed: false,
      document_url: null,
      certificate: null,
      reason: "Personne n’a encore signé ce document.",
    });
    expect((await anybody.get(made.document_url)).status).toBe(404);
    await signAsGuest(test, envelope.id, PAUL.email);
    expect(await proofOf(made)).toMatchObject({
      verdict: "indeterminate",
      integrity: true,
      reason: "Les signatures apposées sont valides, mais une signature est encore attendue.",
      signers: [{ signed: true }, { full_name: "Éloïse Lefèvre", signed: false, signed_at: null }],
    });
  });

  it("says when the stored file is gone, and tells no crawler to keep anything", async () => {
    const envelope = await completeEnvelope({ test, owner });
    const made = await printOf(owner, envelope);
    for (const address of [made.document_url, made.proof_url])
      expect((await anybody.get(address)).headers["x-robots-tag"], address).toBe("noindex");
    rmSync(storedPath(test.platform, await hashOf(envelope)));
    expect(await proofOf(made)).toMatchObject({
      verdict: "invalid",
      document_url: null,
      reason: expect.stringContaining("est introuvable"),
    });
  });

  it("says why when the stored file is not the signed one, and why it is not shown", async () => {
    const envelope = await completeEnvelope({ test, owner });
    const made = await printOf(owner, envelope);
    truncateSync(storedPath(test.platform, await hashOf(envelope)), 100);
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
    const envelope = await completeEnvelope({ test, owner });
    const made = await printOf(owner, envelope);
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
    const envelope = await completeEnvelope({ test, owner });
    const made = await printOf(owner, envelope);
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
    const envelope = await completeEnvelope({ test, owner });
    const made = await printOf(owner, envelope);
    const hash = await hashOf(envelope);
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
    await signAsGuest(test, envelope.id, PAUL.email);
    owner = session;
    const proof = await proofOf(await printOf(owner, envelope));
    expect(proof).toMatchObject({ verdict: "valid", documents: [{ name: "Annexe 1.pdf" }, { name: "Annexe 2.pdf" }] });
    for (const document of proof.documents) {
      const answer = await anybody.get(document.document_url);
      expect(createHash("sha256").update(answer.bytes).digest("hex")).toBe(document.hash_sha256);
    }
  });
});
