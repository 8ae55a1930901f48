import { createHash, X509Certificate } from "node:crypto";
import type { Checkpoint, Proof } from "@paraphe/contracts";
import { keyIdentifier, parseCertificate, type Signer } from "@paraphe/pades";
import { canonicalJson, verifyBrought } from "@paraphe/proof";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bytesAt, openProven, proofIn, type Proven, PRINTS } from "../../../testing/proven-envelope.ts";
import { createTrust, rotateAuthority, revokeIssued, signJws } from "../trust/index.ts";
import { isLogSound } from "./prove-inclusion.ts";
import { signPageAddress } from "./sign-page-address.ts";

/** A service whose seal leaked: it was replaced, then revoked, and whoever has the key goes on signing with it. */
let proven: Proven;
let leaked: Signer;
let before: { readonly address: string; readonly checkpoint: Checkpoint };
beforeAll(async () => {
  proven = await openProven();
  const { platform } = proven.test;
  leaked = (await createTrust(platform)).seal;
  await proven.test.settle({ deferred: "run" });
  before = { address: await addressBy(leaked), checkpoint: checkpointIn(await bytesAt(proven.anybody, proven.print.proof_url)) };
  platform.clock.advance({ hours: 1 });
  if (!(await rotateAuthority(platform, "seal")).ok) throw new Error("the seal was not replaced");
  const serialNumber = new X509Certificate(leaked.certificates[0] ?? new Uint8Array()).serialNumber;
  if (!(await revokeIssued(platform, { serialNumber, reason: "compromission" })).ok) throw new Error("the seal was not revoked");
  // Whatever was read of the keys is half a minute old at most.
  platform.clock.advance({ minutes: 1 });
}, 60_000);
afterAll(() => proven.test.close());

const checkpointIn = (proof: Uint8Array): Checkpoint => {
  const { inclusion } = proofIn(proof).proof;
  if (inclusion === null) throw new Error("no checkpoint covers the envelope");
  return inclusion.checkpoint;
};

/** What the code of the first page of a copy of the signed file holds. */
function addressBy(seal: Signer): Promise<string> {
  const { print, pdf, test } = proven;
  const sha256 = new Uint8Array(createHash("sha256").update(pdf).digest());
  const copy = { printId: print.id, address: print.verify_url, sha256, pageCount: 1, madeAt: test.platform.clock() };
  return signPageAddress(seal, copy, 1);
}

async function statementChecked(address: string) {
  const { anybody, print, pdf, roots, test } = proven;
  const proof = await bytesAt(anybody, print.proof_url);
  const files = [{ name: "contrat.pdf", bytes: pdf }];
  const report = await verifyBrought({ proof, address, files, roots, now: test.platform.clock() });
  return { verdict: report.verdict, statement: report.checks.find(({ name }) => name === "statement") };
}

it("a paper's code by the seal of today is the service's own", async () => {
  const { seal } = await createTrust(proven.test.platform);
  expect(await statementChecked(await addressBy(seal))).toMatchObject({ verdict: "valid", statement: { state: "ok" } });
});

it("one that the revoked key signed is never called right, before or since: nothing proves which", async () => {
  for (const address of [before.address, await addressBy(leaked)])
    expect(await statementChecked(address)).toMatchObject({
      verdict: "indeterminate",
      statement: { state: "not_checked", sentence: expect.stringContaining("a été révoquée") },
    });
  const page: Proof = (await proven.anybody.get(`${PRINTS}${proven.print.id}/verify/?sig=${proven.print.sig}`)).body;
  const key = new X509Certificate(leaked.certificates[0] ?? new Uint8Array()).publicKey
    .export({ format: "der", type: "spki" })
    .toString("base64");
  expect(page.revoked_statement_keys).toEqual([key]);
  expect(page.statement_keys).toHaveLength(1);
  expect(page.statement_keys).not.toContain(key);
  // The signatures of the document are none of the seal's.
  expect(page.verdict).toBe("valid");
});

it("a checkpoint that it signs since is not the service's; one that was stamped before still is", async () => {
  const { platform } = proven.test;
  const trust = await createTrust(platform);
  const { inclusion } = proofIn(await bytesAt(proven.anybody, proven.print.proof_url)).proof;
  if (inclusion === null) throw new Error("no checkpoint covers the envelope");
  expect(inclusion.checkpoint).toEqual(before.checkpoint);
  expect(await isLogSound({ platform, trust }, inclusion)).toBe(true);
  const { size, root } = before.checkpoint;
  const at = platform.clock().toISOString();
  const stated = { at, log: platform.settings.publicUrl, previous: null, root, size };
  const forgedBy = async (seal: Signer): Promise<Checkpoint> => {
    const signature = await signJws(seal, Buffer.from(canonicalJson(stated)));
    const token = await trust.timestamp.timestamp(new Uint8Array(createHash("sha256").update(signature).digest()));
    const key = parseCertificate(seal.certificates[0] ?? new Uint8Array()).subjectPublicKey;
    const key_id = Buffer.from(await keyIdentifier(key)).toString("hex");
    return { size, root, at, key_id, signature, timestamp: Buffer.from(token).toString("base64") };
  };
  const soundBy = async (seal: Signer) => isLogSound({ platform, trust }, { ...inclusion, checkpoint: await forgedBy(seal) });
  expect([await soundBy(trust.seal), await soundBy(leaked)]).toEqual([true, false]);
});
