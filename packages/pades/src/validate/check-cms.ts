import { type PdfDict, PdfString } from "@libpdf/core";
import { equalBytes, octets, oidOf, readElement } from "../asn1/der-reader.ts";
import { concatBytes } from "../asn1/der-writer.ts";
import { DIGEST_NAMES, OID } from "../asn1/oids.ts";
import {
  type SignedData,
  checkSigningCertificate,
  findSigningCertificate,
  hasWeakReference,
  namesOtherIssuer,
  parseSignedData,
} from "../cms/signed-data.ts";
import { cryptography, digestOf } from "../cryptography.ts";
import { unlessBug } from "../pades-error.ts";
import { type OpenPdf, arrayAt, follow, nameAt } from "../pdf/open-pdf.ts";
import { parseCertificate } from "../x509/certificate.ts";
import type { Certificate, SignatureVerdict } from "../x509/types.ts";
import { verifyWithKey } from "../x509/verify-with-key.ts";
import type { Coverage } from "./signature-entries.ts";
import type { Check, SignatureWarning, SubIndication } from "./types.ts";

/** `failure` is null when every check passed. */
export type CmsVerdict = {
  readonly checks: readonly Check[];
  readonly warnings: readonly SignatureWarning[];
  readonly failure: {
    readonly indication: "TOTAL_FAILED" | "INDETERMINATE";
    readonly sub: SubIndication;
  } | null;
  readonly signed: SignedData | null;
  readonly certificate: Certificate | null;
};

type Progress = {
  readonly checks: Check[];
  readonly warnings: SignatureWarning[];
  signed: SignedData | null;
  certificate: Certificate | null;
};

/** What `/SubFilter` asks. `enclosed`: it signs the digest it carries. */
type CmsProfile = "pades" | "older" | "enclosed";

function profileOf(subFilter: string): CmsProfile {
  if (subFilter === "ETSI.CAdES.detached") return "pades";
  return subFilter === "adbe.pkcs7.sha1" ? "enclosed" : "older";
}

/**
 * `pades` requires a signed certificate reference and warns of a signing-time.
 * Source: EN 319 102-1 §5.2.2 to §5.2.4, §5.2.7; RFC 5652 §5.4, §5.6; EN 319 142-1 §6.3.
 */
async function checkCms(
  contents: Uint8Array,
  covered: readonly Uint8Array[],
  context: { readonly extraCertificates: readonly Uint8Array[]; readonly profile: CmsProfile },
): Promise<CmsVerdict> {
  const progress: Progress = { checks: [], warnings: [], signed: null, certificate: null };
  const failure = await checkSteps(contents, covered, { ...context, progress });
  return { ...progress, failure };
}

type Context = Parameters<typeof checkCms>[2] & { readonly progress: Progress };

type Note = (name: Check["name"], passed: boolean | null, detail: string) => void;

/** In the order of the standard; the first failure decides. */
async function checkSteps(
  contents: Uint8Array,
  covered: readonly Uint8Array[],
  context: Context,
): Promise<CmsVerdict["failure"]> {
  const { progress, profile } = context;
  const note: Note = (name, passed, detail) => void progress.checks.push({ name, passed, detail });
  const signed = readCms(contents);
  if (profile === "enclosed" && signed?.signerCount === 1 && signed.content)
    return checkEnclosed(signed.content, covered, note);
  // A time-stamp's CMS signs no document. Source: EN 319 142-1 §6.3, content-type.
  const isDetached =
    profile !== "enclosed" && signed?.content === null && signed.contentType === OID.data;
  if (!signed || signed.signerCount !== 1 || !isDetached || signed.duplicateAttribute) {
    note("format", false, "The value is not a detached CMS signature with one signer");
    return { indication: "TOTAL_FAILED", sub: "FORMAT_FAILURE" };
  }
  note("format", true, "A detached CMS signature with one signer");
  progress.signed = signed;
  if (profile === "pades" && signed.signedAttributes.has(OID.signingTime))
    progress.warnings.push("signing_time_attribute");
  const digest = await digestVerdict(signed, covered);
  note("message_digest", digest === "match", DIGEST_WORDS[digest]);
  if (digest === "unsupported" || digest === "weak")
    return { indication: "INDETERMINATE", sub: "CRYPTO_CONSTRAINTS_FAILURE" };
  if (digest === "mismatch") return { indication: "TOTAL_FAILED", sub: "HASH_FAILURE" };
  const certificate = await findSigningCertificate(signed, [
    ...signed.certificates,
    ...context.extraCertificates,
  ]);
  if (!certificate) {
    note("signing_certificate", false, "The signer's certificate is not there");
    return { indication: "INDETERMINATE", sub: "NO_SIGNING_CERTIFICATE_FOUND" };
  }
  progress.certificate = certificate;
  const value = await verifyValue(signed, certificate, covered);
  note("signature_value", value === "unsupported" ? null : value === "valid", VALUE_WORDS[value]);
  if (value === "unsupported")
    return { indication: "INDETERMINATE", sub: "CRYPTO_CONSTRAINTS_FAILURE" };
  if (value === "invalid") return { indication: "TOTAL_FAILED", sub: "SIG_CRYPTO_FAILURE" };
  return checkReference(signed, certificate, { profile, progress, note });
}

/** A certificate without a signed reference could be swapped. */
async function checkReference(
  signed: SignedData,
  certificate: Certificate,
  { profile, progress, note }: Pick<Context, "profile" | "progress"> & { readonly note: Note },
): Promise<CmsVerdict["failure"]> {
  if (!signed.signedAttributesDer) {
    note(
      "algorithms",
      false,
      "Nothing binds the certificate to the value: there are no signed attributes",
    );
    return { indication: "INDETERMINATE", sub: "SIG_CONSTRAINTS_FAILURE" };
  }
  const reference = await checkSigningCertificate(signed, certificate);
  if (reference === "match" && namesOtherIssuer(signed, certificate))
    progress.warnings.push("issuer_serial_differs");
  if (reference === "match" && profile === "pades" && hasWeakReference(signed)) {
    note("algorithms", false, "The certificate is named by a SHA-1 digest");
    return { indication: "INDETERMINATE", sub: "CRYPTO_CONSTRAINTS_FAILURE" };
  }
  const accepted = reference === "match" || (reference === "absent" && profile === "older");
  note(
    "signing_certificate",
    accepted,
    accepted
      ? "The certificate is the one that was signed for"
      : "The signed certificate reference is not this certificate",
  );
  if (accepted) return null;
  // Source: EN 319 102-1 §5.2.3.4, step 2 (no reference matches); §5.2.8 (it is missing).
  return {
    indication: "INDETERMINATE",
    sub: reference === "mismatch" ? "NO_SIGNING_CERTIFICATE_FOUND" : "SIG_CONSTRAINTS_FAILURE",
  };
}

/**
 * SHA-1 can be forged: the value is not checked.
 * Source: ISO 32000-2 §12.8.3.3.1, table 260 (adbe.pkcs7.sha1, deprecated).
 */
async function checkEnclosed(
  content: Uint8Array,
  covered: readonly Uint8Array[],
  note: Note,
): Promise<CmsVerdict["failure"]> {
  const isSame = equalBytes(content, await digestOf("SHA-1", covered));
  note("message_digest", false, DIGEST_WORDS[isSame ? "weak" : "mismatch"]);
  return isSame
    ? { indication: "INDETERMINATE", sub: "CRYPTO_CONSTRAINTS_FAILURE" }
    : { indication: "TOTAL_FAILED", sub: "HASH_FAILURE" };
}

function readCms(contents: Uint8Array): SignedData | null {
  try {
    return parseSignedData(contents, "allowed");
  } catch (error) {
    return unlessBug(error, null);
  }
}

const DIGEST_WORDS = {
  match: "The digest is that of the covered bytes",
  mismatch: "The covered bytes were altered",
  weak: "The digest is that of the covered bytes, and of others that can be made",
  unsupported: "The digest is of an unknown kind",
} as const;

const VALUE_WORDS = {
  valid: "The value verifies with the signer's key",
  invalid: "The value does not verify",
  unsupported:
    "The value cannot be judged: its key is too weak, or its algorithm unknown or not trusted any more",
} as const;

/**
 * An alteration comes before a weak digest.
 * Source: EN 319 102-1 §5.2.7 before §5.2.8; ETSI TS 119 312 §5.2.
 */
async function digestVerdict(
  signed: SignedData,
  covered: readonly Uint8Array[],
): Promise<keyof typeof DIGEST_WORDS> {
  const name = DIGEST_NAMES[signed.digestOid];
  if (!name) return "unsupported";
  const match = name === "SHA-1" ? "weak" : "match";
  if (!signed.signedAttributesDer) return match;
  const expected = signed.signedAttributes.get(OID.messageDigest)?.[0];
  const type = signed.signedAttributes.get(OID.contentType)?.[0];
  if (!expected || !type || oidOf(type) !== signed.contentType) return "mismatch";
  const found = await digestOf(name, covered);
  return equalBytes(found, octets(expected)) ? match : "mismatch";
}

async function verifyValue(
  signed: SignedData,
  certificate: Certificate,
  covered: readonly Uint8Array[],
): Promise<"valid" | "invalid" | "unsupported"> {
  return verifyWithKey({
    data: signed.signedAttributesDer ?? concatBytes(covered),
    signature: signed.signature,
    algorithm: signed.signatureAlgorithm,
    subjectPublicKey: certificate.subjectPublicKey,
    digestOid: signed.digestOid,
  });
}

/** The usual digest first; RIPEMD-160 does not occur. Source: ISO 32000-2 §12.8.3.1, table 260. */
const DIGESTS = ["SHA-1", "SHA-256", "SHA-384", "SHA-512"] as const;

type Value = Pick<Coverage, "contents"> & {
  readonly covered: readonly Uint8Array[];
  readonly extraCertificates: readonly Uint8Array[];
};

export async function checkValue(
  open: OpenPdf,
  signature: PdfDict,
  { contents, covered, extraCertificates }: Value,
): Promise<CmsVerdict> {
  const subFilter = nameAt(open, signature, "SubFilter") ?? "";
  if (subFilter !== "adbe.x509.rsa_sha1")
    return checkCms(contents, covered, { extraCertificates, profile: profileOf(subFilter) });
  const bare = readBare(open, signature, contents);
  return bare ? checkBare(bare, concatBytes(covered)) : NO_VALUE;
}

const NO_VALUE: CmsVerdict = {
  checks: [
    {
      name: "format",
      passed: false,
      detail: "The value is not a string of bytes with a certificate beside it",
    },
  ],
  warnings: [],
  failure: { indication: "TOTAL_FAILED", sub: "FORMAT_FAILURE" },
  signed: null,
  certificate: null,
};

type Bare = { readonly signature: Uint8Array; readonly certificate: Certificate };

function readBare(open: OpenPdf, signature: PdfDict, contents: Uint8Array): Bare | null {
  try {
    const value = readElement(contents);
    const own = arrayAt(open, signature, "Cert")?.at(0) ?? signature.get("Cert");
    const der = follow(open, own);
    return value.tag === 0x04 && der instanceof PdfString
      ? { signature: octets(value), certificate: parseCertificate(der.bytes) }
      : null;
  } catch (error) {
    return unlessBug(error, null);
  }
}

/**
 * Nothing signed names its certificate, so it never passes; one that verifies under no digest
 * covers other bytes.
 * Source: ISO 32000-2 §12.8.3.2 (adbe.x509.rsa_sha1, deprecated); RFC 8017 §8.2.
 */
async function checkBare({ signature, certificate }: Bare, data: Uint8Array): Promise<CmsVerdict> {
  const { subjectPublicKey } = certificate;
  const verdicts: SignatureVerdict[] = [];
  for (const hash of DIGESTS) {
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash };
    verdicts.push(
      await cryptography().verify({
        subjectPublicKey,
        keyAlgorithm: algorithm,
        algorithm,
        signature,
        data,
      }),
    );
    if (verdicts.at(-1) === "valid") break;
  }
  const isOfOthers = verdicts.every((verdict) => verdict === "invalid");
  return {
    checks: [
      {
        name: "signature_value",
        passed: isOfOthers ? false : null,
        detail: isOfOthers ? VALUE_WORDS.invalid : UNNAMED,
      },
    ],
    warnings: [],
    failure: isOfOthers
      ? { indication: "TOTAL_FAILED", sub: "SIG_CRYPTO_FAILURE" }
      : { indication: "INDETERMINATE", sub: "CRYPTO_CONSTRAINTS_FAILURE" },
    signed: null,
    certificate,
  };
}

const UNNAMED =
  "The value is not shown to be of other bytes, and nothing that is signed names its certificate";
