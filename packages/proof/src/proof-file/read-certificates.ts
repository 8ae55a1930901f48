import { parseCertificate, PadesError } from "@paraphe/pades/parts";
import { fromBase64 } from "./bytes.ts";

const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+?)-----END CERTIFICATE-----/g;

/** Gives the certificates of a file as DER, whether it is DER itself or PEM with one or several; none for a file that holds none. Source: RFC 7468 §5. */
export function readCertificates(bytes: Uint8Array): readonly Uint8Array[] {
  try {
    const blocks = [...new TextDecoder("latin1").decode(bytes).matchAll(PEM)];
    const found = blocks.length > 0 ? blocks.map(([, text = ""]) => fromBase64(text.replace(/\s/g, ""))) : [bytes];
    found.forEach(parseCertificate);
    return found;
  } catch (error) {
    // What cannot be read is no certificate; anything else is a bug of ours.
    if (error instanceof PadesError || error instanceof DOMException) return [];
    throw error;
  }
}
