import type { Proof } from "@paraphe/contracts";
import type { SignatureReport } from "@paraphe/pades";
import type { Reach, Sent } from "@paraphe/proof";
import { type EnvelopeAggregate, mustSign } from "../../envelopes/public.ts";
import type { WholeEnvelope } from "./read-whole.ts";
import type { ValidatedDocument } from "./validate-envelope.ts";

/** X.520 upper bound of a common name, in characters. Source: RFC 5280, appendix A.1, ub-common-name. */
const MAX_COMMON_NAME = 64;

type SignedEnvelope = {
  readonly whole: WholeEnvelope;
  readonly aggregate: EnvelopeAggregate;
  readonly documents: readonly ValidatedDocument[];
  /** Whether nobody's address is shown, masked as it may be (`proof_only`). */
  readonly withheld: boolean;
};

/** Gives those who must sign, whatever became of their rows: as the journal has them, and as the files show that they signed. */
export function presentSigners({ whole, aggregate, documents, withheld }: SignedEnvelope): Proof["signers"] {
  const { facts, chain } = whole;
  const rows = aggregate.recipients.filter(mustSign);
  const stored = rows.map(({ id }) => id);
  const made = facts.signatures.map(({ recipient }) => recipient);
  const known = facts.signers === null ? made.concat(stored) : facts.signers;
  // In the order of the rows, where they are all there.
  const ids = chain.intact ? [...stored.filter((id) => known.includes(id)), ...known.filter((id) => !stored.includes(id))] : stored;
  return [...new Set(ids)].map((id) => {
    const made = chain.intact ? facts.signatures.find(({ recipient }) => recipient === id) : undefined;
    const name = made?.name ?? facts.names.get(id) ?? null;
    const written = rows.find((row) => row.id === id)?.fullName ?? "Nom effacé";
    const reach = made?.reach ?? null;
    return {
      ...presentSigner({ id, name: chain.intact ? name : null, written }, documents),
      ...(made === undefined ? {} : { reach: presentReach(reach, withheld) }),
    };
  });
}

type Signer = { readonly id: string; readonly name: string | null; readonly written: string };

function presentReach(reach: Reach | null, withheld: boolean): Proof["signers"][number]["reach"] {
  if (reach === null) return null;
  const shown = (sent: Sent | null) => (sent === null ? null : { ...sent, destination: withheld ? null : sent.destination });
  return { by: reach.by, link: shown(reach.link), code: shown(reach.code), confirmed: [...reach.confirmed] };
}

/** A person has signed when a signature of theirs stands in every document; the time is the time-stamp's. */
function presentSigner({ id, name, written }: Signer, documents: readonly ValidatedDocument[]): Proof["signers"][number] {
  const own = documents.map((document) => reportOf(document, id));
  const times = own.flatMap((report) => (report?.timestamp ? [report.timestamp.time.getTime()] : []));
  const isComplete = own.length > 0 && own.every((report) => report !== undefined && report.indication !== "TOTAL_FAILED");
  const [certificate] = own.flatMap((report) => (report?.certificate ? [report.certificate] : []));
  return {
    full_name: name ?? (isComplete && certificate !== undefined ? nameIn(certificate, written) : written),
    signed: isComplete,
    signed_at: isComplete && times.length > 0 ? new Date(Math.max(...times)).toISOString() : null,
  };
}

function reportOf({ named, found }: ValidatedDocument, id: string): SignatureReport | undefined {
  return (
    named.find(({ made, report }) => made.recipient === id && report !== undefined)?.report ??
    found.find(({ recorded }) => recorded.recipientId === id)?.report
  );
}

/** The name that a person's certificate bears, in full where the row has the rest of it; the organisation's, issued under no policy of signers', names nobody. */
function nameIn({ subject, policyOids }: NonNullable<SignatureReport["certificate"]>, written: string): string {
  const isTheirs = policyOids.length === 0 || [...written].slice(0, MAX_COMMON_NAME).join("") === subject.commonName;
  return isTheirs ? written : subject.commonName;
}
