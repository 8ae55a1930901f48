import {
  compareMention,
  failure,
  type FieldType,
  mentionInWords,
  type Problem,
  problem,
  problemSentence,
  type Result,
  success,
  visibleText,
} from "@paraphe/contracts";

/** A signer's field with the value the sender prepared. */
export type OwnField = {
  readonly id: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly value: string | null;
};
type SubmittedValue = { readonly id: string; readonly value: string | null };
/** Null for a blank. */
type PrintedValue = { readonly id: string; readonly value: string | null };

type FieldsToFill = {
  readonly own: readonly OwnField[];
  readonly submitted: readonly SubmittedValue[];
  readonly signerName: string;
  /** Day of the signature in Paris, `YYYY-MM-DD`. */
  readonly today: string;
  /** The first character without a glyph, or null. */
  readonly firstMissing: (text: string) => string | null;
};

/**
 * Parses the values of all of a signer's fields; blanks are null, so that each field is redrawn.
 * The date (`dd/mm/yyyy`) and the name (the sender's, else the signer's) ignore the client. A
 * checkbox is `Oui` or `Non`. Signatures and initials take the mark; optional initials left blank:
 * `Non`. A mention must equal the sender's sentence.
 * Errors: `validation`, `field_required`, `mention_differs`, `unsupported_character`.
 */
export function checkFieldValues({
  own,
  submitted,
  ...filling
}: FieldsToFill): Result<readonly PrintedValue[]> {
  const known = new Set(own.map((field) => field.id));
  const given = new Map(submitted.map((entry) => [entry.id, entry.value]));
  if (given.size !== submitted.length)
    return failure(invalid({ fields: ["Un champ est rempli deux fois."] }));
  if (submitted.some((entry) => !known.has(entry.id)))
    return failure(invalid({ fields: ["Ce champ ne vous appartient pas."] }));

  const wrong: Record<string, string[]> = {};
  const missing: Record<string, string[]> = {};
  const differing: Record<string, string[]> = {};
  const unprintable: UnprintableValue[] = [];
  const printed: PrintedValue[] = [];
  for (const field of own) {
    const typed = typeValue(
      field,
      given.has(field.id) ? (given.get(field.id) ?? null) : preparedAnswer(field),
      filling,
    );
    const character = "wrong" in typed ? null : filling.firstMissing(typed.value ?? "");
    const difference = "wrong" in typed ? null : mentionDifference(field, typed.value);
    if ("wrong" in typed) wrong[`fields.${field.id}`] = [typed.wrong];
    else if (field.required && isBlank(field, typed.value))
      missing[`fields.${field.id}`] = ["Champ obligatoire"];
    else if (difference !== null) differing[`fields.${field.id}`] = [difference];
    else if (character !== null) unprintable.push({ id: field.id, character });
    else if (!takesMark(field) || typed.value === LEFT_BLANK)
      printed.push({ id: field.id, value: typed.value });
  }
  if (Object.keys(wrong).length > 0) return failure(invalid(wrong));
  if (Object.keys(missing).length > 0)
    return failure(problem("field_required", { errors: missing }));
  if (Object.keys(differing).length > 0)
    return failure(problem("mention_differs", { errors: differing }));
  return unprintable[0] === undefined
    ? success(printed)
    : failure(unsupported(unprintable[0].character, unprintable));
}

/** A mention's text is to be copied, not prepared. */
function preparedAnswer(field: OwnField): string | null {
  return field.type === "mention" ? null : field.value;
}

/** How a mention differs; null when equal or blank. */
function mentionDifference(field: OwnField, value: string | null): string | null {
  if (field.type !== "mention" || value === null) return null;
  const comparison = compareMention(field.value ?? "", value);
  return comparison.kind === "same" ? null : mentionInWords(comparison);
}

type UnprintableValue = { readonly id: string; readonly character: string };

/** The problem names the first character; `errors` has one per field. */
function unsupported(character: string, values: readonly UnprintableValue[]): Problem {
  const sentenceOf = (value: UnprintableValue) =>
    problemSentence(problem("unsupported_character", { params: value }));
  return problem("unsupported_character", {
    params: { character },
    errors: Object.fromEntries(values.map((value) => [`fields.${value.id}`, [sentenceOf(value)]])),
  });
}

function typeValue(
  field: OwnField,
  raw: string | null,
  { signerName, today }: Pick<FieldsToFill, "signerName" | "today">,
): { readonly value: string | null } | { readonly wrong: string } {
  // Invisible text is blank.
  const value = raw === null || visibleText(raw).trim() === "" ? null : raw.normalize("NFC").trim();
  switch (field.type) {
    case "signature":
    case "initials":
      return value === null || (value === LEFT_BLANK && field.type === "initials")
        ? { value }
        : { wrong: "Ce champ reçoit votre signature, pas un texte." };
    case "checkbox":
      return typeBox(value ?? "Non");
    case "date":
      return { value: today.split("-").reverse().join("/") };
    case "name":
      return { value: oneLine(field.value ?? "") || oneLine(signerName) };
    case "text":
      return { value };
    case "mention":
      return { value: oneLine(visibleText(value ?? "")) || null };
  }
}

/** Value of optional initials left blank. */
const LEFT_BLANK = "Non";

const BOX_VALUES: ReadonlyMap<string, string> = new Map([
  ["Oui", "Oui"],
  ["Non", "Non"],
  ["true", "Oui"],
  ["false", "Non"],
]);

function typeBox(value: string): { readonly value: string } | { readonly wrong: string } {
  const box = BOX_VALUES.get(value);
  return box === undefined ? { wrong: "Répondez par Oui ou Non." } : { value: box };
}

function oneLine(text: string): string {
  return text.normalize("NFC").trim().replace(/\s+/gu, " ");
}

function takesMark(field: OwnField): boolean {
  return field.type === "signature" || field.type === "initials";
}

function isBlank(field: OwnField, value: string | null): boolean {
  if (takesMark(field)) return value === LEFT_BLANK;
  return value === null || (field.type === "checkbox" && value === "Non");
}

function invalid(errors: Readonly<Record<string, readonly string[]>>): Problem {
  return problem("validation", { errors });
}

/** Fractions of the page as displayed, origin top left. */
type OwnPlace = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
/** `page` from 1; −1 is the last. */
export type OwnPlacement = OwnPlace & { readonly page: number | "all" };

/** Errors: `validation` for a page the document lacks. */
export function ownPlaces(
  { page, ...place }: OwnPlacement,
  pageCount: number,
): Result<readonly (OwnPlace & { readonly page: number })[]> {
  if (page === "all")
    return success(
      Array.from({ length: pageCount }, (_, index) => ({ ...place, page: index + 1 })),
    );
  const number = page === -1 ? pageCount : page;
  if (number >= 1 && number <= pageCount) return success([{ ...place, page: number }]);
  const message = `Ce document n’a que ${pageCount} ${pageCount > 1 ? "pages" : "page"}`;
  return failure(problem("validation", { errors: { placement: [message] } }));
}
