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

/** One of the signer's own fields, with the value the sender prepared. */
export type OwnField = {
  readonly id: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly value: string | null;
};
type SubmittedValue = { readonly id: string; readonly value: string | null };
/** What will be printed in the document; null for a blank. */
type PrintedValue = { readonly id: string; readonly value: string | null };

/** What the fields of one signature are filled from. */
type FieldsToFill = {
  readonly own: readonly OwnField[];
  readonly submitted: readonly SubmittedValue[];
  readonly signerName: string;
  /** The day of the signature in Paris, `YYYY-MM-DD`. */
  readonly today: string;
  /** Gives the first character that cannot be printed, or null. */
  readonly firstMissing: (text: string) => string | null;
};

/**
 * Types the values of a signer's fields, all of them: blanks are kept as null, so that every own field is drawn anew by the signing revision.
 * The date and the name fill themselves, whatever the signer's program says: the day of the signature, `dd/mm/yyyy`, and the name that
 * the sender wrote in advance, else the signer's. A checkbox is `Oui` or `Non` (`true` and `false` are taken too); a signature or initials
 * field takes the mark, not a value, save optional initials left blank: `Non`. A mention is the sentence that the sender wrote, copied by the signer letter by letter.
 * Errors: `validation` (a field that is not this signer's, given twice, or of the wrong type), `field_required`, `mention_differs`,
 * `unsupported_character`.
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

/** What stands in a field that the signer does not answer: what the sender prepared, save a sentence that is there to be copied. */
function preparedAnswer(field: OwnField): string | null {
  return field.type === "mention" ? null : field.value;
}

/** Says how a copied sentence differs from the one asked for; null when it does not, or is left blank. */
function mentionDifference(field: OwnField, value: string | null): string | null {
  if (field.type !== "mention" || value === null) return null;
  const comparison = compareMention(field.value ?? "", value);
  return comparison.kind === "same" ? null : mentionInWords(comparison);
}

type UnprintableValue = { readonly id: string; readonly character: string };

/** The problem tells of the first character; each field has its own under `errors`. */
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
  // What nobody sees is nothing.
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

/** Said of initials that the signer need not put, and does not. */
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

/** Fractions of the page as it is displayed, origin top left. */
type OwnPlace = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
/** Where a person signs a document of their own: one place, on the pages that the rule names. `page` from 1; −1 is the last. */
export type OwnPlacement = OwnPlace & { readonly page: number | "all" };

/**
 * Gives the pages that a placement means in a document of so many pages, each with its place.
 * Errors: `validation` for a page that the document does not have.
 */
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
