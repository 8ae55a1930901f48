import type { Proof } from "@paraphe/contracts";
import { parseCertificate, parseCrl, parseOcspResponse } from "@paraphe/pades/parts";
import type { PublishedCrl } from "../../trust/public.ts";
import type { PrintDeps } from "./print-deps.ts";
import type { RecordedSignature } from "./store.ts";
import type { FoundSignature, ValidatedDocument } from "./validate-envelope.ts";

/** A certificate's card, and the answer and the list (DER) that it was read from: whoever checks it holds the one against the other. */
export type CertificateCard = {
  readonly shown: Proof["certificate"];
  /** The certificate itself (DER). */
  readonly of: Uint8Array | null;
  readonly ocsp: Uint8Array | null;
  readonly crl: Uint8Array | null;
};

export const NO_CARD: CertificateCard = { shown: null, of: null, ocsp: null, crl: null };

/** The last signature's certificate, and what our own responder and list say of it now. */
export async function presentCertificate(deps: PrintDeps, documents: readonly ValidatedDocument[]): Promise<CertificateCard> {
  const last = latest(documents.flatMap((document) => document.found));
  if (last === null) return NO_CARD;
  const answer = await deps.trust.ocsp(last.recorded.certificateDer);
  const list = await deps.trust.crlAbout(last.recorded.certificateDer);
  return { shown: presentCard(last, { answer, list }), of: last.recorded.certificateDer, ocsp: answer, crl: list?.der ?? null };
}

type Answers = { readonly answer: Uint8Array | null; readonly list: PublishedCrl | null };

function presentCard({ report, recorded }: FoundSignature, { answer, list }: Answers): NonNullable<Proof["certificate"]> {
  const certificate = parseCertificate(recorded.certificateDer);
  const ocsp = answer === null ? null : (parseOcspResponse(answer)?.answers[0] ?? null);
  const listed = listedStatus(list, recorded);
  return {
    subject: { CN: certificate.subject.commonName, O: certificate.subject.organization ?? null, C: certificate.subject.country ?? null },
    serial_number: recorded.serialNumber,
    valid_from: certificate.notBefore.toISOString(),
    valid_to: certificate.notAfter.toISOString(),
    revocation: {
      ocsp_status: ocsp?.status ?? null,
      ocsp_url: certificate.ocspUrls[0] ?? null,
      crl_status: listed?.status ?? null,
      crl_url: certificate.crlUrls[0] ?? null,
      ocsp_at: ocsp?.thisUpdate.toISOString() ?? null,
      crl_at: listed?.at.toISOString() ?? null,
    },
    timestamp: report.timestamp === null ? null : { time: report.timestamp.time.toISOString(), tsa: report.timestamp.authorityName },
    issuers: [...report.issuerNames],
    hash_algorithm: report.hashAlgorithm,
    valid_at_signing: AT_SIGNING[report.indication],
  };
}

/** What was not valid at the moment of the signature is not passed, whatever time has brought since (EN 319 102-1 §5.5). */
const AT_SIGNING = { TOTAL_PASSED: true, INDETERMINATE: null, TOTAL_FAILED: false } as const;

/** What the list of the certificate's own issuer says, and since when; null when no list of ours speaks for it. */
function listedStatus(
  list: PublishedCrl | null,
  recorded: RecordedSignature,
): { readonly status: "good" | "revoked"; readonly at: Date } | null {
  if (list === null) return null;
  const { revoked, thisUpdate } = parseCrl(list.der);
  const serial = BigInt(`0x${recorded.serialNumber}`);
  const isListed = [...revoked.keys()].some((listed) => BigInt(`0x${listed}`) === serial);
  return { status: isListed ? "revoked" : "good", at: thisUpdate };
}

function latest(found: readonly FoundSignature[]): FoundSignature | null {
  const timeOf = ({ report }: FoundSignature) => report.timestamp?.time.getTime() ?? 0;
  return found.reduce<FoundSignature | null>((best, next) => (best === null || timeOf(next) >= timeOf(best) ? next : best), null);
}
