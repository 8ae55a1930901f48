import type { PdfDict } from "@libpdf/core";
import { concatBytes } from "../asn1/der-writer.ts";
import { digest } from "../cryptography.ts";
import { PadesError, unlessBug } from "../pades-error.ts";
import type { signedFields } from "../pdf/form-fields.ts";
import type { OpenPdf } from "../pdf/open-pdf.ts";
import { verifyTimestampToken } from "../tsp/timestamp.ts";
import { checkByteRange, requireBearableSignatures } from "./byte-range.ts";
import { checkValue } from "./check-cms.ts";
import { isTimestamp } from "./form-defaults.ts";
import { changesAfter, isAllowed } from "./later-changes.ts";
import { isKnownKind, namingOf } from "./signature-entries.ts";

/** `unverified`: alterations cannot be excluded, for example with an unknown algorithm. */
export type CarriedState = "whole" | "unverified";

/**
 * Range, digest, value and later changes of an upload's signatures; not trust. Null once one is
 * broken; "unsure" where nothing shows an alteration.
 * Errors: PadesError `pdf_too_complex` for too many of them.
 */
export async function validateCarried(
  open: OpenPdf,
  signatures: ReturnType<typeof signedFields>,
): Promise<readonly CarriedState[] | "unsure" | null> {
  requireBearableSignatures(open, signatures.length);
  const states: CarriedState[] = [];
  let isUnsure = false;
  for (const field of signatures) {
    const state = await stateOfValue(open, field.value);
    if (state === null) return null;
    const naming = namingOf(open, field.value);
    if (state === "unread" || naming === "wrong") isUnsure = true;
    else states.push(naming === "right" ? state : "unverified");
    isUnsure ||= !isAllowed(await changesAfter(open, field, checkByteRange(open, field.value)));
  }
  return isUnsure ? "unsure" : states;
}

async function stateOfValue(
  open: OpenPdf,
  signature: PdfDict,
): Promise<CarriedState | "unread" | null> {
  const { contents, covered } = checkByteRange(open, signature);
  if (!covered) return null;
  if (!isKnownKind(open, signature)) return "unread";
  try {
    if (isTimestamp(open, signature)) {
      await verifyTimestampToken(contents, {
        imprint: (name) => digest(name, concatBytes(covered)),
      });
      return "whole";
    }
    const { failure, checks } = await checkValue(open, signature, {
      contents,
      covered,
      extraCertificates: [],
    });
    if (failure?.sub === "FORMAT_FAILURE") return "unread";
    if (failure?.indication === "TOTAL_FAILED") return null;
    return checks.some(({ name, passed }) => name === "signature_value" && passed)
      ? "whole"
      : "unverified";
  } catch (error) {
    return unlessBug(error, stateOfError(error));
  }
}

function stateOfError(error: unknown): CarriedState | "unread" | null {
  if (!(error instanceof PadesError)) return null;
  if (error.code === "asn1_malformed") return "unread";
  return error.code === "timestamp_weak" || error.code === "timestamp_uncertified"
    ? "unverified"
    : null;
}
