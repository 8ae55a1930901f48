import { concatBytes } from "../asn1/der-writer.ts";
import type { signedFields } from "../pdf/form-fields.ts";
import { withoutPadding } from "../cms/signed-data.ts";
import { PadesError } from "../pades-error.ts";
import { nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { verifyTimestampToken } from "../tsp/timestamp-token.ts";
import { requireBearableSignatures } from "./bearable-signatures.ts";
import { type Coverage, checkByteRange } from "./byte-range.ts";
import { checkCms } from "./check-cms.ts";
import { changesAfter, isAllowed } from "./later-changes.ts";
import { unlessBug } from "./unless-bug.ts";
import { digest } from "../cms/digest.ts";

/**
 * What a file brings along: `whole`, its value right and nothing changed after it that it does not allow; `unverified`, its value by an old
 * or unknown algorithm, or without its certificate: whether it was altered cannot be said.
 */
export type CarriedState = "whole" | "unverified";

/**
 * Says of each signature and document time-stamp that a file carries already whether it is whole: range, digest, value, and what came after
 * it. Null as soon as one is shown to be broken; "unsure" when one cannot be read, or the file was changed after one in a way that no rule here
 * allows: neither shows that it was altered. Whom they name is not judged here.
 * Errors: PadesError `pdf_too_complex` for more of them than can be judged.
 */
export async function judgeCarried(
  open: OpenPdf,
  signatures: ReturnType<typeof signedFields>,
): Promise<readonly CarriedState[] | "unsure" | null> {
  requireBearableSignatures(open, signatures.length);
  const states: CarriedState[] = [];
  let isUnsure = false;
  for (const field of signatures) {
    const range = checkByteRange(open, field.value);
    const state = range.covered ? await stateOfValue(nameAt(open, field.value, "SubFilter") ?? "", range) : null;
    if (state === null) return null;
    if (state === "unread") isUnsure = true;
    else states.push(state);
    isUnsure ||= !isAllowed(await changesAfter(open, field, range));
  }
  return isUnsure ? "unsure" : states;
}

/** What cannot be judged here (an old algorithm) is the file's own business; what is broken is not. */
async function stateOfValue(subFilter: string, { contents, covered }: Coverage): Promise<CarriedState | "unread" | null> {
  try {
    if (subFilter === "ETSI.RFC3161") {
      const token = withoutPadding(contents);
      if (!token) return "unread";
      await verifyTimestampToken(token, { imprint: (name) => digest(name, concatBytes(covered ?? [])) });
      return "whole";
    }
    const profile = subFilter === "adbe.pkcs7.sha1" ? "enclosed" : "older";
    const { failure, checks } = await checkCms(contents, covered ?? [], { extraCertificates: [], profile });
    if (failure?.sub === "FORMAT_FAILURE") return "unread";
    if (failure?.indication === "TOTAL_FAILED") return null;
    return checks.some(({ name, passed }) => name === "signature_value" && passed) ? "whole" : "unverified";
  } catch (error) {
    return unlessBug(error, stateOfError(error));
  }
}

function stateOfError(error: unknown): CarriedState | "unread" | null {
  if (!(error instanceof PadesError)) return null;
  if (error.code === "asn1_malformed") return "unread";
  return error.code === "timestamp_weak" ? "unverified" : null;
}
