import { equalBytes, octets, oidOf } from "../asn1/der-reader.ts";
import { concatBytes } from "../asn1/der-writer.ts";
import { DIGEST_NAMES, OID } from "../asn1/oids.ts";
import {
  checkSigningCertificate,
  findSigningCertificate,
  hasWeakReference,
  namesOtherIssuer,
} from "../cms/find-signing-certificate.ts";
import { parseSignedData, type SignedData } from "../cms/signed-data.ts";
import type { Certificate } from "../x509/types.ts";
import { verifyWithKey } from "../x509/verify-with-key.ts";
import type { Check, SignatureWarning, SubIndication } from "./types.ts";
import { unlessBug } from "../pades-error.ts";
import { digest } from "../cryptography/cryptography.ts";

/**
 * The cryptographic half of a signature's validation. `failure` is null when every check passed.
 */
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

/** What `/SubFilter` asks of the CMS. `enclosed`: it signs the digest it carries. */
export type CmsProfile = "pades" | "older" | "enclosed";

export function profileOf(subFilter: string): CmsProfile {
  if (subFilter === "ETSI.CAdES.detached") return "pades";
  return subFilter === "adbe.pkcs7.sha1" ? "enclosed" : "older";
}

/**
 * Checks a CMS against the bytes it covers: form, digest, certificate reference and value.
 * Shape: `pades` requires a signed certificate reference and warns of a signing-time.
 * Source: EN 319 102-1 §5.2.2 to §5.2.4, §5.2.7; RFC 5652 §5.4, §5.6; EN 319 142-1 §6.3.
 */
export async function checkCms(
  contents: Uint8Array,
  covered: readonly Uint8Array[],
  context: { readonly extraCertificates: readonly Uint8Array[]; readonly profile: CmsProfile },
): Promise<CmsVerdict> {
  const progress: Progress = { checks: [], warnings: [], signed: null, certificate: null };
  const failure = await judge(contents, covered, { ...context, progress });
  return { ...progress, failure };
}

type Context = Parameters<typeof checkCms>[2] & { readonly progress: Progress };

type Note = (name: Check["name"], passed: boolean | null, detail: string) => void;

async function judge(
  contents: Uint8Array,
  covered: readonly Uint8Array[],
  context: Context,
): Promise<CmsVerdict["failure"]> {
  const { progress } = context;
  const note: Note = (name, passed, detail) => void progress.checks.push({ name, passed, detail });
  const signed = readCms(contents);
  if (context.profile === "enclosed" && signed?.signerCount === 1 && signed.content)
    return judgeEnclosed(signed.content, covered, note);
  // A CMS over other content (a time-stamp's) signs no document. Source: EN 319 142-1 §6.3,
  // content-type.
  const isDetached =
    context.profile !== "enclosed" && signed?.content === null && signed.contentType === OID.data;
  if (!signed || signed.signerCount !== 1 || !isDetached || signed.duplicateAttribute) {
    note("format", false, "The value is not a detached CMS signature with one signer");
    return { indication: "TOTAL_FAILED", sub: "FORMAT_FAILURE" };
  }
  note("format", true, "A detached CMS signature with one signer");
  progress.signed = signed;
  if (context.profile === "pades" && signed.signedAttributes.has(OID.signingTime))
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
  if (reference === "match" && context.profile === "pades" && hasWeakReference(signed)) {
    note("algorithms", false, "The certificate is named by a SHA-1 digest");
    return { indication: "INDETERMINATE", sub: "CRYPTO_CONSTRAINTS_FAILURE" };
  }
  const accepted = reference === "match" || (reference === "absent" && context.profile === "older");
  note(
    "signing_certificate",
    accepted,
    accepted
      ? "The certificate is the one that was signed for"
      : "The signed certificate reference is not this certificate",
  );
  if (accepted) return null;
  // Source: EN 319 102-1 §5.2.3.4, step 2 (no reference matches); §5.2.8 (the required reference is
  // missing).
  return {
    indication: "INDETERMINATE",
    sub: reference === "mismatch" ? "NO_SIGNING_CERTIFICATE_FOUND" : "SIG_CONSTRAINTS_FAILURE",
  };
}

/**
 * Signs a SHA-1 digest; as that can be forged, the value is not checked.
 * Source: ISO 32000-2 §12.8.3.3.1, table 260 (adbe.pkcs7.sha1, deprecated).
 */
async function judgeEnclosed(
  content: Uint8Array,
  covered: readonly Uint8Array[],
  note: Note,
): Promise<CmsVerdict["failure"]> {
  const isSame = equalBytes(content, await digest("SHA-1", concatBytes(covered)));
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

/** The report's words for each verdict on a value. */
export const VALUE_WORDS = {
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
  // Without signed attributes the value covers the content itself.
  if (!signed.signedAttributesDer) return match;
  const expected = signed.signedAttributes.get(OID.messageDigest)?.[0];
  const type = signed.signedAttributes.get(OID.contentType)?.[0];
  if (!expected || !type || oidOf(type) !== signed.contentType) return "mismatch";
  const found = await digest(name, concatBytes(covered));
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
