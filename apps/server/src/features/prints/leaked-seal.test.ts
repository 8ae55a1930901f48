import { createHash, X509Certificate } from "node:crypto";
import type { ProofFile } from "@paraphe/contracts";
import { keyIdentifier, parseCertificate, type Signer } from "@paraphe/pades";
import { canonicalJson, readCertificates } from "@paraphe/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { bytesAt, notOk, openProven, proofIn, type Proven, sealedBy, verifyProven } from "../../../testing/proven-envelope.ts";
import { commitment, eventHash } from "../audit/event-hash.ts";
import { leafOf } from "../transparency/index.ts";
import { createTrust, revokeIssued, rotateAuthority, signJws, type Trust } from "../trust/index.ts";

type Content = ProofFile["proof"];

/**
 * A service whose seal leaked: its key was replaced and revoked 300 days ago. Whoever has it has a service of his own too, its clock set back to before, and never the
 * service's root nor its time-stamping authority's key.
 */
let proven: Proven;
let forger: TestApp;
let theirs: Trust;
let leaked: Signer;
/** A proof of before, its journal in the log. */
let before: Uint8Array;

beforeAll(async () => {
  proven = await openProven();
  const { platform } = proven.test;
  leaked = (await createTrust(platform)).seal;
  await proven.test.settle({ deferred: "run" });
  platform.clock.advance({ minutes: 6 });
  before = await bytesAt(proven.anybody, proven.print.proof_url);
  forger = await createTestApp({ now: platform.clock() });
  theirs = await createTrust(forger.platform);
  platform.clock.advance({ hours: 1 });
  if (!(await rotateAuthority(platform, "seal")).ok) throw new Error("the seal was not replaced");
  const serialNumber = new X509Certificate(leaked.certificates[0] ?? new Uint8Array()).serialNumber;
  if (!(await revokeIssued(platform, { serialNumber, reason: "compromission" })).ok) throw new Error("the seal was not revoked");
  platform.clock.advance({ days: 300 });
}, 60_000);
afterAll(async () => {
  await forger.close();
  await proven.test.close();
});

const base64 = (der: Uint8Array) => Buffer.from(der).toString("base64");
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** What a proof of before said, with the forger's own time-stamping authority among those it names. */
function withOwnAuthority(): Content {
  const { proof } = proofIn(before);
  const { tsa, ca } = theirs.certificates;
  proof.certificates.timestamp_anchors.push(base64(tsa));
  proof.certificates.issuers.push(base64(ca));
  return proof;
}

/** Another title, each hash of the journal anew, and a log of this journal alone, its checkpoint sealed by the leaked key and stamped by the forger. */
async function rewritten(proof: Content): Promise<Content> {
  const title = "Cession de fonds de commerce";
  let previous: Uint8Array | null = null;
  for (const event of proof.journal.events) {
    const told = event.personal["title"];
    if (told !== undefined) {
      told.value = title;
      Object.assign(event.detail["commitments"] as object, { title: hex(commitment(Buffer.from(told.salt, "hex"), title)) });
    }
    const { at, actor, action, detail } = event;
    event.previous_hash = previous === null ? null : hex(previous);
    previous = eventHash(previous, { envelope_id: proof.envelope, at, actor, action, detail } as Parameters<typeof eventHash>[1]);
    event.hash = hex(previous);
  }
  const entry = { envelope_id: proof.envelope, sequence: proof.journal.events.length, head: proof.journal.events.at(-1)?.hash ?? "" };
  const stated = { at: forger.platform.clock().toISOString(), log: proof.service, previous: null, root: hex(leafOf(entry)), size: 1 };
  const signature = await signJws(leaked, Buffer.from(canonicalJson(stated)));
  const key_id = hex(await keyIdentifier(parseCertificate(leaked.certificates[0] ?? new Uint8Array()).subjectPublicKey));
  const timestamp = base64(await theirs.timestamp.timestamp(new Uint8Array(createHash("sha256").update(signature).digest())));
  const { at, root, size } = stated;
  const inclusion = { leaf_index: 0, size: 1, path: [], entry, checkpoint: { size, root, at, key_id, signature, timestamp } };
  return { ...proof, title, inclusion };
}

const published = async () => readCertificates(await bytesAt(proven.anybody, "/pki/ca.pem"));
const dateless = (report: Awaited<ReturnType<typeof verifyProven>>) => report.checks.map(({ sentence }) => sentence).join("\n");

describe("with the root given, what a leaked seal signs once it was revoked is never valid:", () => {
  const forged: readonly (readonly [string, () => Promise<Uint8Array>, readonly string[]])[] = [
    [
      "stamped by an authority of the forger's, which his proof names",
      () => sealedBy(forger, withOwnAuthority(), leaked),
      ["stamp", "seal_chain"],
    ],
    [
      "the same, with a journal and a log of his making",
      async () => sealedBy(forger, await rewritten(withOwnAuthority()), leaked),
      ["stamp", "seal_chain", "checkpoint"],
    ],
    [
      "the same, the true signing authority named for times as well",
      async () => {
        const proof = withOwnAuthority();
        proof.certificates.timestamp_anchors.push(proof.certificates.issuer, proof.certificates.timestamp_authority);
        return sealedBy(forger, proof, leaked);
      },
      ["stamp", "seal_chain"],
    ],
    [
      "stamped by the true authority, with what was known of the seal before",
      () => sealedBy(proven.test, proofIn(before).proof, leaked),
      ["stamp", "seal_chain"],
    ],
    [
      "without any revocation data",
      () => sealedBy(proven.test, { ...proofIn(before).proof, revocation: { crls: [], ocsps: [] } }, leaked),
      ["stamp", "seal_chain", "checkpoint"],
    ],
  ];

  it.each(forged)("%s", async (_what, make, unproven) => {
    const proof = await make();
    for (const roots of [proven.roots, await published()]) {
      const report = await verifyProven(proven, { proof, roots });
      expect(report.verdict).not.toBe("valid");
      for (const name of unproven) expect(report.checks.find((check) => check.name === name)?.state, name).not.toBe("ok");
      expect(dateless(report)).not.toMatch(/La preuve est horodatée par [^:]*, le /);
    }
  });

  it("stamped by the true authority, with what is known of the seal today", async () => {
    const today = proofIn(await bytesAt(proven.anybody, proven.print.proof_url)).proof;
    const { ocsp } = await createTrust(proven.test.platform);
    const answer = await ocsp(leaked.certificates[0] ?? new Uint8Array());
    const { crls, ocsps } = today.revocation;
    const revocation = { crls, ocsps: [...ocsps, base64(answer ?? new Uint8Array())] };
    const report = await verifyProven(proven, { proof: await sealedBy(proven.test, { ...today, revocation }, leaked) });
    expect([report.verdict, notOk(report)]).toEqual(["invalid", [["seal_chain", "failed"]]]);
  });

  it("nor is a proof by the seal of today, whose authority and seal nothing of that moment speaks of", async () => {
    const { proof } = proofIn(before);
    const report = await verifyProven(proven, { proof: await sealedBy(proven.test, proof) });
    expect([report.verdict, notOk(report)]).toEqual([
      "indeterminate",
      [
        ["stamp", "not_checked"],
        ["seal_chain", "not_checked"],
      ],
    ]);
  });
});

describe("what it signed before is valid as it was:", () => {
  it("a proof of before, which was stamped before", async () => {
    for (const roots of [proven.roots, await published()]) {
      const report = await verifyProven(proven, { proof: before, roots });
      expect([report.verdict, notOk(report)]).toEqual(["valid", []]);
    }
  });

  it("a proof of today, whose checkpoint the leaked seal signed before", async () => {
    const proof = await bytesAt(proven.anybody, proven.print.proof_url);
    expect(proofIn(proof).proof.inclusion?.checkpoint).toEqual(proofIn(before).proof.inclusion?.checkpoint);
    for (const roots of [proven.roots, await published()]) {
      const report = await verifyProven(proven, { proof, roots });
      expect([report.verdict, notOk(report)]).toEqual(["valid", []]);
    }
  });
});
