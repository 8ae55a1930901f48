import { PadesError, unlessBug } from "../pades-error.ts";
import { signedFields } from "../pdf/form-fields.ts";
import { requireBearableSize } from "../pdf/deflate.ts";
import { type OpenPdf, openPdf } from "../pdf/open-pdf.ts";
import { isStrictRevision } from "../strict/strict-revision.ts";
import { certificatePool } from "./build-chain.ts";
import { endsRevision, requireBearableSignatures } from "./byte-range.ts";
import { validateSignature, type Shared } from "./validate-signature.ts";
import { revocationPool } from "./revocation.ts";
import { readSecurityStore } from "./security-store.ts";
import type {
  Evidence,
  FileProblem,
  Indication,
  SignatureReport,
  ValidationPolicy,
  ValidationReport,
} from "./types.ts";
import { hasUnlistedSignature } from "./unlisted-signature.ts";

const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);
/** Readers look for `startxref` in the last 1 024 bytes. Source: ISO 32000-1 annex H, note 18. */
const MOST_BLANKS = 900;

/** They show no alteration. Source: EN 319 102-1 §5.1.3 (INDETERMINATE). */
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
