import { createHash } from "node:crypto";
import { type Envelope, type Print, PROOF_SCHEMA_PATH, type ProofFile } from "@paraphe/contracts";
import type { Signer } from "@paraphe/pades";
import { verifyBrought, verifyProof } from "@paraphe/proof";
import canonicalize from "canonicalize";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { signAsGuest } from "../../../testing/guest.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { makeCheckpoint } from "../transparency/index.ts";
import { signPageAddress } from "./sign-page-address.ts";
import { createTrust, rotateAuthority, signJws } from "../trust/index.ts";

const PRINTS = "/api/signature/prints/";
let test: TestApp;
let member: Member;
let owner: TestBrowser;
let anybody: TestBrowser;
let proofBytes: Uint8Array;
let pdf: Uint8Array;
let roots: readonly Uint8Array[];

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" } });
  member = await createMember(test.platform);
  owner = await signIn(test, member);
  anybody = openBrowser(test.app);
  const made = await print(await completed());
  [proofBytes, pdf, roots] = [await bytesAt(made.proof_url), await bytesAt(made.document_url), [await bytesAt("/pki/root.crt")]];
});
afterAll(() => test.close());

const bytesAt = async (address: string) => new Uint8Array((await anybody.get(address)).bytes);
const completed = async (options: Parameters<typeof createSent>[1] = { recipients: [PAUL] }): Promise<Envelope> => {
  const envelope = await createSent(owner, options);
  await signAsGuest(test, envelope.id, PAUL.email);
  await test.settle();
  return envelope;
};
const print = async (envelope: Envelope): Promise<Print> =>
  (await owner.post(`${PRINTS}generate/`, { envelope: envelope.id, qr_type: "page" })).body;
const fileOf = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as ProofFile;
const verify = (request: Partial<Parameters<typeof verifyProof>[0]> = {}) =>
  verifyProof({ proof: proofBytes, files: [{ name: "contrat.pdf", bytes: pdf }], roots, now: test.platform.clock(), ...request });
const sealed = async (proof: ProofFile["proof"], seal: Signer) => {
  const jws = await signJws(seal, Buffer.from(canonicalize(proof) ?? ""));
  return Buffer.from(JSON.stringify({ $schema: proof.service + PROOF_SCHEMA_PATH, proof, jws }, null, 2));
};
const failedOf = ({ checks }: Awaited<ReturnType<typeof verifyProof>>) =>
  checks.filter(({ state }) => state !== "ok").map(({ name, state }) => [name, state]);

describe("preuve.json and its PDF, without the service", () => {
  it("are valid where the reader gives the root: every check is made, and holds", async () => {
    const report = await verify();
    expect(failedOf(report)).toEqual([]);
    expect(report.verdict).toBe("valid");
    expect(report.checks.map(({ name }) => name)).toEqual([
      "form",
      "seal",
      "content",
      "seal_chain",
      "root",
      "completion",
      "file",
      "signatures",
      "link",
      "journal",
      "personal",
      "inclusion",
      "checkpoint",
    ]);
  });

  it("are valid with all the certificates that the service publishes, and not with another's root", async () => {
    const pem = Buffer.from(await bytesAt("/pki/ca.pem")).toString();
    const published = [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)/g)].map(
      ([, text]) => new Uint8Array(Buffer.from(text ?? "", "base64")),
    );
    expect((await verify({ roots: published })).verdict).toBe("valid");
    const other = await createTestApp();
    const strange = new Uint8Array((await openBrowser(other.app).get("/pki/root.crt")).bytes);
    await other.close();
    const report = await verify({ roots: [strange] });
    expect(report.verdict).toBe("invalid");
    expect(failedOf(report)).toContainEqual(["seal_chain", "failed"]);
  });

  it("are never called valid on the proof's own word: its root is named, with the fingerprint that the service publishes", async () => {
    const report = await verify({ roots: [] });
    expect([report.verdict, failedOf(report)]).toEqual(["indeterminate", [["root", "not_checked"]]]);
    const fingerprint = createHash("sha256")
      .update(roots[0] as Uint8Array)
      .digest("hex")
      .toUpperCase()
      .replace(/..(?=.)/g, "$&:");
    expect(report.roots).toEqual([{ name: "Paraphe Racine", fingerprint }]);
    expect((await anybody.get("/politique-de-certification")).text).toContain(fingerprint);
    expect(report.checks.find(({ name }) => name === "root")?.sentence).toContain(fingerprint);
    expect(report.summary).not.toContain("tout tient");
  });

  it("say which file was not given, and refuse one that the proof does not name", async () => {
    expect(failedOf(await verify({ files: [] }))).toEqual([["file", "not_checked"]]);
    const report = await verify({ files: [{ name: "autre.pdf", bytes: makePdf() }] });
    expect([report.verdict, failedOf(report)]).toEqual([
      "invalid",
      [
        ["file", "failed"],
        ["file", "not_checked"],
      ],
    ]);
  });

  it("are not what they are together with the proof of another envelope", async () => {
    const other = await bytesAt((await print(await completed())).proof_url);
    expect(failedOf(await verify({ proof: other }))).toContainEqual(["file", "failed"]);
  });

  it("security line 59: any byte of preuve.json flipped makes it fail", { timeout: 120_000 }, async () => {
    const places = Array.from({ length: 400 }, (_, index) => Math.floor((index * proofBytes.length) / 400));
    const held = [];
    for (const place of [
      ...places,
      ...Array.from({ length: 60 }, (_, index) => index),
      ...Array.from({ length: 60 }, (_, index) => proofBytes.length - 1 - index),
    ]) {
      const flipped = Uint8Array.from(proofBytes);
      flipped[place] = (flipped[place] ?? 0) ^ (1 << (place % 8));
      if ((await verify({ proof: flipped, files: [] })).verdict !== "invalid") held.push(place);
    }
    expect(held).toEqual([]);
  });

  it("fail with any byte of the PDF flipped", { timeout: 120_000 }, async () => {
    const held = [];
    for (let index = 0; index < 500; index++) {
      const place = Math.floor((index * pdf.length) / 500);
      const flipped = Uint8Array.from(pdf);
      flipped[place] = (flipped[place] ?? 0) ^ (1 << (index % 8));
      if ((await verify({ files: [{ name: "contrat.pdf", bytes: flipped }] })).verdict !== "invalid") held.push(place);
    }
    expect(held).toEqual([]);
  });

  it.each<[string, string, (proof: ProofFile["proof"]) => void]>([
    ["an event that was edited", "journal", ({ journal }) => Object.assign(journal.events[1] ?? {}, { at: "2026-11-21T00:00:00.000Z" })],
    ["an event that was taken out", "journal", ({ journal }) => journal.events.splice(1, 1)],
    ["events of which the last were cut off", "inclusion", ({ journal }) => journal.events.splice(-3)],
    ["another journal", "journal", ({ print: of }) => Object.assign(of, { envelope: of.id })],
    [
      "a name that was not committed to",
      "personal",
      ({ journal }) => Object.assign(journal.events[0]?.personal["actor_name"] ?? {}, { value: "X" }),
    ],
    ["a path to another root", "inclusion", ({ inclusion }) => Object.assign(inclusion ?? {}, { path: ["ab".repeat(32)] })],
    [
      "a checkpoint that was edited",
      "checkpoint",
      ({ inclusion }) => Object.assign(inclusion?.checkpoint ?? {}, { at: "2026-11-21T00:00:00.000Z" }),
    ],
    ["another service’s log", "checkpoint", (proof) => Object.assign(proof, { service: "https://ailleurs.exemple" })],
    ["another time of signing", "link", ({ signatures: [one] }) => Object.assign(one?.timestamp ?? {}, { time: "2026-11-20T00:00:00Z" })],
    [
      "another certificate",
      "link",
      ({ signatures: [one], certificates }) => Object.assign(one ?? {}, { certificate: certificates.issuer }),
    ],
    ["another field", "link", ({ signatures: [one] }) => Object.assign(one ?? {}, { field: "p_signature_1" })],
    ["no file", "completion", ({ files }) => files.splice(0)],
    ["a certificate that is none", "form", ({ signatures: [one] }) => Object.assign(one ?? {}, { certificate: "AAAA" })],
  ])("fail with %s, sealed by the service itself", async (_what, name, change) => {
    const { proof } = fileOf(proofBytes);
    change(proof);
    const { seal } = await createTrust(test.platform);
    const report = await verify({ proof: await sealed(proof, seal) });
    expect(report.verdict).toBe("invalid");
    expect(failedOf(report)).toContainEqual([name, "failed"]);
  });

  it("fail when a person signed in the place of the seal", async () => {
    const { signer } = await (await createTrust(test.platform)).issueSigner({
      fullName: "Paul Morel",
      email: PAUL.email,
      now: test.platform.clock(),
    });
    const report = await verify({ proof: await sealed(fileOf(proofBytes).proof, signer) });
    expect(failedOf(report)).toEqual([["seal_chain", "failed"]]);
  });

  it("still hold after each key was replaced, and so does a proof made since", async () => {
    const before = await createTestApp({ settings: { rateLimits: "off" } });
    try {
      const session = await signIn(before, await createMember(before.platform));
      const reader = openBrowser(before.app);
      const envelope = await createSent(session, { recipients: [PAUL] });
      await signAsGuest(before, envelope.id, PAUL.email);
      await before.settle();
      const made = (await session.post(`${PRINTS}generate/`, { envelope: envelope.id, qr_type: "page" })).body as Print;
      const read = async (address: string) => new Uint8Array((await reader.get(address)).bytes);
      const [old, document, oldRoot] = [await read(made.proof_url), await read(made.document_url), await read("/pki/root.crt")];
      before.platform.clock.advance({ hours: 1 });
      for (const purpose of ["seal", "tsa", "ca"] as const) await rotateAuthority(before.platform, purpose);
      const [young, newRoot] = [await read(made.proof_url), await read("/pki/root.crt")];
      expect(Buffer.from(young).equals(old)).toBe(false);
      const now = before.platform.clock();
      const files = [{ name: "contrat.pdf", bytes: document }];
      expect(failedOf(await verifyProof({ proof: old, files, roots: [oldRoot], now }))).toEqual([]);
      expect(failedOf(await verifyProof({ proof: young, files, roots: [oldRoot, newRoot], now }))).toEqual([]);
    } finally {
      await before.close();
    }
  });
});

describe("the address of a printed page, without the service", () => {
  const printed = async (seal: Signer, sha256 = createHash("sha256").update(pdf).digest()) =>
    signPageAddress(
      seal,
      {
        printId: fileOf(proofBytes).proof.print.id,
        address: `https://localhost:8443/verify/${fileOf(proofBytes).proof.print.id}?sig=x`,
        sha256,
        pageCount: 3,
        madeAt: new Date("2026-11-22T10:00:00Z"),
      },
      2,
    );
  const check = (address: string, more: { proof?: null; files?: [] } = {}) =>
    verifyBrought({ proof: proofBytes, files: [{ name: "contrat.pdf", bytes: pdf }], roots, address, now: test.platform.clock(), ...more });
  const ofPaper = ({ checks }: Awaited<ReturnType<typeof check>>) =>
    checks.filter(({ name }) => name === "statement" || name === "paper").map(({ state }) => state);

  it("is signed by the seal, and speaks of the PDF that is there", async () => {
    const report = await check(await printed((await createTrust(test.platform)).seal));
    expect([report.verdict, ofPaper(report)]).toEqual(["valid", ["ok", "ok"]]);
    expect(report.checks.at(-2)?.sentence).toContain("la page 2 sur 3, copie faite le 22/11/2026");
  });

  it("fails when another service signed it, when it speaks of another file, and when it was cut", async () => {
    const other = await createTestApp();
    const forged = await printed((await createTrust(other.platform)).seal);
    await other.close();
    const { seal } = await createTrust(test.platform);
    expect(ofPaper(await check(forged))).toEqual(["failed", "ok"]);
    const ofAnother = await check(await printed(seal, createHash("sha256").update("autre").digest()));
    expect([ofAnother.verdict, ofPaper(ofAnother)]).toEqual(["invalid", ["ok", "failed"]]);
    expect(ofPaper(await check((await printed(seal)).slice(0, -1)))).toEqual(["failed"]);
  });

  it("is valid for nobody without a proof, and says what is missing", async () => {
    const address = await printed((await createTrust(test.platform)).seal);
    const alone = await check(address, { proof: null });
    expect([alone.verdict, ofPaper(alone)]).toEqual(["indeterminate", ["not_checked", "ok"]]);
    expect(ofPaper(await check(address, { proof: null, files: [] }))).toEqual(["not_checked", "not_checked"]);
  });
});

describe("preuve.json", () => {
  it("gives who holds the paper names alone; the owner, every value of the journal", async () => {
    const { proof } = fileOf(proofBytes);
    const shown = proof.journal.events.flatMap(({ personal }) => Object.keys(personal));
    expect([proof.journal.disclosed, new Set(shown)]).toEqual(["names", new Set(["actor_name", "full_name"])]);
    expect(Buffer.from(proofBytes).toString()).not.toMatch(/exemple\.fr|127\.0\.0\.1|light-my-request/);
    const own = fileOf(new Uint8Array((await owner.get(`${PRINTS}${proof.print.id}/proof/`)).bytes)).proof;
    expect(own.journal.disclosed).toBe("all");
    expect(own.journal.events.flatMap(({ personal }) => Object.keys(personal))).toEqual(
      expect.arrayContaining(["email", "ip", "destination"]),
    );
    expect(JSON.stringify(own)).toContain(PAUL.email);
  });

  it("names each file with its size and hash, each signature with its certificate, and who leads to a root", async () => {
    const { $schema, proof } = fileOf(proofBytes);
    expect($schema).toBe(`https://localhost:8443${PROOF_SCHEMA_PATH}`);
    expect(proof.files).toMatchObject([{ size_bytes: pdf.length, sha256: createHash("sha256").update(pdf).digest("hex") }]);
    expect(proof.signatures).toMatchObject([
      { signer_name: "Paul Morel", level: "B-LTA", verdict: "valid", timestamp: { tsa: "Paraphe Horodatage" } },
    ]);
    expect(proof.certificates.roots).toEqual([Buffer.from(roots[0] as Uint8Array).toString("base64")]);
    expect([proof.revocation.crls.length, proof.revocation.ocsps.length]).toEqual([2, 2]);
  });

  it("is of the JSON Schema that it names, which anybody may read", async () => {
    const answer = await anybody.get(PROOF_SCHEMA_PATH);
    expect(answer.headers["content-type"]).toContain("application/schema+json");
    const schema = JSON.parse(answer.text);
    expect([schema.$id, schema.$schema]).toEqual([fileOf(proofBytes).$schema, "https://json-schema.org/draft/2020-12/schema"]);
    expect(schema.properties.proof.required).toEqual(expect.arrayContaining(Object.keys(fileOf(proofBytes).proof)));
  });

  it("of an envelope that waits says so, and before a checkpoint that the log does not cover it", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL, ELOISE] });
    await signAsGuest(test, envelope.id, PAUL.email);
    const made = await print(envelope);
    const files = [{ name: "contrat.pdf", bytes: await bytesAt(made.document_url) }];
    const report = await verify({ proof: await bytesAt(made.proof_url), files });
    expect(failedOf(report)).toEqual([
      ["completion", "not_checked"],
      ["inclusion", "not_checked"],
    ]);
    await makeCheckpoint({ platform: test.platform, trust: await createTrust(test.platform) });
    expect(failedOf(await verify({ proof: await bytesAt(made.proof_url), files }))).toEqual([["completion", "not_checked"]]);
  });

  it("of a purged envelope names nobody, and its journal still holds", async () => {
    const session = await signIn(test, member);
    owner = session;
    const envelope = await completed();
    const made = await print(envelope);
    const bytes = await bytesAt(made.document_url);
    await session.post(`${ENVELOPES}${envelope.id}/cancel/`);
    expect((await session.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`)).status).toBe(204);
    await test.settle();
    const proof = await bytesAt(made.proof_url);
    expect(Buffer.from(proof).toString()).not.toMatch(/Morel|Bail|exemple\.fr/);
    const report = await verify({ proof, files: [{ name: "contrat.pdf", bytes }] });
    expect(failedOf(report)).toEqual([
      ["completion", "not_checked"],
      ["signatures", "not_checked"],
    ]);
  });
});
