import {
  FIELD_KINDS,
  type Field,
  type Keyboard,
  compareMention,
  isTickBox,
  isToCopy,
  takesMark,
  visibleText,
} from "@paraphe/contracts";
import { inReadingOrder } from "../../../pdf/fields/layer-field.ts";
import type { MarkPurpose } from "../marks/chosen-mark.ts";

export type SigningField = Field & {
  readonly own: boolean;
  /** The other signer's name; `value` is what the document shows. */
  readonly filled_by?: string | undefined;
};
export type Answers = {
  readonly values: Readonly<Record<string, string>>;
  /** Fields the signer agreed to mark. */
  readonly marked: ReadonlySet<string>;
};

export function ownFields({ fields, documents }: Signed): readonly SigningField[] {
  return documents.flatMap(({ id }) =>
    inReadingOrder(fields.filter((field) => field.own && field.document_id === id)),
  );
}

type Signed = {
  readonly fields: readonly SigningField[];
  readonly documents: readonly { readonly id: string }[];
};

export function purposeOf(field: Pick<Field, "type">): MarkPurpose {
  return field.type === "initials" ? "initials" : "signature";
}

export function isFilled(field: SigningField, answers: Answers): boolean {
  if (takesMark(field)) return answers.marked.has(field.id);
  const value = writtenIn(field, answers);
  if (isToCopy(field))
    return value !== "" && compareMention(field.value ?? "", value).kind === "same";
  return isTickBox(field) ? value === "Oui" : value !== "";
}

export function initialsLeft(
  fields: readonly SigningField[],
  answers: Answers,
): readonly SigningField[] {
  return fields.filter((field) => field.type === "initials" && !isFilled(field, answers));
}

/** An optional field counts only as a mention that was begun. */
export function workOf(fields: readonly SigningField[], answers: Answers) {
  const counted = fields.filter((field) => mustBeFilled(field) || isBegunMention(field, answers));
  return {
    counted,
    remaining: counted.filter((field) => !isFilled(field, answers)),
    optional: fields.filter((field) => !counted.includes(field)),
  };
}

function isBegunMention(field: SigningField, answers: Answers): boolean {
  return isToCopy(field) && writtenIn(field, answers) !== "";
}

/** Zero-width characters are no answer. */
function writtenIn(field: SigningField, { values }: Answers): string {
  return visibleText(values[field.id] ?? "").trim();
}

/** A signature is always required, even where the sender left « obligatoire » unticked. */
export function mustBeFilled(field: Pick<Field, "type" | "required">): boolean {
  return field.required || field.type === "signature";
}

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

/** Goes round the fields; null when none is left. */
export function nextField(
  fields: readonly SigningField[],
  offered: readonly SigningField[],
  currentId: string | null,
): SigningField | null {
  const position = fields.findIndex((field) => field.id === currentId);
  return offered.find((field) => fields.indexOf(field) > position) ?? offered[0] ?? null;
}

/** What the service prints by itself, and the sender's answers. */
export function prefilledValues(
  fields: readonly SigningField[],
  /** `today`: in Paris, `YYYY-MM-DD`. */
  signer: { readonly signerName: string; readonly today: string },
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const field of fields) {
    const kind = FIELD_KINDS[field.type];
    if (kind.filling === "automatic")
      values[field.id] = kind.print({ ...signer, prepared: field.value });
    // The value of a sentence to copy is no answer.
    else if (!takesMark(field) && !isToCopy(field) && field.value) values[field.id] = field.value;
  }
  return values;
}

export function fieldTitle(field: Pick<Field, "type" | "label">): string {
  return field.label?.trim() || FIELD_KINDS[field.type].title;
}

export function keyboardOf({ type, label }: Pick<Field, "type" | "label">): Keyboard {
  const kind = FIELD_KINDS[type];
  return kind.filling === "written" ? kind.keyboard(label ?? "") : "text";
}
