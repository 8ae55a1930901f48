import { beforeAll, expect, test } from "vitest";
import { latinBytes } from "../pdf/incremental-update.ts";
import { createCrl, createOcspCertId, createOcspResponse } from "../x509/ocsp.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { concatBytes } from "../asn1/der-writer.ts";
import { edited, forgedRevision } from "../../testing/forge.ts";
import { prepareAll, signAs } from "../../testing/sign-flow.ts";
import { TEST_NOW, type TestPki, createTestPki, trusting } from "../../testing/test-pki.ts";
import { smallPdf, type Objects } from "../../testing/small-pdf.ts";
import type { Signer } from "../ports.ts";
import type { Evidence, ValidationReport } from "./types.ts";
import { validate } from "./validate.ts";

const LATER = new Date(TEST_NOW.getTime() + 60_000);
let pki: TestPki;
let other: TestPki;
let alice: Signer;
let bob: Signer;
let prepared: Uint8Array;
let first: Uint8Array;
let second: Uint8Array;
let evidence: Evidence;

beforeAll(async () => {
  [pki, other] = await Promise.all([createTestPki(), createTestPki()]);
  [alice, bob] = await Promise.all([
    pki.issue({ commonName: "Alice Éléonore", country: "FR" }, { email: "alice@exemple.fr" }),
    pki.issue({ commonName: "Bob" }),
  ]);
  evidence = trusting(pki.root.certificates);
  prepared = await prepareAll(smallPdf());
  first = await signAs(prepared, { signer: alice, tsa: pki.tsa, ownerKey: "alice" });
  second = await signAs(first, { signer: bob, tsa: pki.tsa, ownerKey: "bob" });
});

const validated = (bytes: Uint8Array, with_: Partial<Evidence> = {}): Promise<ValidationReport> =>
  validate(bytes, { evidence: { ...evidence, ...with_ }, now: LATER });
const verdicts = ({ signatures }: ValidationReport): unknown[] =>
  signatures.map(({ indication, subIndication }) => [indication, subIndication]);
const forged = (bytes: Uint8Array, objects: Objects): Uint8Array =>
  forgedRevision(bytes, { objects });

test("a sound signature passes at level B-T with its facts", async () => {
  const report = await validated(first);
  expect(report).toMatchObject({ indication: "TOTAL_PASSED", problems: [] });
  expect(report.signatures[0]).toMatchObject({
    indication: "TOTAL_PASSED",
    level: "B-T",
    signerName: "Alice Éléonore",
    coverage: "whole_file",
    laterChanges: "none",
    subFilter: "ETSI.CAdES.detached",
    claimedTime: new Date("2026-11-21T14:16:04Z"),
    certificate: { emails: ["alice@exemple.fr"] },
    timestamp: { trusted: true, authorityName: "Paraphe Test TSA" },
  });
});

test("the first signature stays passed when a second person fills and signs", async () => {
  const report = await validated(second);
  expect(
    report.signatures.map(({ indication, laterChanges, coverage }) => [
      indication,
      laterChanges,
      coverage,
    ]),
  ).toEqual([
    ["TOTAL_PASSED", "form_filling", "whole_revision"],
    ["TOTAL_PASSED", "none", "whole_file"],
  ]);
});

test("a signature without a time-stamp is B-B", async () => {
  const bare = await signAs(prepared, { signer: alice, ownerKey: "alice" });
  expect((await validated(bare)).signatures[0]).toMatchObject({
    indication: "TOTAL_PASSED",
    level: "B-B",
    timestamp: null,
  });
});

test("a file without a signature is indeterminate", async () => {
  expect(await validated(prepared)).toMatchObject({ indication: "INDETERMINATE", signatures: [] });
});

test("an unknown root leaves the signature indeterminate", async () => {
  expect(verdicts(await validated(first, trusting(other.root.certificates)))).toEqual([
    ["INDETERMINATE", "NO_CERTIFICATE_CHAIN_FOUND"],
  ]);
});

test("an expired certificate passes only with an earlier time-stamp", async () => {
  const short = await pki.issue(
    { commonName: "Bref" },
    { notAfter: new Date(TEST_NOW.getTime() + 1000) },
  );
  const stamped = await signAs(prepared, { signer: short, tsa: pki.tsa, ownerKey: "alice" });
  const bare = await signAs(prepared, { signer: short, ownerKey: "alice" });
  expect(verdicts(await validated(stamped))).toEqual([["TOTAL_PASSED", null]]);
  expect(verdicts(await validated(bare))).toEqual([["INDETERMINATE", "OUT_OF_BOUNDS_NO_POE"]]);
});

test("a certificate not yet valid is indeterminate", async () => {
  const early = await pki.issue(
    { commonName: "Trop tôt" },
    { notBefore: new Date(LATER.getTime() + 10_000) },
  );
  const signed = await signAs(prepared, { signer: early, tsa: pki.tsa, ownerKey: "alice" });
  expect(verdicts(await validated(signed))).toEqual([["INDETERMINATE", "NOT_YET_VALID"]]);
});

test("a time-stamp of an unknown authority leaves the time unproven", async () => {
  const signed = await signAs(prepared, { signer: alice, tsa: other.tsa, ownerKey: "alice" });
  expect((await validated(signed)).signatures[0]).toMatchObject({
    indication: "INDETERMINATE",
    subIndication: "NO_POE",
    level: null,
    timestamp: { trusted: false },
  });
});

test("a certificate for time-stamping does not sign documents", async () => {
  const signed = await signAs(prepared, { signer: pki.tsaSigner, ownerKey: "alice" });
  expect(verdicts(await validated(signed))).toEqual([
    ["INDETERMINATE", "CHAIN_CONSTRAINTS_FAILURE"],
  ]);
});

const crlFor = (revokedAt: Date): Promise<Uint8Array> =>
  createCrl(pki.ca, {
    number: 1n,
    thisUpdate: LATER,
    nextUpdate: new Date(LATER.getTime() + 86_400_000),
    revoked: [
      {
        serialNumber: parseCertificate(alice.certificates[0] as Uint8Array).serialNumber,
        revokedAt,
        reason: 1,
      },
    ],
  });

test("a revocation before the proven time fails the signature", async () => {
  const crls = [await crlFor(new Date(TEST_NOW.getTime() - 5000))];
  expect(verdicts(await validated(first, { crls }))).toEqual([["TOTAL_FAILED", "REVOKED"]]);
});

test("a revocation after the proven time leaves it passed", async () => {
  const crls = [await crlFor(new Date(TEST_NOW.getTime() + 5000))];
  expect(verdicts(await validated(first, { crls }))).toEqual([["TOTAL_PASSED", null]]);
});

test("a revocation without a proven time is indeterminate", async () => {
  const bare = await signAs(prepared, { signer: alice, ownerKey: "alice" });
  const crls = [await crlFor(new Date(TEST_NOW.getTime() + 5000))];
  expect(verdicts(await validated(bare, { crls }))).toEqual([["INDETERMINATE", "REVOKED_NO_POE"]]);
});

test("a CRL with a forged signature is ignored", async () => {
  const { serialNumber } = parseCertificate(alice.certificates[0] as Uint8Array);
  const forgedCrl = await createCrl(
    { ...other.ca, certificates: pki.ca.certificates },
    {
      number: 1n,
      thisUpdate: LATER,
      nextUpdate: LATER,
      revoked: [{ serialNumber, revokedAt: new Date(0) }],
    },
  );
  expect(verdicts(await validated(first, { crls: [forgedCrl] }))).toEqual([["TOTAL_PASSED", null]]);
});

test("required revocation data gives TRY_LATER when missing, and passes with OCSP and CRL", async () => {
  const strict = (with_: Partial<Evidence>): Promise<ValidationReport> =>
    validate(first, {
      evidence: { ...evidence, ...with_ },
      now: LATER,
      policy: { revocation: "required" },
    });
  expect(verdicts(await strict({}))).toEqual([["INDETERMINATE", "TRY_LATER"]]);
  const [leaf, ca] = alice.certificates as [Uint8Array, Uint8Array];
  const certId = await createOcspCertId(leaf, ca);
  const next = new Date(LATER.getTime() + 86_400_000);
  const ocsp = await createOcspResponse(pki.ocsp, {
    producedAt: LATER,
    answers: [{ certId, status: "good", thisUpdate: LATER, nextUpdate: next }],
  });
  const list = { number: 1n, thisUpdate: LATER, nextUpdate: next, revoked: [] };
  const crls = [await createCrl(pki.root, list), await createCrl(pki.ca, list)];
  const report = await strict({ ocsps: [ocsp], crls });
  expect(verdicts(report)).toEqual([["TOTAL_PASSED", null]]);
  expect(report.signatures[0]?.revocation).toMatchObject({ status: "good" });
});

test("one altered byte of the page fails", async () => {
  expect(verdicts(await validated(edited(first, "Contrat", "Contrad")))).toEqual([
    ["TOTAL_FAILED", "HASH_FAILURE"],
  ]);
});

test("any altered byte under the signature fails", async () => {
  const contents = new TextDecoder("latin1").decode(first).lastIndexOf("/Contents<");
  const step = Math.floor(first.length / 60);
  for (let at = 20; at < first.length; at += step) {
    if (at > contents && at < contents + 16_400) continue;
    const bytes = first.slice();
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect((await validated(bytes)).indication, `offset ${at}`).not.toBe("TOTAL_PASSED");
  }
});

test("a filled room after the value is indeterminate", async () => {
  const end = new TextDecoder("latin1").decode(first).lastIndexOf("0>/Type") - 20;
  const bytes = first.slice();
  bytes[end] = 0x31;
  expect(verdicts(await validated(bytes))).toEqual([["INDETERMINATE", "SIG_CONSTRAINTS_FAILURE"]]);
});

test("bytes after the end of the file fail it", async () => {
  const report = await validated(concatBytes([first, latinBytes("surprise")]));
  expect(report).toMatchObject({
    indication: "TOTAL_FAILED",
    problems: ["trailing_bytes", "broken_xref"].slice(0, report.problems.length),
  });
  expect(report.signatures.every(({ indication }) => indication !== "TOTAL_PASSED")).toBe(true);
});

test("a truncated file does not pass", async () => {
  expect((await validated(first.subarray(0, first.length - 200))).indication).not.toBe(
    "TOTAL_PASSED",
  );
});

test("a ByteRange that covers less fails (USF)", async () => {
  const text = new TextDecoder("latin1").decode(first);
  const range = /\/ByteRange\[0 (\d+ *) (\d+ *) (\d+ *)\]/.exec(text) as RegExpExecArray;
  const shorter = String(Number(range[3]) - 10).padEnd(range[3]?.length ?? 0);
  const report = await validated(
    edited(first, range[0], `/ByteRange[0 ${range[1]} ${range[2]} ${shorter}]`),
  );
  expect(report.indication).toBe("TOTAL_FAILED");
  for (const bad of ["/ByteRange[0 0", "/ByteRange[1 ", "/ByteRang3["]) {
    const attacked = edited(first, range[0].slice(0, bad.length), bad);
    expect((await validated(attacked)).indication, bad).not.toBe("TOTAL_PASSED");
  }
});

test("a later revision of the page's content fails (ISA)", async () => {
  const attacked = forged(first, {
    4: "<</Length 35>>\nstream\nBT /F1 24 Tf 72 700 Td (FAUX) Tj ET  \nendstream",
  });
  expect(await validated(attacked)).toMatchObject({
    indication: "TOTAL_FAILED",
    signatures: [{ laterChanges: "other", indication: "TOTAL_FAILED" }],
  });
});

test("a later value of a locked field fails", async () => {
  const text = new TextDecoder("latin1").decode(first);
  const field = [
    ...text.matchAll(/(\d+) 0 obj\n(<<[^\n]*\/T ?\(env-0198_a-date\)[^\n]*>>)\nendobj/g),
  ].at(-1) as RegExpExecArray;
  const attacked = forged(first, {
    [Number(field[1])]: String(field[2]).replace("21/11/2026", "01/01/2020"),
  });
  expect((await validated(attacked)).signatures[0]).toMatchObject({
    indication: "TOTAL_FAILED",
    laterChanges: "other",
  });
});

test("a later revision that moves, adds or removes an annotation fails", async () => {
  const text = new TextDecoder("latin1").decode(first);
  const page = [...text.matchAll(/3 0 obj\n(<<[^\n]*\/Annots[^\n]*>>)\nendobj/g)].at(
    -1,
  ) as RegExpExecArray;
  const stamp = "<</Type/Annot/Subtype/Stamp/Rect[0 0 500 500]/F 4>>";
  for (const syntax of [
    String(page[1]).replace(/\/Annots \[/, "/Annots [900 0 R "),
    String(page[1]).replace(/\/Annots \[[^\]]*\]/, "/Annots []"),
    String(page[1]).replace(/(\/Annots \[[^\]]*)\]/, "$1 900 0 R]"),
  ]) {
    expect((await validated(forged(first, { 3: syntax, 900: stamp }))).signatures[0]).toMatchObject(
      {
        laterChanges: "other",
      },
    );
  }
});

test("an object defined later behind a dangling reference fails (shadow attack)", async () => {
  const shadowed = smallPdf({ pageExtra: "/PieceInfo 800 0 R" });
  const signed = await signAs(await prepareAll(shadowed), {
    signer: alice,
    tsa: pki.tsa,
    ownerKey: "alice",
  });
  expect((await validated(signed)).indication).toBe("TOTAL_PASSED");
  expect(
    (await validated(forged(signed, { 800: "<</Hidden true>>" }))).signatures[0],
  ).toMatchObject({
    laterChanges: "other",
    indication: "TOTAL_FAILED",
  });
});

test("a new text field after the signature fails", async () => {
  const text = new TextDecoder("latin1").decode(first);
  const form = [...text.matchAll(/(\d+) 0 obj\n(<<[^\n]*\/SigFlags 3[^\n]*>>)\nendobj/g)].at(
    -1,
  ) as RegExpExecArray;
  const grown = String(form[2]).replace(/(\/Fields \[[^\]]*)\]/, "$1 901 0 R]");
  const attacked = forged(first, {
    [Number(form[1])]: grown,
    901: "<</FT/Tx/T(faux)/Type/Annot/Subtype/Widget/Rect[0 0 100 100]>>",
  });
  expect((await validated(attacked)).signatures[0]).toMatchObject({ laterChanges: "other" });
});

test("an update with an unreferenced object alone fails", async () => {
  expect(
    (await validated(forged(first, { 950: "<</Type/Catalog/Pages 2 0 R>>" }))).signatures[0],
  ).toMatchObject({ laterChanges: "other" });
});

test("another catalog fails", async () => {
  const attacked = new TextDecoder("latin1")
    .decode(forged(first, { 950: "<</Type/Catalog/Pages 2 0 R>>" }))
    .replace(/\/Root \d+ 0 R(?=[^/]*\/Prev \d+>>\nstartxref\n\d+\n%%EOF\n$)/, "/Root 950 0 R");
  expect((await validated(latinBytes(attacked))).indication).not.toBe("TOTAL_PASSED");
});

test("a value whose certificate reference names another certificate fails", async () => {
  const signed = await signAs(prepared, {
    signer: {
      ...alice,
      certificates: [bob.certificates[0] as Uint8Array, pki.ca.certificates[0] as Uint8Array],
    },
    ownerKey: "alice",
  });
  expect(verdicts(await validated(signed))).toEqual([["TOTAL_FAILED", "SIG_CRYPTO_FAILURE"]]);
});

test("bytes that are no PDF are reported, not thrown", async () => {
  expect(await validated(latinBytes("bonjour"))).toEqual({
    indication: "TOTAL_FAILED",
    signatures: [],
    problems: ["not_a_pdf"],
    pageCount: null,
  });
  expect((await validated(latinBytes("%PDF-1.7\n%%EOF"))).problems).toEqual(["pdf_damaged"]);
});
