import { digest } from "../cryptography.ts";
import { PadesError, unlessBug } from "../pades-error.ts";
import { type TimestampFacts, verifyTimestampToken } from "../tsp/timestamp.ts";
import { parseCertificate } from "../x509/certificate.ts";
import type { Certificate } from "../x509/types.ts";
import type { Check, SubIndication, TimestampReport } from "./types.ts";
import { extendedPool } from "./build-chain.ts";
import { type ChainContext, type ChainVerdict, validateChain } from "./validate-certificate.ts";

export type TimestampVerdict = {
  readonly report: TimestampReport | null;
  readonly check: Check;
  /** Form, signature and authority's path prove the time. */
  readonly provenAt: Date | null;
  readonly chain: ChainVerdict | null;
  /** Why the token proves no time; null if it does, or the path has the reason. */
  readonly doubt: SubIndication | null;
};

/** They show no alteration. Source: EN 319 102-1 §5.2.3, §5.2.8. */
const DOUBTS: Readonly<Record<string, SubIndication>> = {
  timestamp_weak: "CRYPTO_CONSTRAINTS_FAILURE",
  timestamp_uncertified: "NO_SIGNING_CERTIFICATE_FOUND",
};

/**
 * `context.provenAt`: a later proof of the token, or null: then its authority must be good now. The
 * token's certificates are never roots.
 * Source: EN 319 102-1 §5.4, §5.2.6; RFC 3161 §2.3, §2.4.1 (certReq).
 */
export async function validateTimestamp(
  token: Uint8Array,
  stamped: Uint8Array,
  context: ChainContext,
): Promise<TimestampVerdict> {
  const refuse = (
    detail: string,
    doubt: SubIndication | null,
    report: TimestampReport | null = null,
  ): TimestampVerdict => ({
    report,
    check: { name: "timestamp", passed: false, detail },
    provenAt: null,
    chain: null,
    doubt,
  });
  let facts: TimestampFacts;
  try {
    facts = await verifyTimestampToken(token, {
      imprint: (name) => digest(name, stamped),
      certificates: context.pool.others.map(({ der }) => der),
    });
  } catch (error) {
    const code = error instanceof PadesError ? error.code : "";
    return refuse(unlessBug(error, String((error as Error).message)), DOUBTS[code] ?? null);
  }
  const report = {
    time: facts.time,
    authorityName: facts.authorityName,
    policyOid: facts.policyOid,
  };
  const certificate = parseCertificate(facts.certificateDer);
  const misplaced = timeFailure(facts.time, certificate, context.provenAt ?? context.now);
  if (misplaced) return refuse(...misplaced, { ...report, trusted: false });
  const chain = await validateChain(certificate, {
    ...context,
    pool: extendedPool(context.pool, facts.certificates),
  });
  const trusted = chain.failure === null;
  return {
    report: { ...report, trusted },
    check: {
      name: "timestamp",
      passed: trusted,
      detail: trusted
        ? "A time-stamp of a trusted authority"
        : "The time-stamp's authority is not trusted",
    },
    provenAt: trusted ? facts.time : null,
    chain,
    doubt: null,
  };
}

function timeFailure(
  time: Date,
  { notBefore, notAfter }: Certificate,
  later: Date,
): readonly [detail: string, doubt: SubIndication] | null {
  if (time.getTime() > later.getTime() + 1000)
    return ["The time-stamp is later than what it precedes", "TIMESTAMP_ORDER_FAILURE"];
  if (time < notBefore || time > notAfter)
    return ["The authority's certificate was not valid at that time", "SIG_CONSTRAINTS_FAILURE"];
  return null;
}
