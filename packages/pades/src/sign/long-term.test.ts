import { beforeAll, expect, test } from "vitest";
import { archiveWith, gatherLongTerm } from "../../testing/archive.ts";
import { prepareAll, signAs } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { TEST_NOW, type TestPki, createTestPki, trusting } from "../../testing/test-pki.ts";
import { validate } from "../validate/validate.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { completeSignature } from "./create-signature.ts";
import {
  type LongTermData,
  addSecurityStore,
  longTermNeeds,
  prepareDocumentTimestamp,
} from "./long-term.ts";

const AFTER = new Date(TEST_NOW.getTime() + 3_600_000);
const YEARS = 365 * 86_400_000;
let pki: TestPki;
let signed: Uint8Array;
let data: LongTermData;

const validated = (bytes: Uint8Array) =>
  validate(bytes, {
    evidence: trusting(pki.root.certificates),
    now: AFTER,
    policy: { revocation: "required" },
  });

beforeAll(async () => {
  pki = await createTestPki();
  const [alice, bob] = await Promise.all([
    pki.issue({ commonName: "Alice" }),
    pki.issue({ commonName: "Bob" }),
  ]);
  const first = await signAs(await prepareAll(smallPdf()), {
    signer: alice,
    tsa: pki.tsa,
    ownerKey: "alice",
  });
  signed = await signAs(first, { signer: bob, tsa: pki.tsa, ownerKey: "bob" });
  data = await gatherLongTerm(pki, signed, AFTER);
});

test("long-term needs are both signers, the time-stamp authority, the CA and the root, which needs no revocation data", async () => {
  const needs = await longTermNeeds(signed, trusting(pki.root.certificates));
  expect(
    needs.certificates.map((der) => parseCertificate(der).subject.commonName).toSorted(),
  ).toEqual(["Alice", "Bob", "Paraphe Test CA", "Paraphe Test Root", "Paraphe Test TSA"]);
  expect(needs.revocations).toHaveLength(4);
});

test("a security store gives B-LT", async () => {
  const { signatures } = await validated(await addSecurityStore(signed, data));
  expect(signatures.map(({ level, laterChanges }) => [level, laterChanges])).toEqual([
    ["B-LT", "form_filling"],
    ["B-LT", "lta"],
  ]);
});

test("a document time-stamp gives B-LTA, every signature passed", async () => {
  const archived = await archiveWith(pki, signed, AFTER);
  const report = await validated(archived);
  expect(report).toMatchObject({ indication: "TOTAL_PASSED", problems: [] });
  expect(
    report.signatures.map(({ kind, level, laterChanges }) => [kind, level, laterChanges]),
  ).toEqual([
    ["signature", "B-LTA", "form_filling"],
    ["signature", "B-LTA", "lta"],
    ["document_timestamp", null, "none"],
  ]);
  expect(archived.length - signed.length).toBeLessThan(20 * 1024);
});

test("an archived file passes after the signers' certificates expired", async () => {
  const archived = await archiveWith(pki, signed, AFTER);
  const now = new Date(AFTER.getTime() + 3 * YEARS);
  const { signatures } = await validate(archived, {
    evidence: trusting(pki.root.certificates),
    now,
  });
  expect(signatures.slice(0, 2).map(({ indication }) => indication)).toEqual([
    "TOTAL_PASSED",
    "TOTAL_PASSED",
  ]);
});

test("another document time-stamp renews the proof, and each certificate is stored once", async () => {
  const archived = await archiveWith(pki, signed, AFTER);
  const renewed = await archiveWith(pki, archived, AFTER);
  const report = await validated(renewed);
  expect(
    report.signatures.map(({ indication, laterChanges }) => [indication, laterChanges]),
  ).toEqual([
    ["TOTAL_PASSED", "form_filling"],
    ["TOTAL_PASSED", "lta"],
    ["TOTAL_PASSED", "lta"],
    ["TOTAL_PASSED", "none"],
  ]);
});

test("a signature that is the value of two fields has one VRI entry", async () => {
  const fields = "/AcroForm<</SigFlags 3/Fields[20 0 R 21 0 R]>>";
  const field = (name: string) =>
    `<</Type/Annot/Subtype/Widget/FT/Sig/T(${name})/Rect[0 0 0 0]/F 132/V 22 0 R>>`;
  const value =
    "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/ByteRange[0 1 2 3]/Contents<30>>>";
  const twice = smallPdf({
    catalogExtra: fields,
    objects: { 20: field("a"), 21: field("b"), 22: value },
  });
  const stored = new TextDecoder("latin1").decode(
    await addSecurityStore(twice, { certificates: [], ocsps: [], crls: [] }),
  );
  expect(stored.match(/\/B6589FC6AB0DC82CF12099D1C2D40AB994E8410C<</g)).toHaveLength(1);
});

test("a document time-stamp over other bytes fails", async () => {
  const prepared = await prepareDocumentTimestamp(signed, { longTermData: data });
  const wrong = completeSignature(prepared, await pki.tsa.timestamp(new Uint8Array(32)));
  expect((await validated(wrong)).signatures.at(-1)).toMatchObject({
    indication: "TOTAL_FAILED",
    kind: "document_timestamp",
  });
});
