import type { Envelope, Print, Proof } from "@paraphe/contracts";
import { type BroughtFile, verifyProof } from "@paraphe/proof";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, signAsGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { bytesAt, notOk, PRINTS, printOf, proofIn, sealedBy } from "../../../testing/proven-envelope.ts";

let test: TestApp;
let owner: TestBrowser;
let anybody: TestBrowser;
let envelope: Envelope;
let print: Print;

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" } });
  owner = await signIn(test, await createMember(test.platform));
  anybody = openBrowser(test.app);
  envelope = await createSent(owner, { recipients: [PAUL] });
  const guest = await openMailedGuest(test, envelope.id, PAUL.email);
  await guest.confirm();
  await guest.post("sign/", TYPED);
  print = (await owner.post(`${PRINTS}generate/`, { envelope: envelope.id, qr_type: "page" })).body;
}, 60_000);
afterAll(() => test.close());

const proofOf = async (who: TestBrowser, query: string): Promise<Proof> => (await who.get(`${PRINTS}${print.id}/verify/${query}`)).body;
const choose = (who: TestBrowser, proof_only: boolean) =>
  who.send("PUT", `${ENVELOPES}${envelope.id}/public-page/`, {
    body: JSON.stringify({ proof_only }),
    headers: { "content-type": "application/json" },
  });

it("security line 57: « Preuve seule » shows what a document is worth without the document, to all but its owner", async () => {
  const withSig = `?sig=${print.sig}`;
  expect(await proofOf(anybody, withSig)).toMatchObject({ proof_only: false, document_url: expect.any(String) });
  expect((await choose(owner, true)).body).toMatchObject({ proof_only: true });
  expect(await proofOf(anybody, withSig)).toMatchObject({
    proof_only: true,
    verdict: "valid",
    document_url: null,
    documents: [{ document_url: null, hash_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  });
  for (const address of [print.document_url, print.printable_url]) {
    expect(refusal(await anybody.get(address))).toEqual([404, "not_found"]);
    expect((await owner.get(address)).status).toBe(200);
  }
  expect((await anybody.get(print.proof_url)).status).toBe(200);
  expect((await proofOf(owner, "")).document_url).not.toBeNull();

  expect((await choose(owner, false)).body).toMatchObject({ proof_only: false });
  expect((await anybody.get(print.document_url)).status).toBe(200);
});

it("security line 57: « Preuve seule » chosen before the sending holds from the first signature on", async () => {
  const sent = await createSent(owner, { recipients: [PAUL], proof_only: true });
  const guest = await openMailedGuest(test, sent.id, PAUL.email);
  await guest.confirm();
  await guest.post("sign/", TYPED);
  const own = (await owner.post(`${PRINTS}generate/`, { envelope: sent.id, qr_type: "last" })).body as Print;
  const proof = (await anybody.get(`${PRINTS}${own.id}/verify/?sig=${own.sig}`)).body as Proof;
  expect(proof).toMatchObject({ verdict: "valid", proof_only: true, document_url: null });
  expect(refusal(await anybody.get(own.document_url))).toEqual([404, "not_found"]);
  expect((await owner.get(own.document_url)).status).toBe(200);
});

/** Every text of the file, and what its base64 holds. */
const everythingIn = (text: string): string =>
  [text, ...(text.match(/[A-Za-z0-9+/_-]{40,}=*/g) ?? []).map((part) => Buffer.from(part, "base64").toString("latin1"))].join("\n");

it("security line 57: under « Preuve seule » preuve.json gives who holds the paper no signer's address, and proves the file of who has it", async () => {
  const sent = await createSent(owner, { recipients: [PAUL], proof_only: true });
  await signAsGuest(test, sent.id, PAUL.email);
  await test.settle({ deferred: "run" });
  const own = await printOf(owner, sent, "last");
  const [held, shown] = [await bytesAt(anybody, own.proof_url), await bytesAt(owner, own.proof_url.split("?")[0] ?? "")];
  const { proof } = proofIn(held);
  expect(everythingIn(Buffer.from(held).toString())).not.toMatch(/[\w.+-]{2,}@[\w-]+\.[a-z]{2,}/);
  expect(everythingIn(Buffer.from(shown).toString())).toContain(PAUL.email);
  expect(proof.certificates.signers).toEqual([]);
  expect(proof.signatures).toMatchObject([{ certificate: null, certificate_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  const [root, pdf] = [await bytesAt(anybody, "/pki/root.crt"), await bytesAt(owner, own.document_url)];
  const verify = (files: readonly BroughtFile[]) => verifyProof({ proof: held, files, roots: [root], now: test.platform.clock() });
  expect((await verify([{ name: "contrat.pdf", bytes: pdf }])).verdict).toBe("valid");
  // Without the document nothing is said of its signatures.
  const alone = await verify([]);
  const missing = ["file", "cards"].map((name) => [name, "not_checked"]);
  expect([alone.verdict, notOk(alone)]).toEqual(["indeterminate", missing]);
  const [row] = proof.signatures;
  Object.assign(row ?? {}, { certificate_sha256: "ab".repeat(32) });
  const other = await verifyProof({
    proof: await sealedBy(test, proof),
    files: [{ name: "contrat.pdf", bytes: pdf }],
    roots: [root],
    now: test.platform.clock(),
  });
  expect(notOk(other)).toContainEqual(["link", "failed"]);
});

it("is for the sender alone to choose, and each choice stands in the journal once", async () => {
  const recipient = await signIn(test, await createMember(test.platform));
  expect(refusal(await choose(recipient, true))).toEqual([404, "not_found"]);
  expect(refusal(await choose(anybody, true))).toEqual([401, "session_expired"]);
  await choose(owner, true);
  await choose(owner, true);
  await choose(owner, false);
  const events = await test.platform.db
    .selectFrom("audit_events")
    .select("detail")
    .where("envelope_id", "=", envelope.id)
    .where("action", "=", "public_page_changed")
    .orderBy("sequence")
    .execute();
  expect(events.map(({ detail }) => (detail as { proof_only: boolean }).proof_only)).toEqual([true, false, true, false]);
});
