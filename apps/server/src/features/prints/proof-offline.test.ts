import { createHash } from "node:crypto";
import type { ProofFile } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp } from "../../../testing/app.ts";
import { openBrowser } from "../../../testing/browser.ts";
import { PAUL } from "../../../testing/envelope.ts";
import { makePdf } from "../../../testing/pdf.ts";
import {
  bytesAt,
  completeEnvelope,
  notOk,
  openProven,
  printOf,
  proofIn,
  type Proven,
  sealedBy,
  verifyProven,
} from "../../../testing/proven-envelope.ts";
import { createTrust } from "../trust/index.ts";

let proven: Proven;
beforeAll(async () => {
  proven = await openProven();
}, 60_000);
afterAll(() => proven.test.close());

const verify = (request: Parameters<typeof verifyProven>[1] = {}) => verifyProven(proven, request);
const flipAt = (bytes: Uint8Array, place: number) =>
  Uint8Array.from(bytes, (byte, index) => (index === place ? byte ^ (1 << (place % 8)) : byte));

describe("preuve.json and its PDF, without the service", () => {
  it("are valid where the reader gives the root: every check is made, and holds", async () => {
    const report = await verify();
    expect(notOk(report)).toEqual([]);
    expect(report.verdict).toBe("valid");
    expect(report.checks.map(({ name }) => name)).toEqual([
      "form",
      "seal",
      "content",
      "stamp",
      "seal_chain",
      "root",
      "completion",
      "file",
      "signatures",
      "link",
      "cards",
      "journal",
      "personal",
      "journal_files",
      "journal_facts",
      "inclusion",
      "checkpoint",
    ]);
  });

  it("are valid with all the certificates that the service publishes, and not with another's root", async () => {
    const pem = Buffer.from(await bytesAt(proven.anybody, "/pki/ca.pem")).toString();
    const published = [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)/g)].map(
      ([, text]) => new Uint8Array(Buffer.from(text ?? "", "base64")),
    );
    expect((await verify({ roots: published })).verdict).toBe("valid");
    const other = await createTestApp();
    const strange = await bytesAt(openBrowser(other.app), "/pki/root.crt");
    await other.close();
    const report = await verify({ roots: [strange] });
    expect(report.verdict).toBe("invalid");
    expect(notOk(report)).toContainEqual(["seal_chain", "failed"]);
  });

  it("are never called valid on the proof's own word: its root is named, with the fingerprint that the service publishes", async () => {
    const report = await verify({ roots: [] });
    expect(report.verdict).toBe("indeterminate");
    // All that leans on a certificate which the proof brings: whoever forges a proof brings his own.
    const leaning = ["seal", "stamp", "seal_chain", "root", "completion", "signatures", "checkpoint"];
    expect(notOk(report)).toEqual(leaning.map((name) => [name, "not_checked"]));
    const fingerprint = createHash("sha256")
      .update(proven.roots[0] as Uint8Array)
      .digest("hex")
      .toUpperCase()
      .replace(/..(?=.)/g, "$&:");
    expect(report.roots).toEqual([{ name: "Paraphe Racine", fingerprint }]);
    expect((await proven.anybody.get("/politique-de-certification")).text).toContain(fingerprint);
    expect(report.checks.find(({ name }) => name === "root")?.sentence).toContain(fingerprint);
    expect(report.summary).not.toContain("tout tient");
  });

  it("say which file was not given, and refuse one that the proof does not name", async () => {
    expect(notOk(await verify({ files: [] }))).toEqual([
      ["file", "not_checked"],
      ["cards", "not_checked"],
    ]);
    const report = await verify({ files: [{ name: "autre.pdf", bytes: makePdf() }] });
    expect([report.verdict, notOk(report)]).toEqual([
      "invalid",
      [
        ["file", "failed"],
        ["file", "not_checked"],
        ["cards", "not_checked"],
      ],
    ]);
  });

  it("are not what they are together with the proof of another envelope", async () => {
    const print = await printOf(proven.owner, await completeEnvelope(proven));
    const other = await bytesAt(proven.anybody, print.proof_url);
    expect(notOk(await verify({ proof: other }))).toContainEqual(["file", "failed"]);
  });

  it("security line 59: any byte of preuve.json flipped makes it fail", { timeout: 120_000 }, async () => {
    const { proof } = proven;
    const places = [
      ...Array.from({ length: 400 }, (_, index) => Math.floor((index * proof.length) / 400)),
      ...Array.from({ length: 60 }, (_, index) => index),
      ...Array.from({ length: 60 }, (_, index) => proof.length - 1 - index),
    ];
    const held = [];
    for (const place of places) if ((await verify({ proof: flipAt(proof, place), files: [] })).verdict !== "invalid") held.push(place);
    expect(held).toEqual([]);
  });

  it("fail with any byte of the PDF flipped", { timeout: 120_000 }, async () => {
    const { pdf } = proven;
    const held = [];
    for (let index = 0; index < 500; index++) {
      const place = Math.floor((index * pdf.length) / 500);
      if ((await verify({ files: [{ name: "contrat.pdf", bytes: flipAt(pdf, place) }] })).verdict !== "invalid") held.push(place);
    }
    expect(held).toEqual([]);
  });

  it.each<[string, string, (proof: ProofFile["proof"]) => void]>([
    ["an event that was edited", "journal", ({ journal }) => Object.assign(journal.events[1] ?? {}, { at: "2026-11-21T00:00:00.000Z" })],
    ["an event that was taken out", "journal", ({ journal }) => journal.events.splice(1, 1)],
    ["events of which the last were cut off", "inclusion", ({ journal }) => journal.events.splice(-3)],
    ["another journal", "journal", (proof) => Object.assign(proof, { envelope: proof.print?.id })],
    [
      "a name that was not committed to",
      "personal",
      ({ journal }) => {
        const event = journal.events.find(({ personal }) => "actor_name" in personal);
        Object.assign(event?.personal["actor_name"] ?? {}, { value: "X" });
      },
    ],
    ["a file that the journal does not name", "journal_files", ({ files: [one] }) => Object.assign(one ?? {}, { sha256: "ab".repeat(32) })],
    ["a path to another root", "inclusion", ({ inclusion }) => Object.assign(inclusion ?? {}, { path: ["ab".repeat(32)] })],
    [
      "a checkpoint that was edited",
      "checkpoint",
      ({ inclusion }) => Object.assign(inclusion?.checkpoint ?? {}, { at: "2026-11-21T00:00:00.000Z" }),
    ],
    ["another service’s log", "checkpoint", (proof) => Object.assign(proof, { service: "https://ailleurs.exemple" })],
    ["another time of signing", "link", ({ signatures: [one] }) => Object.assign(one?.timestamp ?? {}, { time: "2026-11-20T00:00:00Z" })],
    ["another name", "link", ({ signatures: [one] }) => Object.assign(one ?? {}, { signer_name: "Paul Martin" })],
    ["another number", "link", ({ signatures: [one] }) => Object.assign(one ?? {}, { serial_number: "07" })],
    [
      "another certificate",
      "link",
      ({ signatures: [one], certificates }) => Object.assign(one ?? {}, { certificate: certificates.issuer }),
    ],
    ["a certificate that is none", "link", ({ signatures: [one] }) => Object.assign(one ?? {}, { certificate: "AAAA" })],
    ["another field", "link", ({ signatures: [one] }) => Object.assign(one ?? {}, { field: "p_signature_1" })],
    ["no file", "completion", ({ files }) => files.splice(0)],
    ["the service’s own word that it does not hold", "completion", (proof) => Object.assign(proof, { verdict: "invalid" })],
  ])("fail with %s, sealed by the service itself", async (_what, name, change) => {
    const { proof } = proofIn(proven.proof);
    change(proof);
    const report = await verify({ proof: await sealedBy(proven.test, proof) });
    expect(report.verdict).toBe("invalid");
    expect(notOk(report)).toContainEqual([name, "failed"]);
  });

  it("security line 58: rest on SHA-256 alone: no decision rests on the MD5 that is shown beside it", async () => {
    const { proof } = proofIn(proven.proof);
    expect(proof.hash_md5).toBe(createHash("md5").update(proven.pdf).digest("hex"));
    Object.assign(proof, { hash_md5: "0".repeat(32) });
    for (const document of proof.documents) document.hash_md5 = null;
    expect((await verify({ proof: await sealedBy(proven.test, proof) })).verdict).toBe("valid");
  });

  it("fail with another certificate of the same number, name and dates in the place of the signer’s", async () => {
    const { proof } = proofIn(proven.proof);
    const [row] = proof.signatures;
    if (row === undefined) throw new Error("no signature");
    // The last byte is of the signature of whoever issued it: all that a person reads stays as it is.
    const der = Buffer.from(row.certificate ?? "", "base64");
    der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
    row.certificate = der.toString("base64");
    expect(notOk(await verify({ proof: await sealedBy(proven.test, proof) }))).toContainEqual(["link", "failed"]);
  });

  it("fail with a root that cannot be read, of a proof that is believed", async () => {
    const { proof } = proofIn(proven.proof);
    proof.certificates.roots = ["AAAA"];
    expect(notOk(await verify({ proof: await sealedBy(proven.test, proof), roots: [] }))).toEqual([["form", "failed"]]);
  });

  it("fail when a person signed in the place of the seal", async () => {
    const { platform } = proven.test;
    const { signer } = await (await createTrust(platform)).issueSigner({
      fullName: "Paul Morel",
      email: PAUL.email,
      now: platform.clock(),
    });
    const report = await verify({ proof: await sealedBy(proven.test, proofIn(proven.proof).proof, signer) });
    expect(notOk(report)).toEqual([["seal_chain", "failed"]]);
  });
});
