import { visibleText } from "./person-rules.ts";

type Facts = {
  readonly prepared: string | null;
  readonly signerName: string;
  /** Day of the signature in Paris, `YYYY-MM-DD`. */
  readonly today: string;
};
export type Keyboard = "text" | "tel" | "email" | "numeric";

type FieldKind = {
  readonly tool: string;
  readonly short: string;
  /** Shown unless the sender gave a label. */
  readonly title: string;
  readonly icon: string;
  /** Size of a new field on A4, in fractions of the page. */
  readonly size: { readonly width: number; readonly height: number };
  readonly isLabelled: boolean;
} & (
  | {
      /** `marked` with signature or initials; `copied`: the signer writes the `value` again. */
      readonly filling: "marked" | "ticked" | "copied";
    }
  | {
      readonly filling: "written";
      /** The `inputmode`, from the sender's label. */
      readonly keyboard: (label: string) => Keyboard;
    }
  | {
      readonly filling: "automatic";
      /** Printed whatever the client sends. */
      readonly print: (facts: Facts) => string;
      /** Where the value comes from, in French. */
      readonly source: string;
    }
);

export const FIELD_KINDS = {
  signature: {
    tool: "Signature",
    short: "Signature",
    title: "Signature",
    icon: "signature",
    size: { width: 0.3, height: 0.064 },
    isLabelled: false,
    filling: "marked",
  },
  initials: {
    tool: "Paraphe",
    short: "Paraphe",
    title: "Paraphe",
    icon: "initials",
    size: { width: 0.1, height: 0.042 },
    isLabelled: false,
    filling: "marked",
  },
  date: {
    tool: "Date de signature",
    short: "Date",
    title: "Date",
    icon: "calendar",
    size: { width: 0.18, height: 0.032 },
    isLabelled: false,
    filling: "automatic",
    print: ({ today }) => today.split("-").reverse().join("/"),
    source: "le jour de la signature",
  },
  name: {
    tool: "Nom complet",
    short: "Nom",
    title: "Nom",
    icon: "user",
    size: { width: 0.3, height: 0.032 },
    isLabelled: false,
    filling: "automatic",
    print: ({ prepared, signerName }) => oneLine(prepared ?? "") || oneLine(signerName),
    source: "le vôtre",
  },
  text: {
    tool: "Texte libre",
    short: "Texte",
    title: "Texte",
    icon: "text",
    size: { width: 0.3, height: 0.036 },
    isLabelled: true,
    filling: "written",
    keyboard: keyboardFor,
  },
  checkbox: {
    tool: "Case à cocher",
    short: "Case",
    title: "Case à cocher",
    icon: "checkbox",
    size: { width: 0.04, height: 0.028 },
    isLabelled: true,
    filling: "ticked",
  },
  mention: {
    tool: "Mention manuscrite",
    short: "Mention",
    title: "Mention manuscrite",
    icon: "mention",
    size: { width: 0.45, height: 0.05 },
    isLabelled: false,
    filling: "copied",
  },
} as const satisfies Readonly<Record<string, FieldKind>>;
export type FieldType = keyof typeof FIELD_KINDS;
export const FIELD_TYPES = Object.keys(FIELD_KINDS) as FieldType[];

type Typed = { readonly type: FieldType };

/** A mark is drawn, no text. */
export function takesMark({ type }: Typed): boolean {
  return FIELD_KINDS[type].filling === "marked";
}

export function fillsItself({ type }: Typed): boolean {
  return FIELD_KINDS[type].filling === "automatic";
}

export function isTickBox({ type }: Typed): boolean {
  return FIELD_KINDS[type].filling === "ticked";
}

/** The `value` is copied, not answered. */
export function isToCopy({ type }: Typed): boolean {
  return FIELD_KINDS[type].filling === "copied";
}

/** Printed for optional initials left blank, and a box not ticked. */
export const LEFT_BLANK = "Non";
const BOX_VALUES: ReadonlyMap<string, string> = new Map([
  ["Oui", "Oui"],
  [LEFT_BLANK, LEFT_BLANK],
  ["true", "Oui"],
  ["false", LEFT_BLANK],
]);
const NO_TEXT = { wrong: "Ce champ reçoit votre signature, pas un texte." };

type ParsedValue = { readonly value: string | null } | { readonly wrong: string };
type AnsweredType = {
  [T in FieldType]: (typeof FIELD_KINDS)[T]["filling"] extends "automatic" ? never : T;
}[FieldType];

/**
 * Parses an answer in NFC, without outer spaces; null for a blank. Stands apart from `FIELD_KINDS`,
 * so that the client's build drops it.
 */
const PARSERS: Readonly<Record<AnsweredType, (given: string | null) => ParsedValue>> = {
  signature: (value) => (value === null ? { value } : NO_TEXT),
  initials: (value) => (value === null || value === LEFT_BLANK ? { value } : NO_TEXT),
  text: (value) => ({ value }),
  checkbox: (given) => {
    const value = BOX_VALUES.get(given ?? LEFT_BLANK);
    return value === undefined ? { wrong: "Répondez par Oui ou Non." } : { value };
  },
  mention: (value) => ({ value: oneLine(visibleText(value ?? "")) || null }),
};

/** Gives what to print for a signer's answer. */
export function parseFieldValue(type: FieldType, given: string | null, facts: Facts): ParsedValue {
  const kind = FIELD_KINDS[type];
  if (kind.filling === "automatic") return { value: kind.print(facts) };
  const isBlank = given === null || visibleText(given).trim() === "";
  return PARSERS[type as AnsweredType](isBlank ? null : given.normalize("NFC").trim());
}

function oneLine(text: string): string {
  return text.normalize("NFC").trim().replace(/\s+/gu, " ");
}

/** Numeric keyboards, for answers without letters. */
const KEYBOARDS: readonly (readonly [RegExp, Keyboard])[] = [
  [/(^|\P{L})(t[ée]l|t[ée]l[ée]phone|portable|mobile)(\P{L}|$)/iu, "tel"],
  [/(^|\P{L})(e-?mail|m[ée]l|courriel|adresse [ée]lectronique)(\P{L}|$)/iu, "email"],
  [/(^|\P{L})(code postal|siren|siret)(\P{L}|$)/iu, "numeric"],
];

function keyboardFor(label: string): Keyboard {
  return KEYBOARDS.find(([words]) => words.test(label))?.[1] ?? "text";
}
