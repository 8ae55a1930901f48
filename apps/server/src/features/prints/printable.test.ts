import { createHash } from "node:crypto";
import { type Envelope, type Print } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades";
import { readStatement, verifyStatement } from "@paraphe/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { missingRenderer, renderPage } from "../../../testing/render-pdf.ts";
import { readCodes } from "../../../testing/scan-picture.ts";

const PRINTS = "/api/signature/prints/";
const missing = missingRenderer();
let test: TestApp;
let owner: TestBrowser;
let anybody: TestBrowser;

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" } });
  owner = await signIn(test, await createMember(test.platform));
  anybody = openBrowser(test.app);
});
afterAll(() => test.close());

const signed = async (files?: readonly { readonly name: string; readonly bytes: Uint8Array }[]): Promise<Envelope> => {
  const envelope = await createSent(owner, { recipients: [PAUL], ...(files ? { files: [...files] } : {}) });
  const guest = await openMailedGuest(test, envelope.id, PAUL.email);
  await guest.confirm();
  expect([200, 202]).toContain((await guest.post("sign/", TYPED)).status);
  await expect.poll(async () => (await guest.get("guest/")).body.recipient.signed, { timeout: 15_000 }).toBe(true);
  await test.settle();
  return envelope;
};
const print = async (envelope: Envelope, qr_type: Print["qr_type"]): Promise<Print> =>
  (await owner.post(`${PRINTS}generate/`, { envelope: envelope.id, qr_type })).body;
const copyOf = async (made: Print, more = ""): Promise<Uint8Array> => {
  const answer = await anybody.get(made.printable_url + more);
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/pdf"]);
  return answer.bytes;
};
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
/** The texts of the codes of each page, as an independent reader finds them. */
const codesOf = async (bytes: Uint8Array, pages: number) => {
  const found: string[][] = [];
  for (let page = 1; page <= pages; page += 1) found.push((await readCodes(renderPage(bytes, page, 200))).map(({ text }) => text));
  return found;
};

describe.skipIf(missing)("GET prints/{id}/printable/", () => {
  it("has a code on every page: the print's address, with a statement of that page that the seal signed", async () => {
    const made = await print(await signed([{ name: "Bail.pdf", bytes: makePdf({ pages: 3 }) }]), "page");
    const document = (await anybody.get(made.document_url)).bytes;
    const codes = await codesOf(await copyOf(made), 3);
    // The seal as preuve.json carries it: nothing else of the service is needed.
    const [header = ""] = JSON.parse((await anybody.get(made.proof_url)).text).jws.split(".");
    const [certificate] = JSON.parse(Buffer.from(header, "base64url").toString()).x5c;
    const seal = parseCertificate(new Uint8Array(Buffer.from(certificate, "base64"))).subjectPublicKey;
    for (const [index, texts] of codes.entries()) {
      const [address = "", fragment = ""] = (texts[0] ?? "").split("#");
      expect(address).toBe(made.verify_url);
      const read = readStatement(made.id, fragment);
      expect(read?.statement).toEqual({
        printId: made.id,
        pageNumber: index + 1,
        pageCount: 3,
        hashPrefix: new Uint8Array(sha256(document).subarray(0, 16)),
        madeOn: test.platform.clock().toISOString().slice(0, 10),
      });
      expect(read && (await verifyStatement(read, [seal]))).toEqual(seal);
    }
  });

  it("has it on the last page alone, or on a page that is added, as was asked", async () => {
    const envelope = await signed([{ name: "Bail.pdf", bytes: makePdf({ pages: 2 }) }]);
    const [last, certificate] = [await print(envelope, "last"), await print(envelope, "certificate")];
    expect((await codesOf(await copyOf(last), 2)).map((texts) => texts.length)).toEqual([0, 1]);
    const codes = await codesOf(await copyOf(certificate), 3);
    expect(codes.map((texts) => texts.length)).toEqual([0, 0, 1]);
    const fragment = codes[2]?.[0]?.split("#")[1] ?? "";
    expect(readStatement(certificate.id, fragment)?.statement).toMatchObject({ pageNumber: 0, pageCount: 2 });
  });

  it("is a copy: it carries no signature, and comes from the stored file, which stays as it is", async () => {
    const made = await print(await signed(), "page");
    const before = (await anybody.get(made.document_url)).bytes;
    const copy = await copyOf(made);
    expect(Buffer.from(copy).includes("/ByteRange")).toBe(false);
    expect(await test.platform.sandbox.call("inspect", copy)).toMatchObject({ signatureCount: 0, findings: [] });
    expect(sha256((await anybody.get(made.document_url)).bytes)).toEqual(sha256(before));
    // The signature's own look is on the paper, as everything else that the document shows.
    const [original, printed] = [renderPage(before, 1, 72).pixels, renderPage(copy, 1, 72).pixels];
    const ink = [...original.keys()].filter((at) => (original[at] ?? 255) < 128);
    expect(ink.length).toBeGreaterThan(3_000);
    expect(ink.filter((at) => Math.abs((printed[at] ?? 255) - (original[at] ?? 0)) > 24)).toEqual([]);
  });

  it("prints the document that is asked for, of several", async () => {
    const files = [1, 2].map((pages) => ({ name: `Annexe ${pages}.pdf`, bytes: makePdf({ pages }) }));
    const envelope = await signed(files);
    const made = await print(envelope, "page");
    const second = await copyOf(made, `&document=${envelope.documents[1]?.id}`);
    expect(await test.platform.sandbox.call("inspect", second)).toMatchObject({ pageCount: 2 });
    expect(refusal(await anybody.get(`${made.printable_url}&document=019aa000-0000-7000-8000-000000000000`))).toEqual([404, "not_found"]);
  });
});

it("there is no copy to print before a first signature, nor of an envelope that was cancelled", async () => {
  const sent = await createSent(owner, { recipients: [PAUL] });
  const early = await print(sent, "page");
  expect(refusal(await anybody.get(early.printable_url))).toEqual([404, "not_found"]);
  const envelope = await signed();
  const made = await print(envelope, "page");
  expect((await anybody.get(made.printable_url)).headers["cache-control"]).toBe("private, no-store");
  await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
  expect(refusal(await anybody.get(made.printable_url))).toEqual([404, "not_found"]);
});
