import { type PdfDict, PdfString } from "@libpdf/core";
import { octets, readElement } from "../asn1/der-reader.ts";
import { concatBytes } from "../asn1/der-writer.ts";
import { cryptography } from "../cryptography/cryptography.ts";
import { arrayAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { parseCertificate } from "../x509/parse-certificate.ts";
import type { Certificate, SignatureVerdict } from "../x509/types.ts";
import type { Coverage } from "./byte-range.ts";
import { checkCms, type CmsVerdict, profileOf, VALUE_WORDS } from "./check-cms.ts";
import { unlessBug } from "../pades-error.ts";

/** The usual digest first; RIPEMD-160 does not occur. Source: ISO 32000-2 §12.8.3.1, table 260. */
const DIGESTS = ["SHA-1", "SHA-256", "SHA-384", "SHA-512"] as const;

type Value = Pick<Coverage, "contents"> & {
  readonly covered: readonly Uint8Array[];
  readonly extraCertificates: readonly Uint8Array[];
};

/** Checks a signature's value against the bytes it covers, by its `/SubFilter`. */
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

/** A bare value and its certificate; null where either is unreadable. */
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
 * A bare RSA value. Nothing signed names its certificate, so it never passes; one that verifies
 * under no digest covers other bytes.
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
