import { writeFileSync } from "node:fs";
import { PdfString } from "@libpdf/core";
import { signedFields } from "../src/pdf/form-fields.ts";
import { type OpenPdf, arrayAt, follow, nameAt, openPdf } from "../src/pdf/open-pdf.ts";
import { readSecurityStore } from "../src/validate/security-store.ts";
import { parseCertificate } from "../src/x509/certificate.ts";
import { parseOcspResponse } from "../src/x509/ocsp.ts";
import type { Certificate } from "../src/x509/types.ts";
import { PREFIX } from "../testing/sign-flow.ts";
import type { Answer, DssVerdict, PyHankoVerdict, Verdict } from "./validators.ts";
import { pem, runAside } from "./tool.ts";

/** `prefix`: of our field names. `came`: the fields already signed. */
export type Expected = {
  readonly signatures: number;
  readonly timestamps: number;
  readonly prefix?: string;
  readonly came?: readonly string[];
};

const oursAmong = <V extends Verdict>(
  { signatures = [] }: Answer<V>,
  { prefix = PREFIX, came = [] }: Expected,
): readonly V[] =>
  signatures.filter(
    ({ field }) =>
      (field.startsWith(prefix) || field.startsWith("horodatage_")) && !came.includes(field),
  );

function missingVerdicts<V extends Verdict>(answer: Answer<V>, expected: Expected): string[] {
  if (answer.error) return [answer.error];
  const ours = oursAmong(answer, expected);
  const [found, stamps] = (["signature", "document_timestamp"] as const).map(
    (kind) => ours.filter((one) => one.kind === kind).length,
  );
  if (found === expected.signatures && stamps === expected.timestamps) return [];
  return [
    `${found} signatures and ${stamps} time-stamps judged, ${expected.signatures} and ${expected.timestamps} written`,
  ];
}

/** Reports anything but PAdES-BASELINE-LTA, passed, without a remark. */
export function dssComplaints(answer: Answer<DssVerdict>, expected: Expected): string[] {
  const remarks = oursAmong(answer, expected).flatMap((one) => {
    const passed = one.kind === "signature" ? "TOTAL_PASSED" : "PASSED";
    return [
      ...(one.indication === passed ? [] : [`${one.indication} ${one.sub_indication}`]),
      ...(one.kind === "document_timestamp" || one.format === "PAdES-BASELINE-LTA"
        ? []
        : [`format ${one.format}`]),
      ...one.errors,
      ...one.warnings,
      ...changesSeen(one),
    ].map((remark) => `${one.field}: ${remark}`);
  });
  return [...missingVerdicts(answer, expected), ...remarks];
}

export function changesSeen(one: DssVerdict): string[] {
  return [
    ...(one.byte_range_ok ? [] : ["ByteRange"]),
    ...(one.dictionary_ok ? [] : ["signature dictionary changed"]),
    ...(one.overlapping_pages ? ["annotations overlap"] : []),
    ...(one.visual_differences ? ["pages look different"] : []),
    ...(one.page_differences ? ["pages added or removed"] : []),
    ...one.annotation_changes.map((change) => `annotation ${change}`),
    ...one.undefined_changes.map((change) => `undefined ${change}`),
  ];
}

/** Reports an AdES-LTA that is not passed, or a change beyond form filling and archiving. */
export function pyHankoComplaints(answer: Answer<PyHankoVerdict>, expected: Expected): string[] {
  const remarks = oursAmong(answer, expected).flatMap((one) =>
    [
      ...(one.intact && one.valid && one.trusted ? [] : [`not trusted: ${one.failure}`]),
      ...(one.bottom_line || !one.docmdp_ok ? [] : [`not valid: ${one.failure}`]),
      ...(one.kind === "document_timestamp" || one.ades === "AdESPassed.OK"
        ? []
        : [`${one.ades} ${one.failure}`]),
      ...(one.archived ? [] : ["no proof of existence"]),
      ...(one.coverage === "ENTIRE_REVISION" || one.coverage === "ENTIRE_FILE"
        ? []
        : [one.coverage]),
      ...(one.docmdp_ok ? [] : [`modified: ${one.modification ?? one.modification_level}`]),
    ].map((remark) => `${one.field}: ${remark}`),
  );
  return [...missingVerdicts(answer, expected), ...remarks];
}

export function harmedSignatures<V extends Verdict>(
  before: Answer<V>,
  after: Answer<V>,
  worth: (verdict: V) => string,
): string[] {
  if (before.error !== undefined) return [before.error];
  return (before.signatures ?? []).flatMap((one) => {
    const now = after.signatures?.find(({ field }) => field === one.field);
    if (!now) return [`${one.field}: gone`];
    return worth(one) === worth(now) ? [] : [`${one.field}: was ${worth(one)}, is ${worth(now)}`];
  });
}

/** pdfsig does not validate document time-stamps. */
export async function pdfsigComplaints(pdf: string, expected: Expected): Promise<string[]> {
  const { output } = await runAside("pdfsig", ["-nocert", pdf]);
  const { prefix = PREFIX } = expected;
  const ours = output
    .split(/^Signature #/m)
    .filter((part) => part.includes(`Signature Field Name: ${prefix}`));
  const remarks = ours.flatMap((part) =>
    part.includes("Signature is Valid.") ? [] : [part.replace(/\s+/g, " ").slice(0, 200)],
  );
  return ours.length === expected.signatures
    ? remarks
    : [`${ours.length} signatures found of ${expected.signatures}`, ...remarks];
}

export async function qpdfComplaints(pdf: string, before?: string): Promise<string[]> {
  const { code, output } = await runAside("qpdf", ["--check", pdf]);
  if (code === 0) return [];
  const earlier = before ? await runAside("qpdf", ["--check", before]) : null;
  return earlier && earlier.code === code
    ? []
    : [`exit code ${code}: ${output.trim().split("\n").slice(-2).join(" ").slice(0, 300)}`];
}

/** When certificates and revocation data were in force; trusted certificates are DER. */
type OpensslQuestion = {
  readonly folder: string;
  readonly name: string;
  readonly anchors: readonly Uint8Array[];
  readonly at: Date;
  readonly prefix: string;
};

/** A file without signatures is no success. */
export type OpensslAnswer = {
  readonly signatures: number;
  readonly timestamps: number;
  readonly certificates: number;
  readonly crls: number;
  readonly ocsps: number;
  readonly complaints: readonly string[];
};

type Carried = {
  readonly name: string;
  readonly isTimestamp: boolean;
  readonly cms: Uint8Array;
  readonly covered: Uint8Array;
};
type KnownCertificate = Certificate & { readonly file: string };
type Case = {
  readonly write: (name: string, bytes: Uint8Array | string) => string;
  readonly at: readonly string[];
  readonly roots: string;
  /** An anchor may be an authority that another one certified. */
  readonly trust: readonly string[];
  readonly issuers: string;
};

/** openssl checks the signature of a CRL or an answer; the validators check its age. */
const ANY_AGE = ["-validity_period", "4000000000"];

/** Asks openssl about each signature (as CAdES), time-stamp, certificate, CRL and OCSP answer. */
export async function askOpenssl(
  pdf: Uint8Array,
  question: OpensslQuestion,
): Promise<OpensslAnswer> {
  const open = await openPdf(pdf);
  const { certificates, crls, ocsps } = readSecurityStore(open);
  const write = (name: string, bytes: Uint8Array | string): string => {
    const path = `${question.folder}/${question.name}-${name}`;
    writeFileSync(path, bytes);
    return path;
  };
  const pems = (list: readonly Uint8Array[]): string =>
    list.map((der) => pem("CERTIFICATE", der)).join("");
  const known = [...certificates, ...question.anchors].map((der, index): KnownCertificate => {
    return { ...parseCertificate(der), file: write(`known-${index}.pem`, pems([der])) };
  });
  const roots = write("roots.pem", pems(question.anchors));
  const asked: Case = {
    write,
    roots,
    trust: ["-partial_chain", "-CAfile", roots],
    at: ["-attime", String(Math.floor(question.at.getTime() / 1_000))],
    issuers: write("issuers.pem", pems(certificates.filter((der) => parseCertificate(der).isCa))),
  };
  const carried = carriedBy(open).filter(
    ({ name, isTimestamp }) => isTimestamp || name.startsWith(question.prefix),
  );
  const complaints = await Promise.all([
    ...carried.map((one) =>
      one.isTimestamp ? timestampComplaint(one, asked) : signatureComplaint(one, asked),
    ),
    ...known.slice(0, certificates.length).map((one) => certificateComplaint(one, asked)),
    ...crls.map((der, index) => crlComplaint(der, index, asked)),
    ...ocsps.map((der, index) => ocspComplaint({ der, index, known }, asked)),
  ]);
  const timestamps = carried.filter(({ isTimestamp }) => isTimestamp).length;
  return {
    signatures: carried.length - timestamps,
    timestamps,
    certificates: certificates.length,
    crls: crls.length,
    ocsps: ocsps.length,
    complaints: complaints.flat(),
  };
}

function carriedBy(open: OpenPdf): Carried[] {
  return signedFields(open).map(({ name, value }) => {
    const contents = follow(open, value.get("Contents"));
    const range = arrayAt(open, value, "ByteRange")
      ?.toArray()
      .map((item) => (follow(open, item) as unknown as { value: number }).value);
    if (!(contents instanceof PdfString) || range?.length !== 4)
      throw new Error(`${name} is not whole`);
    const [from = 0, length = 0, again = 0, rest = 0] = range;
    return {
      name,
      isTimestamp: nameAt(open, value, "SubFilter") === "ETSI.RFC3161",
      cms: contents.bytes.subarray(0, lengthOfDer(contents.bytes)),
      covered: Buffer.concat([
        open.bytes.subarray(from, from + length),
        open.bytes.subarray(again, again + rest),
      ]),
    };
  });
}

async function signatureComplaint(
  { name, cms, covered }: Carried,
  { write, at, trust }: Case,
): Promise<string[]> {
  const [value, content] = [write(`${name}.p7s`, cms), write(`${name}.bin`, covered)];
  const words = [
    "-verify",
    "-cades",
    "-binary",
    "-inform",
    "DER",
    "-in",
    value,
    "-content",
    content,
    ...trust,
    "-purpose",
    "any",
  ];
  const { output } = await runAside("openssl", ["cms", ...words, ...at, "-out", "/dev/null"]);
  return /CAdES Verification successful/i.test(output) ? [] : [`${name}: ${output}`];
}

async function timestampComplaint(
  { name, cms, covered }: Carried,
  { write, at, trust, issuers }: Case,
): Promise<string[]> {
  const [token, data] = [write(`${name}.tst`, cms), write(`${name}.bin`, covered)];
  const words = [
    "-verify",
    "-token_in",
    "-in",
    token,
    "-data",
    data,
    ...trust,
    "-untrusted",
    issuers,
  ];
  const { output } = await runAside("openssl", ["ts", ...words, ...at]);
  return output.includes("Verification: OK") ? [] : [`${name}: ${output}`];
}

async function certificateComplaint(
  { file, subject }: KnownCertificate,
  { at, trust, issuers }: Case,
): Promise<string[]> {
  const words = ["-x509_strict", ...at, ...trust, "-untrusted", issuers, file];
  const { code, output } = await runAside("openssl", ["verify", ...words]);
  return code === 0 ? [] : [`certificate of ${subject.commonName}: ${output}`];
}

async function crlComplaint(
  der: Uint8Array,
  index: number,
  { write, roots, issuers }: Case,
): Promise<string[]> {
  const list = write(`store-${index}.crl`, der);
  // `openssl crl` builds no chain.
  const answers = await Promise.all(
    [roots, issuers].map((file) =>
      runAside("openssl", ["crl", "-inform", "DER", "-in", list, "-noout", "-CAfile", file]),
    ),
  );
  return answers.some(({ output }) => output.includes("verify OK"))
    ? []
    : [`CRL ${index}: ${answers.at(-1)?.output}`];
}

type OcspCase = {
  readonly der: Uint8Array;
  readonly index: number;
  readonly known: readonly KnownCertificate[];
};

/** It must name one certificate of the file as good. */
async function ocspComplaint(
  { der, index, known }: OcspCase,
  { write, at, trust, issuers }: Case,
): Promise<string[]> {
  const [answer] = parseOcspResponse(der)?.answers ?? [];
  const leaf = known.find(
    ({ serialNumber }) =>
      answer !== undefined && sameBytes(serialNumber, answer.certId.serialNumber),
  );
  const issuer = known.find(
    ({ subjectDer }) => leaf !== undefined && sameBytes(subjectDer, leaf.issuerDer),
  );
  if (leaf === undefined || issuer === undefined)
    return [`OCSP ${index}: about no certificate of the file`];
  const words = [
    "-respin",
    write(`store-${index}.ocsp`, der),
    "-issuer",
    issuer.file,
    "-cert",
    leaf.file,
    "-no_nonce",
  ];
  const { output } = await runAside("openssl", [
    "ocsp",
    ...words,
    ...trust,
    "-verify_other",
    issuers,
    ...ANY_AGE,
    ...at,
  ]);
  return output.includes("Response verify OK") && /: good/.test(output)
    ? []
    : [`OCSP ${index}: ${output}`];
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** Source: X.690 §8.1.3. */
function lengthOfDer(bytes: Uint8Array): number {
  const first = bytes[1] ?? 0;
  if (first < 0x80) return 2 + first;
  let length = 0;
  for (let index = 0; index < (first & 0x7f); index += 1)
    length = length * 256 + (bytes[2 + index] ?? 0);
  return 2 + (first & 0x7f) + length;
}
