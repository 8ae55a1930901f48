import { PadesError, unlessBug } from "../pades-error.ts";
import { signedFields } from "../pdf/form-fields.ts";
import { requireBearableSize } from "../pdf/deflate.ts";
import { type OpenPdf, openPdf, nameAt, textAt } from "../pdf/open-pdf.ts";
import { isStrictRevision } from "../strict/strict-revision.ts";
import {
  certificatePool,
  type CertificatePool,
  extendedPool,
  revocationPool,
  type RevocationPool,
} from "./revocation.ts";
import {
  endsRevision,
  requireBearableSignatures,
  type Coverage,
  checkByteRange,
  hasUnlistedSignature,
  isKnownKind,
  namingOf,
} from "./signature-entries.ts";
import { readSecurityStore } from "./security-store.ts";
import type {
  Evidence,
  FileProblem,
  Indication,
  SignatureReport,
  ValidationPolicy,
  ValidationReport,
  Check,
  LaterChanges,
  PadesLevel,
  SubIndication,
  TrustAnchors,
} from "./types.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes } from "../asn1/der-writer.ts";
import { toHex } from "../asn1/der-reader.ts";
import { DIGEST_NAMES, OID } from "../asn1/oids.ts";
import { isPaddedWithZeros, parseSignedData } from "../cms/signed-data.ts";
import type { Certificate } from "../x509/types.ts";
import { type CmsVerdict, checkValue } from "./check-cms.ts";
import { isTimestamp } from "./form-defaults.ts";
import { changesAfter, isAllowed } from "./later-changes.ts";
import { unmetSeedValue } from "./seed-value.ts";
import {
  type TimestampVerdict,
  validateTimestamp,
  type ChainContext,
  type ChainVerdict,
  validateChain,
} from "./validate-certificate.ts";

const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);
/** Readers look for `startxref` in the last 1 024 bytes. Source: ISO 32000-1 annex H, note 18. */
const MOST_BLANKS = 900;

/** These show no alteration. Source: EN 319 102-1 §5.1.3 (INDETERMINATE). */
const UNJUDGED: ReadonlySet<FileProblem> = new Set([
  "encrypted",
  "pdf_encrypted",
  "pdf_encrypted_for_recipients",
]);

/**
 * Validates every signature and document time-stamp of a PDF, in the order of revisions.
 * Shape: nothing is fetched: trust and revocation data are in `evidence` and the file.
 * Errors: none for a bad file or signature: the report has `problems`.
 * Source: EN 319 102-1 §5; EN 319 142-1 §5 and §6.
 */
export async function validate(
  bytes: Uint8Array,
  context: { readonly evidence: Evidence; readonly now: Date; readonly policy?: ValidationPolicy },
): Promise<ValidationReport> {
  let open: OpenPdf;
  try {
    await requireBearableSize(bytes);
    open = await openPdf(bytes);
  } catch (error) {
    const problems = [unlessBug(error, (error as PadesError).code)];
    return { indication: overall([], problems), signatures: [], problems, pageCount: null };
  }
  const problems: FileProblem[] = [];
  if (!endsRevision(withoutBlankEnd(bytes))) problems.push("trailing_bytes");
  if (open.blocker) problems.push(open.blocker);
  const signatures = await validateAll(open, { ...context, problems }).catch((error: unknown) => {
    if (!(error instanceof PadesError)) throw error;
    problems.push(error.code);
    return [];
  });
  return {
    indication: overall(signatures, problems),
    signatures,
    problems,
    pageCount: open.pdf.context.pages.getPageCount(),
  };
}

/** Trailing white space is invisible unless it hides the end. */
function withoutBlankEnd(bytes: Uint8Array): Uint8Array {
  const end = bytes.findLastIndex((byte) => !BLANKS.has(byte)) + 1;
  return bytes.length - end > MOST_BLANKS ? bytes : bytes.subarray(0, end);
}

type Context = Parameters<typeof validate>[1] & { readonly problems: FileProblem[] };

/** A document time-stamp proves earlier revisions. Source: EN 319 102-1 §5.6.3. */
async function validateAll(
  open: OpenPdf,
  { evidence, now, policy = {}, problems }: Context,
): Promise<SignatureReport[]> {
  // Two readers may show the file differently.
  if (open.blocker === null && !isStrictRevision(open)) problems.push("broken_xref");
  if (hasUnlistedSignature(open)) problems.push("unlisted_signature");
  const store = readStore(open);
  const { signers, timestamps } = evidence.trustAnchors;
  const certificates = [...(evidence.certificates ?? []), ...store.certificates];
  const shared: Shared = {
    open,
    now,
    policy,
    pools: {
      signers: certificatePool(signers, certificates),
      timestamps: certificatePool(timestamps, certificates),
    },
    revocations: revocationPool(
      [...(evidence.crls ?? []), ...store.crls],
      [...(evidence.ocsps ?? []), ...store.ocsps],
    ),
    storeRevocations:
      store.certificates.length > 0 ? revocationPool(store.crls, store.ocsps) : null,
    proofs: [],
    brokenFile: problems.some((problem) => !UNJUDGED.has(problem)),
  };
  const ordered = signedFields(open).toSorted(
    (left, right) => rangeEnd(right.value) - rangeEnd(left.value),
  );
  requireBearableSignatures(open, ordered.length);
  const reports: SignatureReport[] = [];
  for (const field of ordered) {
    const { report, proof } = await validateSignature(field, shared);
    if (proof) shared.proofs.push(proof);
    reports.unshift(report);
  }
  return reports;
}

function readStore(open: OpenPdf): ReturnType<typeof readSecurityStore> {
  try {
    return readSecurityStore(open);
  } catch {
    // Validation goes on without an undecodable store.
    return { certificates: [], crls: [], ocsps: [] };
  }
}

function rangeEnd(signature: ReturnType<typeof signedFields>[number]["value"]): number {
  const range = signature.getArray("ByteRange");
  const numberOf = (index: number): number => {
    const item = range?.at(index);
    return item?.type === "number" ? item.value : 0;
  };
  return numberOf(2) + numberOf(3);
}

function overall(
  signatures: readonly SignatureReport[],
  problems: readonly FileProblem[],
): Indication {
  const isBroken = problems.some((problem) => !UNJUDGED.has(problem));
  if (isBroken || signatures.some(({ indication }) => indication === "TOTAL_FAILED"))
    return "TOTAL_FAILED";
  const passed =
    problems.length === 0 &&
    signatures.length > 0 &&
    signatures.every(({ indication }) => indication === "TOTAL_PASSED");
  return passed ? "TOTAL_PASSED" : "INDETERMINATE";
}

/**
 * RFC 9336 §3.1 (documentSigning), RFC 5280 §4.2.1.12 (any; emailProtection, from before RFC 9336),
 * Microsoft's and Adobe's.
 */
const PURPOSES: ReadonlySet<string> = new Set([
  OID.ekuDocumentSigning,
  OID.ekuEmailProtection,
  OID.ekuMicrosoftDocumentSigning,
  OID.ekuAdobeDocumentSigning,
  OID.ekuAny,
]);

/**
 * A server's, a time-stamp authority's or an OCSP responder's certificate signs no documents.
 * Source: EN 319 102-1 §5.2.6.4; EN 319 412-2 §4.3.2 (key usage is present); RFC 5280 §4.2.1.3,
 * §4.2.1.12.
 */
function allowsDocuments({ keyUsage, extendedKeyUsage }: Certificate): boolean {
  const signs =
    keyUsage !== null && (keyUsage.has("digitalSignature") || keyUsage.has("nonRepudiation"));
  return (
    signs &&
    (extendedKeyUsage.length === 0 || extendedKeyUsage.some((purpose) => PURPOSES.has(purpose)))
  );
}

/** Bytes up to `revisionLength` are proven to exist then. */
type Proof = { readonly time: Date; readonly revisionLength: number };

/** `proofs` grows from the last revision back. */
type Shared = {
  readonly open: OpenPdf;
  readonly now: Date;
  readonly policy: ValidationPolicy;
  /** Signers and time-stamp authorities have different anchors. */
  readonly pools: Readonly<Record<keyof TrustAnchors, CertificatePool>>;
  readonly revocations: RevocationPool;
  /** B-LT requires that nothing comes from outside. */
  readonly storeRevocations: RevocationPool | null;
  readonly proofs: Proof[];
  readonly brokenFile: boolean;
};

type Field = ReturnType<typeof signedFields>[number];
type Failure = { readonly indication: Indication; readonly sub: SubIndication | null };
type Draft = {
  readonly range: Coverage;
  readonly checks: Check[];
  readonly changes: LaterChanges;
  cms: CmsVerdict | null;
  timestamp: TimestampVerdict | null;
  chain: ChainVerdict | null;
  failure: Failure | null;
  longTerm: boolean;
};

const FORMAT: Failure = { indication: "TOTAL_FAILED", sub: "FORMAT_FAILURE" };
/** The standard has no sub-indication for it. */
const UNREAD: Failure = { indication: "INDETERMINATE", sub: null };
/** Nothing signed vouches for it. Source: ISO 32000-2 §12.8.1 (zeros). */
const FILLED: Failure = { indication: "INDETERMINATE", sub: "SIG_CONSTRAINTS_FAILURE" };

/** Gives the report, and the proof by a passed time-stamp. */
async function validateSignature(
  field: Field,
  shared: Shared,
): Promise<{ report: SignatureReport; proof: Proof | null }> {
  const subFilter = nameAt(shared.open, field.value, "SubFilter") ?? "";
  const range = checkByteRange(shared.open, field.value);
  const changes = range.problem ? "other" : await changesAfter(shared.open, field, range);
  const draft: Draft = {
    range,
    checks: [],
    changes,
    cms: null,
    timestamp: null,
    chain: null,
    failure: null,
    longTerm: false,
  };
  draft.checks.push({
    name: "byte_range",
    passed: range.problem === null,
    detail: range.problem ?? "The range covers a whole revision",
  });
  draft.checks.push({
    name: "modifications",
    passed: isAllowed(changes),
    detail: `Later changes: ${changes}`,
  });
  const [isKnown, naming] = [
    isKnownKind(shared.open, field.value),
    namingOf(shared.open, field.value),
  ];
  if (range.problem || !range.covered || !isKnown || shared.brokenFile || naming === "wrong")
    draft.failure = FORMAT;
  else if (naming === "unclear") draft.failure = UNREAD;
  if (range.covered && isKnown) {
    const failure = await validateContents(draft, { field, shared, covered: range.covered });
    draft.failure = worse(draft.failure, failure);
  }
  if (!isAllowed(changes)) draft.failure = worse(draft.failure, FORMAT);
  const unmet = unmetSeedValue(shared.open, field, draft);
  if (unmet) {
    draft.checks.push({
      name: "format",
      passed: false,
      detail: `The field asks of its signer what is not there: ${unmet}`,
    });
    draft.failure = worse(draft.failure, {
      indication: "INDETERMINATE",
      sub: "SIG_CONSTRAINTS_FAILURE",
    });
  }
  if (shared.open.blocker === "encrypted" && !isShownBroken(draft.failure)) draft.failure = UNREAD;
  const report = present(field, { subFilter, shared, draft });
  const proves =
    subFilter === "ETSI.RFC3161" && report.indication === "TOTAL_PASSED" && report.timestamp;
  return {
    report,
    proof: proves ? { time: proves.time, revisionLength: range.revisionLength } : null,
  };
}

/**
 * In an encrypted file revisions cannot be compared, and some parsers decrypt `/Contents`: only a
 * wrong digest or value shows an alteration.
 * Source: ISO 32000-2 §7.6.2 (a signature's `/Contents` is not encrypted).
 */
function isShownBroken(failure: Failure | null): boolean {
  return (
    failure !== null && (failure.sub === "HASH_FAILURE" || failure.sub === "SIG_CRYPTO_FAILURE")
  );
}

type Contents = {
  readonly field: Field;
  readonly shared: Shared;
  readonly covered: readonly Uint8Array[];
};

async function validateContents(draft: Draft, contents: Contents): Promise<Failure | null> {
  try {
    return isTimestamp(contents.shared.open, contents.field.value)
      ? await validateToken(draft, contents)
      : await validateValue(draft, contents);
  } catch (error) {
    // A spent budget concerns the file, not this signature.
    if (error instanceof PadesError && error.code === "pdf_too_complex") throw error;
    return unlessBug(error, FORMAT);
  }
}

function chainContext(
  { pools, revocations, policy, now }: Shared,
  trustedFor: keyof TrustAnchors,
  { provenAt, carried = [] }: { provenAt: Date | null; carried?: readonly Uint8Array[] },
): ChainContext {
  return { pool: extendedPool(pools[trustedFor], carried), revocations, policy, now, provenAt };
}

async function validateToken(draft: Draft, { shared, covered }: Contents): Promise<Failure | null> {
  const { contents, revisionLength } = draft.range;
  const filled = isPaddedWithZeros(contents) ? null : FILLED;
  // Bytes that are no token fail the format.
  parseSignedData(contents, "allowed");
  const provenAt = earliestProof(shared.proofs, revisionLength);
  draft.timestamp = await validateTimestamp(
    contents,
    concatBytes(covered),
    chainContext(shared, "timestamps", { provenAt }),
  );
  const { check, chain, doubt } = draft.timestamp;
  draft.checks.push(check);
  draft.chain = chain;
  if (chain) draft.checks.push(...chain.checks);
  if (draft.timestamp.provenAt) return filled;
  if (doubt) return { indication: "INDETERMINATE", sub: doubt };
  return chain?.failure ?? { indication: "TOTAL_FAILED", sub: "SIG_CRYPTO_FAILURE" };
}

async function validateValue(
  draft: Draft,
  { field, shared, covered }: Contents,
): Promise<Failure | null> {
  const { contents, revisionLength } = draft.range;
  const proven = earliestProof(shared.proofs, revisionLength);
  const extraCertificates = shared.pools.signers.others.map(({ der }) => der);
  draft.cms = await checkValue(shared.open, field.value, { contents, covered, extraCertificates });
  draft.checks.push(...draft.cms.checks);
  const { signed, certificate, failure } = draft.cms;
  if (!signed || !certificate) return failure;
  const carried = signed.certificates;
  const token = signed.unsignedAttributes.get(OID.signatureTimestamp)?.[0];
  if (token) {
    draft.timestamp = await validateTimestamp(
      token.bytes,
      signed.signature,
      chainContext(shared, "timestamps", { provenAt: proven, carried }),
    );
    draft.checks.push(draft.timestamp.check);
  }
  const provenAt = draft.timestamp?.provenAt ?? proven;
  const own = chainContext(shared, "signers", { provenAt, carried });
  draft.chain = await validateChain(certificate, own);
  draft.checks.push(...draft.chain.checks);
  const authority = chainContext(shared, "timestamps", { provenAt, carried });
  const paths = [
    [draft.chain, own],
    [draft.timestamp?.chain ?? null, authority],
  ] as const;
  draft.longTerm = await carriesRevocation(paths, shared.storeRevocations);
  // Source: EN 319 102-1 §5.2.6.4.
  const purpose: Failure | null = allowsDocuments(certificate)
    ? null
    : { indication: "INDETERMINATE", sub: "CHAIN_CONSTRAINTS_FAILURE" };
  const filled = isPaddedWithZeros(contents) ? null : FILLED;
  return [purpose, draft.chain.failure, brokenTimestamp(draft.timestamp), filled].reduce(
    worse,
    failure,
  );
}

/**
 * An unverifiable token was altered; otherwise its time stays unproven.
 * Source: EN 319 102-1 §5.2.8.4.2 (cryptographic constraints), §5.4, §5.5.4 (order).
 */
function brokenTimestamp(timestamp: TimestampVerdict | null): Failure | null {
  if (!timestamp || timestamp.provenAt) return null;
  return {
    indication: "INDETERMINATE",
    sub: timestamp.doubt ?? (timestamp.chain ? "NO_POE" : "SIG_CONSTRAINTS_FAILURE"),
  };
}

async function carriesRevocation(
  paths: readonly (readonly [ChainVerdict | null, ChainContext])[],
  revocations: RevocationPool | null,
): Promise<boolean> {
  if (!revocations) return false;
  for (const [verdict, context] of paths) {
    const leaf = verdict?.chain?.[0];
    if (!leaf) continue;
    const pool = extendedPool(
      context.pool,
      verdict.chain.map(({ der }) => der),
    );
    if (!(await validateChain(leaf, { ...context, pool, revocations })).revocationComplete)
      return false;
  }
  return true;
}

function earliestProof(proofs: readonly Proof[], revisionLength: number): Date | null {
  const times = proofs
    .filter((proof) => proof.revisionLength > revisionLength)
    .map(({ time }) => time.getTime());
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}

function worse(left: Failure | null, right: Failure | null): Failure | null {
  if (!left || !right) return left ?? right;
  return left.indication === "TOTAL_FAILED" || right.indication !== "TOTAL_FAILED" ? left : right;
}

function present(
  field: Field,
  { subFilter, shared, draft }: { subFilter: string; shared: Shared; draft: Draft },
): SignatureReport {
  const certificate = draft.cms?.certificate ?? null;
  const claimed = textAt(shared.open, field.value, "M");
  return {
    fieldName: field.name,
    kind: subFilter === "ETSI.RFC3161" ? "document_timestamp" : "signature",
    subFilter,
    indication: draft.failure?.indication ?? "TOTAL_PASSED",
    subIndication: draft.failure?.sub ?? null,
    checks: draft.checks,
    warnings: draft.cms?.warnings ?? [],
    coverage: draft.range.coverage,
    laterChanges: draft.changes,
    level: draft.failure ? null : levelOf(subFilter, shared, draft),
    signerName: certificate?.subject.commonName ?? null,
    claimedTime: claimed ? parseDate(claimed) : null,
    certificate: certificate
      ? {
          der: certificate.der,
          sha256: toHex(sha256(certificate.der)),
          subject: certificate.subject,
          issuer: certificate.issuer,
          emails: certificate.emails,
          serialNumber: toHex(certificate.serialNumber),
          notBefore: certificate.notBefore,
          notAfter: certificate.notAfter,
          policyOids: certificate.policyOids,
        }
      : null,
    issuerNames: draft.cms
      ? (draft.chain?.chain ?? []).slice(1).map(({ subject }) => subject.commonName)
      : [],
    hashAlgorithm: DIGEST_NAMES[draft.cms?.signed?.digestOid ?? ""] ?? null,
    timestamp: draft.timestamp?.report ?? null,
    revocation: draft.chain?.leafRevocation ?? null,
    revisionLength: draft.range.revisionLength,
  };
}

/** Source: EN 319 142-1 §6.2; §6.3, table 1 (no signing-time attribute at any level). */
function levelOf(subFilter: string, shared: Shared, draft: Draft): PadesLevel | null {
  if (subFilter !== "ETSI.CAdES.detached" || draft.cms?.warnings.includes("signing_time_attribute"))
    return null;
  const covered = earliestProof(shared.proofs, draft.range.revisionLength) !== null;
  if (!draft.timestamp?.provenAt && !covered) return "B-B";
  if (!draft.longTerm) return "B-T";
  return covered ? "B-LTA" : "B-LT";
}

function parseDate(text: string): Date | null {
  const match = /^D:(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:Z|([+-])(\d{2})'?(\d{2})?)?/.exec(
    text,
  );
  if (!match) return null;
  const [, year, month, day, hour, minute, second, sign, hours = "0", minutes = "0"] = match;
  const utc = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return new Date(sign === "-" ? utc + offset : sign === "+" ? utc - offset : utc);
}
