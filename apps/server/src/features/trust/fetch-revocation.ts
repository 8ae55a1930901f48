import { createOcspRequest, PadesError, parseCertificate, parseCrl, parseOcspResponse, type RevocationSource } from "@paraphe/pades/parts";
import { boundedFetch } from "./bounded-fetch.ts";
import { TimestampUnavailableError } from "./timestamp-unavailable-error.ts";

const MAX_OCSP_BYTES = 65_536;
/** A list goes into every completed file: an authority whose list is longer than this must answer by OCSP. */
const MAX_CRL_BYTES = 1_048_576;

/**
 * Asks the issuers of an outside time-stamping authority what they say of its certificates, at the addresses those certificates bear.
 * Only for the chain of the authority that the operator chose: never for a certificate that came with somebody's PDF.
 * Shape: null when the certificate bears no such address. Errors: `TimestampUnavailableError`.
 */
export const fetchRevocation: RevocationSource = {
  async ocsp(certificate, issuer) {
    const url = webAddress(parseCertificate(certificate).ocspUrls);
    if (url === null) return null;
    const der = await boundedFetch({
      url,
      maxBytes: MAX_OCSP_BYTES,
      body: await createOcspRequest(certificate, issuer),
      contentType: "application/ocsp-request",
      accept: "application/ocsp-response",
    });
    return readable(der, parseOcspResponse);
  },
  async crl(certificate) {
    const url = webAddress(parseCertificate(certificate).crlUrls);
    return url === null ? null : readable(await boundedFetch({ url, maxBytes: MAX_CRL_BYTES }), parseCrl);
  },
};

function webAddress(urls: readonly string[]): string | null {
  return urls.find((url) => /^https?:/i.test(url)) ?? null;
}

/** What it says, and whether it is authentic, is judged when the completed file is validated. */
function readable(der: Uint8Array, parse: (der: Uint8Array) => unknown): Uint8Array {
  try {
    if (parse(der) !== null) return der;
  } catch (error) {
    if (!(error instanceof PadesError)) throw error;
  }
  throw new TimestampUnavailableError("The word on the time-stamping authority's certificate cannot be read");
}
