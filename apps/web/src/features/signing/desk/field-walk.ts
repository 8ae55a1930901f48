import { type Field, compareMention, visibleText } from "@paraphe/contracts";
import { inReadingOrder } from "../../../pdf/fields/layer-field.ts";
import type { MarkPurpose } from "../marks/chosen-mark.ts";

export type SigningField = Field & {
  readonly own: boolean;
  /** The other signer; `value` is what the document shows. */
  readonly filled_by?: string | undefined;
};
export type Answers = {
  readonly values: Readonly<Record<string, string>>;
  /** Fields the signer agreed to mark. */
  readonly marked: ReadonlySet<string>;
};

/** Gives the signer's fields in reading order, document by document. */
export function ownFields({ fields, documents }: Signed): readonly SigningField[] {
  return documents.flatMap(({ id }) =>
    inReadingOrder(fields.filter((field) => field.own && field.document_id === id)),
  );
}

type Signed = {
  readonly fields: readonly SigningField[];
  readonly documents: readonly { readonly id: string }[];
};

/** A mark, rather than a text. */
export function takesMark(field: Pick<Field, "type">): boolean {
  return field.type === "signature" || field.type === "initials";
}

export function purposeOf(field: Pick<Field, "type">): MarkPurpose {
  return field.type === "initials" ? "initials" : "signature";
}

export function fillsItself(field: Pick<Field, "type">): boolean {
  return field.type === "date" || field.type === "name";
}

export function isFilled(field: SigningField, answers: Answers): boolean {
  if (takesMark(field)) return answers.marked.has(field.id);
  const value = writtenIn(field, answers);
  if (field.type === "mention")
    return value !== "" && compareMention(field.value ?? "", value).kind === "same";
  return field.type === "checkbox" ? value === "Oui" : value !== "";
}

/** Required or not. */
export function initialsLeft(
  fields: readonly SigningField[],
  answers: Answers,
): readonly SigningField[] {
  return fields.filter((field) => field.type === "initials" && !isFilled(field, answers));
}

/** What every place shows of the work: optional fields count only as a mention once begun. */
export function workOf(fields: readonly SigningField[], answers: Answers) {
  const counted = fields.filter((field) => mustBeFilled(field) || isBegunMention(field, answers));
  return {
    counted,
    remaining: counted.filter((field) => !isFilled(field, answers)),
    optional: fields.filter((field) => !counted.includes(field)),
  };
}

function isBegunMention(field: SigningField, answers: Answers): boolean {
  return field.type === "mention" && writtenIn(field, answers) !== "";
}

/** Zero-width characters are no answer. */
function writtenIn(field: SigningField, { values }: Answers): string {
  return visibleText(values[field.id] ?? "").trim();
}

/** A signature is always required, even where the sender left « obligatoire » unticked. */
export function mustBeFilled(field: Pick<Field, "type" | "required">): boolean {
  return field.required || field.type === "signature";
}

/** Required fields, and optional ones not passed. */
export function offeredFields(
  fields: readonly SigningField[],
  answers: Answers,
  passed: ReadonlySet<string>,
): readonly SigningField[] {
  const { remaining } = workOf(fields, answers);
  return fields.filter(
    (field) => remaining.includes(field) || !(passed.has(field.id) || isFilled(field, answers)),
  );
}

/** Goes round; null when none is left. */
export function nextField(
  fields: readonly SigningField[],
  offered: readonly SigningField[],
  currentId: string | null,
): SigningField | null {
  const position = fields.findIndex((field) => field.id === currentId);
  return offered.find((field) => fields.indexOf(field) > position) ?? offered[0] ?? null;
}

/**
 * The date and the signer's name, as the service prints them. A sender's text wins over the name,
 * not over the date.
 */
export function prefilledValues(
  fields: readonly SigningField[],
  signer: { readonly fullName: string; readonly today: string },
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const field of fields) {
    // A mention's value is the sentence to copy.
    if (takesMark(field) || field.type === "mention") continue;
    if (field.type === "date") values[field.id] = signer.today;
    else if (field.value !== null && field.value !== "") values[field.id] = field.value;
    else if (field.type === "name") values[field.id] = signer.fullName;
  }
  return values;
}

const NAMES: Readonly<Record<Field["type"], string>> = {
  signature: "Signature",
  initials: "Paraphe",
  date: "Date",
  name: "Nom",
  text: "Texte",
  checkbox: "Case à cocher",
  mention: "Mention manuscrite",
};

export function fieldTitle(field: Pick<Field, "type" | "label">): string {
  return field.label?.trim() || NAMES[field.type];
}

type Keyboard = "text" | "tel" | "email" | "numeric";

/** Numeric keyboards, for answers without letters. */
const KEYBOARDS: readonly (readonly [RegExp, Keyboard])[] = [
  [/(^|\P{L})(t[ée]l|t[ée]l[ée]phone|portable|mobile)(\P{L}|$)/iu, "tel"],
  [/(^|\P{L})(e-?mail|m[ée]l|courriel|adresse [ée]lectronique)(\P{L}|$)/iu, "email"],
  [/(^|\P{L})(code postal|siren|siret)(\P{L}|$)/iu, "numeric"],
];

/** Chooses the `inputmode` from the sender's label. */
export function keyboardFor(label: string): Keyboard {
  return KEYBOARDS.find(([words]) => words.test(label))?.[1] ?? "text";
}
