import { parseCertificate } from "../x509/certificate.ts";
import type { Certificate } from "../x509/types.ts";
import {
  type RevocationPool,
  type RevocationWord,
  revocationOf,
  revocationPool,
  type CertificatePool,
  buildChain,
  certificatePool,
  periodAt,
  extendedPool,
} from "./revocation.ts";
import type {
  Check,
  Evidence,
  Indication,
  RevocationFacts,
  SubIndication,
  TrustAnchors,
  ValidationPolicy,
  TimestampReport,
} from "./types.ts";
import { digestOf } from "../cryptography.ts";
import { PadesError, unlessBug } from "../pades-error.ts";
import { type TimestampFacts, verifyTimestampToken } from "../tsp/timestamp.ts";

/** `chain`: DER, the root last; null without a path to a trusted one. */
export type CertificateReport = {
  readonly indication: Indication;
  readonly subIndication: SubIndication | null;
  readonly chain: readonly Uint8Array[] | null;
};

type Context = {
  readonly evidence: Evidence;
  readonly trustedFor: keyof TrustAnchors;
  readonly now: Date;
  /** When what it signed is proven to exist, or null. */
  readonly provenAt: Date | null;
  readonly policy?: ValidationPolicy;
};

/**
 * Validates the certificate (DER) of a signature outside any PDF; nothing is fetched.
 * Errors: `asn1_malformed`.
 * Source: EN 319 102-1 §5.2.6, §5.6.2.2.
 */
export async function validateCertificate(
  der: Uint8Array,
  context: Context,
): Promise<CertificateReport> {
  const { evidence, trustedFor, now, provenAt, policy = {} } = context;
  const { chain, failure } = await validateChain(parseCertificate(der), {
    pool: certificatePool(evidence.trustAnchors[trustedFor], evidence.certificates ?? []),
    revocations: revocationPool(evidence.crls ?? [], evidence.ocsps ?? []),
    policy,
    provenAt,
    now,
  });
  return {
    indication: failure?.indication ?? "TOTAL_PASSED",
    subIndication: failure?.sub ?? null,
    chain: chain?.map((certificate) => certificate.der) ?? null,
  };
}

/** A certificate must have been good when it signed. */
export type ChainContext = {
  readonly pool: CertificatePool;
  readonly revocations: RevocationPool;
  readonly policy: ValidationPolicy;
  readonly provenAt: Date | null;
  readonly now: Date;
};

export type ChainVerdict = {
  readonly checks: readonly Check[];
  readonly failure: { readonly indication: Indication; readonly sub: SubIndication } | null;
  readonly chain: readonly Certificate[] | null;
  readonly leafRevocation: RevocationFacts | null;
  /** All that is needed has a "good" status. */
  readonly revocationComplete: boolean;
};

/** The tolerated lag of an honest responder's clock. */
const GRACE_MS = 24 * 3_600_000;

/**
 * Chain, periods and revocation at the proven time.
 * Source: EN 319 102-1 §5.2.6, §5.6.2.2 (past certificate validation).
 */
export async function validateChain(
  leaf: Certificate,
  context: ChainContext,
): Promise<ChainVerdict> {
  const checks: Check[] = [];
  const none = { chain: null, leafRevocation: null, revocationComplete: false };
  const chain = await buildChain(leaf, context.pool);
  checks.push({
    name: "chain",
    passed: chain !== null,
    detail: chain ? "A path to a trusted root" : "No path to a trusted root",
  });
  if (!chain)
    return {
      checks,
      failure: { indication: "INDETERMINATE", sub: "NO_CERTIFICATE_CHAIN_FOUND" },
      ...none,
    };
  const period = periodFailure(chain, context);
  checks.push({
    name: "validity",
    passed: period === null,
    detail: period === null ? "Within every validity period" : "Outside a validity period",
  });
  const revocation = await checkRevocation(chain, context);
  checks.push(revocation.check);
  return {
    checks,
    failure: revocation.revoked ?? period ?? revocation.failure,
    chain,
    leafRevocation: revocation.leaf,
    revocationComplete: revocation.complete,
  };
}

function periodFailure(
  chain: readonly Certificate[],
  { provenAt, now }: ChainContext,
): ChainVerdict["failure"] {
  const at = periodAt(chain, provenAt ?? now);
  if (at === "inside") return null;
  if (at === "before") return { indication: "INDETERMINATE", sub: "NOT_YET_VALID" };
  return { indication: "INDETERMINATE", sub: provenAt ? "EXPIRED" : "OUT_OF_BOUNDS_NO_POE" };
}

type RevocationVerdict = {
  check: Check;
  leaf: RevocationFacts | null;
  complete: boolean;
  revoked: ChainVerdict["failure"];
  failure: ChainVerdict["failure"];
};

async function checkRevocation(
  chain: readonly Certificate[],
  context: ChainContext,
): Promise<RevocationVerdict> {
  const facts: (RevocationWord | null)[] = [];
  let revoked: ChainVerdict["failure"] = null;
  let complete = true;
  let isSettled = true;
  let isUnknown = false;
  for (const [index, certificate] of chain.slice(0, -1).entries()) {
    const issuer = chain[index + 1] as Certificate;
    const fact = await revocationOf(certificate, issuer, context.revocations);
    facts.push(fact);
    const verdict = fact?.status === "revoked" ? revokedVerdict(fact, context, index === 0) : null;
    revoked ??= verdict;
    if (fact?.status === "unknown") isUnknown = true;
    const fresh =
      fact?.status === "good" &&
      isFresh(fact, context.provenAt ?? context.now, index > 0 ? "authority" : "leaf");
    if (fresh || certificate.ocspNoCheck) continue;
    complete = false;
    // A later revocation shows that it was good by then.
    if (fact?.status !== "revoked" || verdict !== null) isSettled = false;
  }
  // The issuer's responder denies it. Source: RFC 6960 §2.2; EN 319 102-1 §5.2.6.4 (TRY_LATER).
  const required = isUnknown || context.policy.revocation === "required";
  const detail = revoked
    ? "A certificate was revoked"
    : complete
      ? "No certificate was revoked"
      : "Revocation data is missing";
  return {
    check: {
      name: "revocation",
      passed: revoked ? false : complete ? true : required && !isSettled ? false : null,
      detail,
    },
    leaf: facts[0] ? factsOf(facts[0]) : null,
    complete,
    revoked,
    failure: required && !isSettled ? { indication: "INDETERMINATE", sub: "TRY_LATER" } : null,
  };
}

function factsOf({ source, status, producedAt, revokedAt }: RevocationWord): RevocationFacts {
  return { source, status, producedAt, revokedAt };
}

/**
 * CRLs and answers hold until their nextUpdate; one from before the certificate does not know it.
 * Source: EN 319 102-1 §5.2.5 (freshness).
 */
function isFresh(
  { source, producedAt, nextUpdate }: RevocationWord,
  at: Date,
  of: "leaf" | "authority",
): boolean {
  const holds = source === "ocsp" || of === "authority" ? (nextUpdate?.getTime() ?? 0) : 0;
  return Math.max(producedAt.getTime() + GRACE_MS, holds) >= at.getTime();
}

/** A revocation after the proven time is harmless. Source: EN 319 102-1 §5.6.2.4. */
function revokedVerdict(
  fact: RevocationFacts,
  { provenAt }: ChainContext,
  isLeaf: boolean,
): ChainVerdict["failure"] {
  if (provenAt && fact.revokedAt && provenAt < fact.revokedAt) return null;
  if (!provenAt) return { indication: "INDETERMINATE", sub: "REVOKED_NO_POE" };
  return isLeaf
    ? { indication: "TOTAL_FAILED", sub: "REVOKED" }
    : { indication: "INDETERMINATE", sub: "CERTIFICATE_CHAIN_GENERAL_FAILURE" };
}

export type TimestampVerdict = {
  readonly report: TimestampReport | null;
  readonly check: Check;
  /** Form, signature and authority's path prove this time. */
  readonly provenAt: Date | null;
  readonly chain: ChainVerdict | null;
  /** Why the token proves no time; null if it does, or the path has the reason. */
  readonly doubt: SubIndication | null;
};

/** These show no alteration. Source: EN 319 102-1 §5.2.3, §5.2.8. */
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
  stamped: readonly Uint8Array[],
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
      imprint: (name) => digestOf(name, stamped),
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
