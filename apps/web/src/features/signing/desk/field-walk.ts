import { type Field, compareMention, visibleText } from "@paraphe/contracts";
import { inReadingOrder } from "../../../pdf/fields/layer-field.ts";
import type { MarkPurpose } from "../marks/chosen-mark.ts";

/** A field as the signer's page receives it. */
export type SigningField = Field & {
  readonly own: boolean;
  /** Who has signed there, of the others: `value` is what the document shows. */
  readonly filled_by?: string | undefined;
};
/** The signer's answers so far: field id → value. */
export type Answers = {
  readonly values: Readonly<Record<string, string>>;
  /** Fields that the signer agreed to mark, and whose mark is made. */
  readonly marked: ReadonlySet<string>;
};

/** Gives one's own fields in the order they are walked: document by document, then as one reads. */
export function ownFields({ fields, documents }: Signed): readonly SigningField[] {
  return documents.flatMap(({ id }) =>
    inReadingOrder(fields.filter((field) => field.own && field.document_id === id)),
  );
}

type Signed = {
  readonly fields: readonly SigningField[];
  readonly documents: readonly { readonly id: string }[];
};

/** Tells whether a field takes the drawn mark rather than a text. */
export function takesMark(field: Pick<Field, "type">): boolean {
  return field.type === "signature" || field.type === "initials";
}

/** Gives the mark that a field takes. */
export function purposeOf(field: Pick<Field, "type">): MarkPurpose {
  return field.type === "initials" ? "initials" : "signature";
}

/** Tells whether the service fills a field, whatever the page sends: the day of the signature, the signer's name. */
export function fillsItself(field: Pick<Field, "type">): boolean {
  return field.type === "date" || field.type === "name";
}

/** Tells whether a field has its answer. */
export function isFilled(field: SigningField, answers: Answers): boolean {
  if (takesMark(field)) return answers.marked.has(field.id);
  const value = writtenIn(field, answers);
  if (field.type === "mention")
    return value !== "" && compareMention(field.value ?? "", value).kind === "same";
  return field.type === "checkbox" ? value === "Oui" : value !== "";
}

/** The initials that the signer has not put yet, required or not. */
export function initialsLeft(
  fields: readonly SigningField[],
  answers: Answers,
): readonly SigningField[] {
  return fields.filter((field) => field.type === "initials" && !isFilled(field, answers));
}

/** The required fields still to fill, and a sentence begun that is not yet the one asked for: the service would refuse it. */
export function remainingFields(
  fields: readonly SigningField[],
  answers: Answers,
): readonly SigningField[] {
  return fields.filter(
    (field) => (mustBeFilled(field) || isBegunMention(field, answers)) && !isFilled(field, answers),
  );
}

function isBegunMention(field: SigningField, answers: Answers): boolean {
  return field.type === "mention" && writtenIn(field, answers) !== "";
}

/** What can be seen of an answer: a keyboard or a paste that leaves a space of no width has written nothing. */
function writtenIn(field: SigningField, { values }: Answers): string {
  return visibleText(values[field.id] ?? "").trim();
}

/** Tells whether a field must have its answer. A signature is always asked, even where the sender left « obligatoire » unticked: without it nothing is signed. */
export function mustBeFilled(field: Pick<Field, "type" | "required">): boolean {
  return field.required || field.type === "signature";
}

/** The fields that the signer is led to: what must be filled, and what may be, unless it was passed. */
export function offeredFields(
  fields: readonly SigningField[],
  answers: Answers,
  passed: ReadonlySet<string>,
): readonly SigningField[] {
  const remaining = remainingFields(fields, answers);
  return fields.filter(
    (field) => remaining.includes(field) || !(passed.has(field.id) || isFilled(field, answers)),
  );
}

/** The next of the offered fields after the current one, going round; null when there is none. */
export function nextField(
  fields: readonly SigningField[],
  offered: readonly SigningField[],
  currentId: string | null,
): SigningField | null {
  const position = fields.findIndex((field) => field.id === currentId);
  return offered.find((field) => fields.indexOf(field) > position) ?? offered[0] ?? null;
}

/** What is known without asking: the date of the day and the signer's own name, as the service will print them; what the sender wrote in advance wins, save over the date. */
export function prefilledValues(
  fields: readonly SigningField[],
  signer: { readonly fullName: string; readonly today: string },
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const field of fields) {
    // The value of a mention is the sentence to copy, not an answer to it.
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

/** How a field is called to its signer: its own label, else its kind. */
export function fieldTitle(field: Pick<Field, "type" | "label">): string {
  return field.label?.trim() || NAMES[field.type];
}

type Keyboard = "text" | "tel" | "email" | "numeric";

/** A keyboard of figures alone holds no letter: only for answers that have none. */
const KEYBOARDS: readonly (readonly [RegExp, Keyboard])[] = [
  [/(^|\P{L})(t[ée]l|t[ée]l[ée]phone|portable|mobile)(\P{L}|$)/iu, "tel"],
  [/(^|\P{L})(e-?mail|m[ée]l|courriel|adresse [ée]lectronique)(\P{L}|$)/iu, "email"],
  [/(^|\P{L})(code postal|siren|siret)(\P{L}|$)/iu, "numeric"],
];

/** Gives the keyboard that a phone shows for a field, by what its sender called it. Source: HTML, `inputmode`. */
export function keyboardFor(label: string): Keyboard {
  return KEYBOARDS.find(([words]) => words.test(label))?.[1] ?? "text";
}
