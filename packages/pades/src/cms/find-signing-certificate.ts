import {
  type Asn1,
  child,
  children,
  equalBytes,
  magnitude,
  octets,
  oidOf,
} from "../asn1/der-reader.ts";
import { DIGEST_NAMES, OID } from "../asn1/oids.ts";
import { keyIdentifier } from "../x509/issue-certificate.ts";
import { parseCertificate } from "../x509/parse-certificate.ts";
import type { Certificate } from "../x509/types.ts";
import type { SignedData } from "./signed-data.ts";
import { digest } from "../cryptography/cryptography.ts";

/** The certificate that a SignerInfo names. Source: RFC 5652 §5.3 (sid). */
export async function findSigningCertificate(
  signed: SignedData,
  candidates: readonly Uint8Array[],
): Promise<Certificate | null> {
  for (const der of candidates) {
    const certificate = parseCertificate(der);
    if (signed.issuerDer && signed.serialNumber) {
      if (
        equalBytes(certificate.issuerDer, signed.issuerDer) &&
        equalBytes(certificate.serialNumber, signed.serialNumber)
      )
        return certificate;
    } else if (
      signed.subjectKeyIdentifier &&
      equalBytes(await identifierOf(certificate), signed.subjectKeyIdentifier)
    ) {
      return certificate;
    }
  }
  return null;
}

/**
 * The certificate's subjectKeyIdentifier, else SHA-1 of its key.
 * Source: RFC 5652 §5.3; RFC 5280 §4.2.1.2.
 */
async function identifierOf({
  subjectKeyIdentifier,
  subjectPublicKey,
}: Certificate): Promise<Uint8Array> {
  return subjectKeyIdentifier ?? keyIdentifier(subjectPublicKey);
}

/**
 * Whether the signed ESS references name this certificate: they prevent a swapped certificate.
 * Shape: `absent` without signing-certificate and signing-certificate-v2; where both exist, both
 * must match.
 * Source: RFC 5035 §3, §4; RFC 2634 §5.4 (SHA-1, older time-stamp authorities).
 */
export async function checkSigningCertificate(
  signed: SignedData,
  certificate: Certificate,
): Promise<"match" | "mismatch" | "absent"> {
  const references = [OID.signingCertificateV2, OID.signingCertificate].flatMap((id) => {
    const value = signed.signedAttributes.get(id)?.[0];
    return value ? [names(certificate, value, id)] : [];
  });
  if (references.length === 0) return "absent";
  return (await Promise.all(references)).every(Boolean) ? "match" : "mismatch";
}

/**
 * Whether a signed reference names another issuer or serial number than the certificate's. One that
 * has neither is accepted.
 * Source: RFC 5035 §4 (issuerSerial), RFC 5280 §4.2.1.6 (GeneralName: directoryName is [4]).
 */
export function namesOtherIssuer(
  signed: SignedData,
  { issuerDer, serialNumber }: Certificate,
): boolean {
  return [OID.signingCertificateV2, OID.signingCertificate].some((id) => {
    const value = signed.signedAttributes.get(id)?.[0];
    const reference = value
      ? children(child(children(child(children(value), 0, 0x30)), 0, 0x30))
      : [];
    const beside = reference[reference.findIndex(({ tag }) => tag === 0x04) + 1];
    if (!beside) return false;
    const [issuer, serial] = beside.tag === 0x30 ? children(beside) : [];
    if (issuer?.tag !== 0x30 || serial?.tag !== 0x02) return true;
    const isNamed = children(issuer).some(
      ({ tag, content }) => tag === 0xa4 && equalBytes(content, issuerDer),
    );
    return !isNamed || !equalBytes(magnitude(serial), serialNumber);
  });
}

/**
 * Whether every signed reference uses SHA-1, as version 1 always does.
 * Source: RFC 5035 §4, §5.4.1; ETSI TS 119 312 §5.2.
 */
export function hasWeakReference(signed: SignedData): boolean {
  const value = signed.signedAttributes.get(OID.signingCertificateV2)?.[0];
  if (!value) return true;
  const algorithm = children(child(children(child(children(value), 0, 0x30)), 0, 0x30))[0];
  return algorithm?.tag === 0x30 && DIGEST_NAMES[oidOf(child(children(algorithm), 0))] === "SHA-1";
}

/** The first reference names the signer's certificate. Source: RFC 5035 §3, RFC 2634 §5.4. */
async function names(certificate: Certificate, value: Asn1, id: string): Promise<boolean> {
  const reference = children(child(children(child(children(value), 0, 0x30)), 0, 0x30));
  const named = id === OID.signingCertificate ? null : reference[0];
  const algorithm =
    named?.tag === 0x30 ? oidOf(child(children(named), 0)) : named ? OID.sha256 : OID.sha1;
  const hash = child(reference, named?.tag === 0x30 ? 1 : 0, 0x04);
  const digestName = DIGEST_NAMES[algorithm];
  return (
    digestName !== undefined && equalBytes(await digest(digestName, certificate.der), octets(hash))
  );
}
