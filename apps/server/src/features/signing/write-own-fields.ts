import { failure, problem, type Result, type SelfSignField, success } from "@paraphe/contracts";
import { loadPrintableCharacters } from "../../platform/fonts/printable-characters.ts";
import { parisDay } from "../envelopes/public.ts";
import { checkFieldValues } from "./domain/check-field-values.ts";

type Writing = {
  readonly fields: readonly SelfSignField[];
  readonly signerName: string;
  readonly signedAt: Date;
};

/**
 * Gives the fields that the owner of a document puts on it beside the signature, each with what will be printed: by the rules of any signer's.
 * Errors: `field_required` for a text without words, `unsupported_character`, each under `fields.N`.
 */
export async function writeOwnFields({ fields, signerName, signedAt }: Writing): Promise<Result<readonly SelfSignField[]>> {
  if (fields.length === 0) return success([]);
  const { firstMissing } = await loadPrintableCharacters();
  const own = fields.map(({ type, value }, index) => ({ id: String(index), type, required: true, value }));
  const values = checkFieldValues({ own, submitted: [], signerName, today: parisDay(signedAt), firstMissing });
  if (!values.ok) return values;
  return success(fields.map((field, index) => ({ ...field, value: values.value[index]?.value ?? null })));
}

/** Says of the first field whose page the document does not have that it has not. */
export function lostField(fields: readonly SelfSignField[], pageCount: number) {
  const index = fields.findIndex(({ page }) => page > pageCount);
  if (index < 0) return null;
  const message = `Ce document n’a que ${pageCount} ${pageCount > 1 ? "pages" : "page"}`;
  return failure(problem("validation", { errors: { [`fields.${index}`]: [message] } }));
}
