import { beforeAll, expect, test } from "vitest";
import { type AttackStage, createAttackStage, STAGE_LATER } from "../../testing/attack-stage.ts";
import { ATTACKS } from "../../testing/attacks.ts";
import { DIGEST_ATTACKS, withAttributes, withIssuerSerial } from "../../testing/attacks-digests.ts";
import { edited } from "../../testing/forge.ts";
import { freeCms, signFreely } from "../../testing/sign-freely.ts";
import { trusting } from "../../testing/test-pki.ts";
import { integer, octetString, sequence, time, tlv, unsignedInteger } from "../asn1/der-writer.ts";
import { OID } from "../asn1/oids.ts";
import { attribute } from "../cms/signed-data.ts";
import { inspectPdf } from "../inspect/inspect-pdf.ts";
import { parseCertificate } from "../x509/certificate.ts";
import type { SignatureReport, ValidationReport } from "./types.ts";
import { validate } from "./validate.ts";

let stage: AttackStage;
beforeAll(async () => {
  stage = await createAttackStage();
});
const validated = (bytes: Uint8Array): Promise<ValidationReport> =>
  validate(bytes, { evidence: trusting(stage.pki.root.certificates), now: STAGE_LATER });
const only = async (bytes: Uint8Array): Promise<SignatureReport> =>
  (await validated(bytes)).signatures[0] as SignatureReport;

const issuerOf = (der: Uint8Array): Uint8Array =>
  sequence(tlv(0xa4, parseCertificate(der).issuerDer));
const numberOf = (der: Uint8Array): Uint8Array =>
  unsignedInteger(parseCertificate(der).serialNumber);

test.each<[string, (own: Uint8Array) => Uint8Array, readonly string[]]>([
  ["its issuer and its number", (own) => sequence(issuerOf(own), numberOf(own)), []],
  ["another number", (own) => sequence(issuerOf(own), integer(42)), ["issuer_serial_differs"]],
  [
    "another issuer",
    (own) => sequence(sequence(tlv(0xa4, parseCertificate(own).subjectDer)), numberOf(own)),
    ["issuer_serial_differs"],
  ],
  [
    "an issuer that is no name",
    (own) => sequence(sequence(tlv(0x82, new Uint8Array([0x78]))), numberOf(own)),
    ["issuer_serial_differs"],
  ],
  ["something else", () => sequence(integer(1)), ["issuer_serial_differs"]],
  ["something of another kind", () => integer(1), ["issuer_serial_differs"]],
])(
  "the issuer and serial number beside the certificate's digest: %s (EN 319 102-1 §5.2.3.4)",
  async (_name, beside, warnings) => {
    expect(await only(await withIssuerSerial(beside)(stage))).toMatchObject({
      indication: "TOTAL_PASSED",
      level: "B-B",
      warnings,
    });
  },
);

test("a reference with another certificate's digest finds no signing certificate (EN 319 102-1 §5.2.3.4)", async () => {
  const other = attribute(
    OID.signingCertificateV2,
    sequence(sequence(sequence(octetString(new Uint8Array(32))))),
  );
  const bytes = await signFreely(stage.prepared, {
    cms: (covered) =>
      freeCms(covered, {
        ...stage.free,
        attributes: "without_reference",
        change: (list) => [...list, other],
      }),
  });
  expect(await only(bytes)).toMatchObject({
    indication: "INDETERMINATE",
    subIndication: "NO_SIGNING_CERTIFICATE_FOUND",
    warnings: [],
  });
});

const signingTime = [attribute(OID.signingTime, time(STAGE_LATER))];
test("a PAdES signature with a signing-time passes with a warning and no level (EN 319 142-1 §6.3)", async () => {
  const report = await validated(await withAttributes(signingTime)(stage));
  expect(report.indication).toBe("TOTAL_PASSED");
  expect(report.signatures[0]).toMatchObject({
    subIndication: null,
    level: null,
    warnings: ["signing_time_attribute"],
  });
  expect(await only(stage.first)).toMatchObject({ level: "B-T", warnings: [] });
});

test("a signing-time in an older signature is no warning", async () => {
  const bytes = await signFreely(stage.prepared, {
    subFilter: "adbe.pkcs7.detached",
    cms: (covered) =>
      freeCms(covered, { ...stage.free, change: (list) => [...list, ...signingTime] }),
  });
  expect(await only(bytes)).toMatchObject({ indication: "TOTAL_PASSED", warnings: [] });
});

test.each(Object.entries(DIGEST_ATTACKS).filter(([name]) => !name.endsWith("of other bytes")))(
  "%s proves no time: CRYPTO_CONSTRAINTS_FAILURE",
  async (_name, attack) => {
    const { signatures } = await validated(await attack(stage));
    expect(signatures.at(-1)).toMatchObject({
      indication: "INDETERMINATE",
      subIndication: "CRYPTO_CONSTRAINTS_FAILURE",
      timestamp: null,
    });
  },
);

test("a time-stamp over other bytes is refused whatever its digest; one over these bytes is accepted at upload", async () => {
  const whole = await DIGEST_ATTACKS["digest: a document time-stamp over SHA-1"]?.(stage);
  const other =
    await DIGEST_ATTACKS["digest: a document time-stamp over SHA-1 of other bytes"]?.(stage);
  expect((await validated(other as Uint8Array)).signatures.at(-1)).toMatchObject({
    subIndication: "SIG_CRYPTO_FAILURE",
  });
  await expect(inspectPdf(other as Uint8Array)).rejects.toMatchObject({
    code: "pdf_invalid_signatures",
  });
  const { result, findings } = await inspectPdf(whole as Uint8Array);
  expect([result, findings]).toEqual([
    "ok",
    expect.arrayContaining([{ code: "unverified_timestamps", count: 1 }]),
  ]);
});

test("a document altered after a SHA-1 signature is refused at upload", async () => {
  const signed = await signFreely(stage.prepared, {
    cms: (covered) => freeCms(covered, { ...stage.free, digest: "SHA-1" }),
  });
  const altered = edited(signed, "Contrat", "Contrad");
  expect(await only(signed)).toMatchObject({
    indication: "INDETERMINATE",
    subIndication: "CRYPTO_CONSTRAINTS_FAILURE",
  });
  expect(await only(altered)).toMatchObject({
    indication: "TOTAL_FAILED",
    subIndication: "HASH_FAILURE",
  });
  expect(await inspectPdf(signed)).toMatchObject({
    signatureCount: 1,
    findings: [{ code: "unverified_signatures", count: 1 }, { code: "existing_form" }],
  });
  await expect(inspectPdf(altered)).rejects.toMatchObject({ code: "pdf_invalid_signatures" });
});

test("a signature over its own digest (adbe.pkcs7.sha1) is accepted at upload unless it covers other bytes", async () => {
  const enclosed = (digest: (covered: Uint8Array) => Promise<Uint8Array>): Promise<Uint8Array> =>
    signFreely(stage.prepared, {
      subFilter: "adbe.pkcs7.sha1",
      cms: async (covered) => {
        const attached = await digest(covered);
        return freeCms(attached, { ...stage.free, digest: "SHA-1", attached });
      },
    });
  const sha1 = async (bytes: Uint8Array): Promise<Uint8Array> =>
    new Uint8Array(await crypto.subtle.digest("SHA-1", bytes as BufferSource));
  const whole = await enclosed(sha1);
  expect(await only(whole)).toMatchObject({
    indication: "INDETERMINATE",
    subIndication: "CRYPTO_CONSTRAINTS_FAILURE",
  });
  expect((await inspectPdf(whole)).findings).toContainEqual({
    code: "unverified_signatures",
    count: 1,
  });
  const altered = edited(whole, "Contrat", "Contrad");
  expect(await only(altered)).toMatchObject({
    indication: "TOTAL_FAILED",
    subIndication: "HASH_FAILURE",
  });
  await expect(inspectPdf(altered)).rejects.toMatchObject({ code: "pdf_invalid_signatures" });
  const detached = await signFreely(stage.prepared, {
    subFilter: "adbe.pkcs7.sha1",
    cms: (covered) => freeCms(covered, stage.free),
  });
  expect(await only(detached)).toMatchObject({
    indication: "TOTAL_FAILED",
    subIndication: "FORMAT_FAILURE",
  });
});

test.each([
  ["value: a bare one, by SHA-1", "CRYPTO_CONSTRAINTS_FAILURE", "unverified_signatures"],
  [
    "value: a bare one, by a key of 1 024 bits",
    "CRYPTO_CONSTRAINTS_FAILURE",
    "unverified_signatures",
  ],
  ["value: something behind it", "SIG_CONSTRAINTS_FAILURE", "existing_signatures"],
  ["certificate: a key of 1 024 bits", "CRYPTO_CONSTRAINTS_FAILURE", "unverified_signatures"],
  ["stamp: nowhere, called a signature, and nothing else", null, "unverified_timestamps"],
  [
    "time-stamp: without the certificate of its authority",
    "NO_SIGNING_CERTIFICATE_FOUND",
    "unverified_timestamps",
  ],
])(
  "this shows no alteration, and is accepted at upload but never valid: %s",
  async (name, subIndication, finding) => {
    const bytes = (await ATTACKS[name]?.(stage)) as Uint8Array;
    expect((await validated(bytes)).signatures.at(-1)).toMatchObject({
      indication: "INDETERMINATE",
      subIndication,
      level: null,
    });
    expect((await inspectPdf(bytes)).findings).toContainEqual({
      code: finding,
      count: expect.any(Number),
    });
  },
);

test("a key too weak to verify with is not called a wrong signature", async () => {
  const report = await only(
    (await ATTACKS["certificate: a key of 1 024 bits"]?.(stage)) as Uint8Array,
  );
  expect(report.checks).toContainEqual({
    name: "signature_value",
    passed: null,
    detail: expect.stringContaining("its key is too weak"),
  });
});

test.each([
  ["value: a bare one of other bytes", "SIG_CRYPTO_FAILURE", "pdf_invalid_signatures"],
  ["value: in BER, of other bytes", "HASH_FAILURE", "pdf_invalid_signatures"],
  ["value: something behind it, of other bytes", "HASH_FAILURE", "pdf_invalid_signatures"],
  ["value: of a kind that nobody knows", "FORMAT_FAILURE", "pdf_unverifiable_signatures"],
  [
    "value: a signature that calls itself a time-stamp",
    "FORMAT_FAILURE",
    "pdf_unverifiable_signatures",
  ],
  ["stamp: a certification of its own", "FORMAT_FAILURE", "pdf_unverifiable_signatures"],
])("this shows an alteration: %s", async (name, subIndication, code) => {
  const bytes = (await ATTACKS[name]?.(stage)) as Uint8Array;
  expect((await validated(bytes)).signatures.at(-1)).toMatchObject({
    indication: "TOTAL_FAILED",
    subIndication,
  });
  await expect(inspectPdf(bytes)).rejects.toMatchObject({ code });
});

test.each([
  ["of another kind", "adbe.x509.rsa_sha1", octetString(new Uint8Array(64))],
  ["a time-stamp that is no token", "ETSI.RFC3161", new Uint8Array([0x04])],
  ["no CMS", "adbe.pkcs7.detached", integer(1)],
])(
  "an unreadable signature is never valid, and shows no alteration: %s",
  async (_name, subFilter, contents) => {
    const bytes = await signFreely(stage.prepared, { subFilter, cms: async () => contents });
    expect(await only(bytes)).toMatchObject({
      indication: "TOTAL_FAILED",
      subIndication: "FORMAT_FAILURE",
    });
    await expect(inspectPdf(bytes)).rejects.toMatchObject({
      code: "pdf_unverifiable_signatures",
    });
  },
);
