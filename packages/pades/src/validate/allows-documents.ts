import { OID } from "../asn1/oids.ts";
import type { Certificate } from "../x509/types.ts";

/**
 * Purposes that include signing documents: RFC 9336 §3.1 (documentSigning), RFC 5280 §4.2.1.12 (any; emailProtection, which signers'
 * certificates of before RFC 9336 bear), and the purposes that Microsoft and Adobe named for it.
 */
const PURPOSES: ReadonlySet<string> = new Set([
  OID.ekuDocumentSigning,
  OID.ekuEmailProtection,
  OID.ekuMicrosoftDocumentSigning,
  OID.ekuAdobeDocumentSigning,
  OID.ekuAny,
]);

/**
 * Says whether a certificate may sign documents: a key usage that says so, and no purposes or one of them for documents. One of a server, of
 * a time-stamping authority or of an OCSP responder does not, even of an authority that is trusted.
 * Source: EN 319 102-1 §5.2.6.4; EN 319 412-2 §4.3.2 (the key usage is there); RFC 5280 §4.2.1.3, §4.2.1.12.
 */
export function allowsDocuments({ keyUsage, extendedKeyUsage }: Certificate): boolean {
  const signs = keyUsage !== null && (keyUsage.has("digitalSignature") || keyUsage.has("nonRepudiation"));
  return signs && (extendedKeyUsage.length === 0 || extendedKeyUsage.some((purpose) => PURPOSES.has(purpose)));
}
