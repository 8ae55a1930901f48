/**
 * Building blocks shared by the schemas. Every schema is strict: an unknown key is refused.
 * Messages are the French sentences of the specification §5.
 */
import * as z from "zod/mini";
import { MAX_PAGE_SIZE, PAGE_SIZE } from "./constants.ts";
import {
  addressOf,
  bareNumber,
  EMAIL_PATTERN,
  isReadable,
  lineOf,
  MAX_ADDRESS_LENGTH,
  MAX_LOCAL_PART,
  type NamedText,
  PHONE_PATTERN,
  plainLines,
  wordsFault,
} from "./person-rules.ts";

/** Code units of what was sent for each that may be kept: a letter with its accents apart takes four at most (U+1F82), and what is unseen is taken out. */
const RAW_FACTOR = 4;

/**
 * The way to every string that is rewritten or compared by Unicode's rules: its raw length is looked at first, for NFC takes time by the square of a run of
 * accents (UAX #15 §13). `maximum`: code units kept; `tooLong`: what is said of more than four times as many.
 */
export function rawTextSchema(
  maximum: number,
  { wrong, tooLong }: { readonly wrong: string; readonly tooLong: string },
) {
  return z
    .string(wrong)
    .check(z.maxLength(maximum * RAW_FACTOR, { message: tooLong, abort: true }));
}

/** UUID, any version (the service makes version 7, RFC 9562 §5.7). */
export const idSchema = z.uuid("Identifiant invalide");
/** Says whether a text is an id: what is none names nothing. */
export const isId = (text: string): boolean => idSchema.safeParse(text).success;
/** ISO 8601 instant, UTC, ends in `Z`. */
export const instantSchema = z.iso.datetime("Date invalide");
export type Instant = string;
/** ISO 8601 calendar date `YYYY-MM-DD`. */
export const dateSchema = z.iso.date("Date invalide");
/** A day to search by. A year beyond these is a slip of the hand, and one that a database cannot hold. */
export const periodDateSchema = z.iso
  .date("Date invalide")
  .check(z.regex(/^(19|2\d)\d\d-/, "Date invalide"));
/** Lower-case hexadecimal SHA-256. */
export const sha256Schema = z.string().check(z.regex(/^[0-9a-f]{64}$/, "Empreinte invalide"));

/**
 * Text of a person: trimmed, NFC, whole characters, without what ends a line, hides or turns its words (a new line is allowed only in `multilineSchema`).
 * `required`: what is said when there is nothing in it to read.
 */
export function lineSchema(maximum: number, required?: string) {
  const line = anyLineSchema(maximum, required);
  return required ? z.pipe(line, z.string().check(z.refine(isReadable, required))) : line;
}

/** A title or a name, which others read where the service speaks: a line whose words hold no address, mark-up or look-alike. */
export function namedLineSchema(
  maximum: number,
  { required, kind }: { readonly required: string; readonly kind: NamedText },
) {
  return z.pipe(
    lineSchema(maximum, required),
    z.string().check((line) => {
      const message = wordsFault(line.value, kind);
      if (message !== null) line.issues.push({ code: "custom", message, input: line.value });
    }),
  );
}

/** A line of a text that was taken before: signs alone are enough. */
export function anyLineSchema(maximum: number, required?: string) {
  const tooLong = `${maximum} caractères au maximum`;
  const base = z.pipe(
    rawTextSchema(maximum, { wrong: required ?? "Texte invalide", tooLong }),
    z.transform(lineOf),
  );
  const bounded = z.string().check(z.maxLength(maximum, tooLong));
  return z.pipe(base, required ? bounded.check(z.minLength(1, required)) : bounded);
}

/** Text of several lines, trimmed, NFC. */
export function multilineSchema(maximum: number) {
  const tooLong = `${maximum} caractères au maximum`;
  return z.pipe(
    z.pipe(
      rawTextSchema(maximum, { wrong: "Texte invalide", tooLong }),
      z.transform((value: string) => plainLines(value).trim()),
    ),
    z.string().check(z.maxLength(maximum, tooLong)),
  );
}

export const emailSchema = z.pipe(
  z.pipe(
    rawTextSchema(MAX_ADDRESS_LENGTH, { wrong: "Email requis", tooLong: "Email invalide" }),
    z.transform(addressOf),
  ),
  z.string().check(
    z.minLength(1, { message: "Email requis", abort: true }),
    z.maxLength(MAX_ADDRESS_LENGTH, { message: "Email invalide", abort: true }),
    z.email({ pattern: EMAIL_PATTERN, message: "Email invalide", abort: true }),
    z.refine((value) => value.lastIndexOf("@") <= MAX_LOCAL_PART, "Email invalide"),
  ),
);

/** A number, or a code, typed with its spaces, dots and brackets. */
const MAX_TYPED_NUMBER = 32;

/** E.164, or a French national number; empty for none. */
export const phoneSchema = z.pipe(
  z.pipe(
    rawTextSchema(MAX_TYPED_NUMBER, { wrong: "Téléphone invalide", tooLong: "Téléphone invalide" }),
    z.transform(bareNumber),
  ),
  z.string().check(z.regex(PHONE_PATTERN, "Téléphone invalide")),
);

/** Query of a list call, contract §2. */
export const pageQuery = {
  page: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1_000_000)), 1),
  page_size: z._default(
    z.coerce.number().check(z.int(), z.minimum(1), z.maximum(MAX_PAGE_SIZE)),
    PAGE_SIZE,
  ),
};

/** Answer of a list call, contract §2. */
export function listSchema<T extends z.ZodMiniType>(row: T) {
  return z.strictObject({
    count: z.number(),
    count_capped: z.optional(z.boolean()),
    page: z.number(),
    page_size: z.number(),
    results: z.array(row),
  });
}

/** A one-time code, typed or pasted with its spaces. */
export const codeSchema = z.pipe(
  z.pipe(
    rawTextSchema(MAX_TYPED_NUMBER, {
      wrong: "Saisissez le code à 6 chiffres.",
      tooLong: "Saisissez le code à 6 chiffres.",
    }),
    z.transform((value: string) => value.replace(/[\s\u00a0\u202f]/g, "")),
  ),
  z.string().check(z.regex(/^[0-9]{6}$/, "Saisissez le code à 6 chiffres.")),
);
