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
 * Says whether the signatures a file carries already are whole: ranges, digests, values, and nothing changed after them that they do
 * not allow. Whom they name is not judged here.
 * Errors: PadesError `pdf_too_complex` for more of them than can be judged.
 */
export async function hasSoundSignatures(open: OpenPdf, signatures: ReturnType<typeof signedFields>): Promise<boolean> {
  requireBearableSignatures(open, signatures.length);
  for (const field of signatures) {
    const range = checkByteRange(open, field.value);
    if (!range.covered || !(await isSoundValue(nameAt(open, field.value, "SubFilter") ?? "", range))) return false;
    if (!isAllowed(await changesAfter(open, field, range))) return false;
  }
  return true;
}

async function isSoundValue(subFilter: string, { contents, covered }: Coverage): Promise<boolean> {
  // What cannot be judged here (an old algorithm) is the file's own business; what is broken is not.
  try {
    if (subFilter === "ETSI.RFC3161") {
      const token = withoutPadding(contents);
      if (!token) return false;
      await verifyTimestampToken(token, { imprint: (name) => digest(name, concatBytes(covered ?? [])) });
      return true;
    }
    const { failure } = await checkCms(contents, covered ?? [], { extraCertificates: [], profile: "older" });
    return failure?.indication !== "TOTAL_FAILED";
  } catch (error) {
    return unlessBug(error, error instanceof PadesError && error.code === "timestamp_weak");
  }
}
