import type { Envelope, Print, Proof } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, signIn } from "../../../testing/member.ts";

const PRINTS = "/api/signature/prints/";
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
