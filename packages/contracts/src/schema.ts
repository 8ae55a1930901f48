/** Schemas are strict: an unknown key is refused. Messages are specification §5's. */
import * as z from "zod/mini";
import { MAX_NAME_LENGTH, MAX_PAGE_SIZE, PAGE_SIZE } from "./constants.ts";
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
  UNREADABLE,
  wordsFault,
} from "./person-rules.ts";

/** A decomposed letter takes four code units (U+1F82). */
const RAW_FACTOR = 4;

/**
 * Limits text before NFC, which is quadratic in accents (UAX #15 §13). `maximum`: code units
 * stored.
 */
export function rawTextSchema(
  maximum: number,
  { wrong, tooLong }: { readonly wrong: string; readonly tooLong: string },
) {
  return z
    .string(wrong)
    .check(z.maxLength(maximum * RAW_FACTOR, { message: tooLong, abort: true }));
}

/** UUID of any version (the service makes version 7, RFC 9562 §5.7). */
export const idSchema = z.uuid({
  error: ({ input }) => (input === undefined ? undefined : "Identifiant invalide"),
});
export const teamRef = z.strictObject({ id: idSchema, name: z.string() });
export type TeamRef = z.infer<typeof teamRef>;
export const teamChoice = z._default(z.nullable(idSchema), null);
/** Narrows a list to what a team has, or to what one has alone. */
export const teamFilter = z.union([
  z.literal("mine"),
  z.uuid("mine, ou l’identifiant d’une équipe"),
]);
export const isId = (text: string): boolean => idSchema.safeParse(text).success;
/** ISO 8601 instant, UTC, ends in `Z`. */
export const instantSchema = z.iso.datetime("Date invalide");
/** As it is sent: any offset (RFC 3339 §5.6). */
export const givenInstantSchema = z.iso.datetime({ offset: true });
export type Instant = string;
/** ISO 8601 calendar date `YYYY-MM-DD`. */
export const dateSchema = z.iso.date("Date invalide");
/** A day of a search, within the years that a database accepts. */
export const periodDateSchema = z.iso
  .date({ abort: true })
  .check(z.regex(/^(19|2\d)\d\d-/, "Date invalide"));
/** Lower-case hexadecimal SHA-256. */
export const sha256Schema = z.string().check(z.regex(/^[0-9a-f]{64}$/, "Empreinte invalide"));

/**
 * Trims and normalises (NFC); nothing hides or turns words. `required`: the message when nothing is
 * visible.
 */
export function lineSchema(maximum: number, required?: string) {
  const line = anyLineSchema(maximum, required);
  return required ? z.pipe(line, z.string().check(z.refine(isReadable, UNREADABLE))) : line;
}

/** A title or a name: a line without address, mark-up or look-alike. */
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

/** A line that may consist of signs only. */
export function anyLineSchema(maximum: number, required?: string) {
  const tooLong = `${maximum} caractères au maximum`;
  const base = z.pipe(
    rawTextSchema(maximum, { wrong: required ?? "Texte invalide", tooLong }),
    z.transform(lineOf),
  );
  const bounded = z.string().check(z.maxLength(maximum, tooLong));
  return z.pipe(base, required ? bounded.check(z.minLength(1, required)) : bounded);
}

/** Text of several lines, trimmed, NFC. `required`: as of a line. */
export function multilineSchema(maximum: number, required?: string) {
  const tooLong = `${maximum} caractères au maximum`;
  const base = z.pipe(
    rawTextSchema(maximum, { wrong: required ?? "Texte invalide", tooLong }),
    z.transform((value: string) => plainLines(value).trim()),
  );
  const bounded = z.string().check(z.maxLength(maximum, tooLong));
  return z.pipe(
    base,
    required ? bounded.check(z.minLength(1, required), z.refine(isReadable, UNREADABLE)) : bounded,
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

/** Room for spaces, dots and brackets. */
const MAX_TYPED_NUMBER = 32;

/** E.164 or a French national number; empty for none. */
export const phoneSchema = z
  .pipe(
    z.pipe(
      rawTextSchema(MAX_TYPED_NUMBER, {
        wrong: "Téléphone invalide",
        tooLong: "Téléphone invalide",
      }),
      z.transform(bareNumber),
    ),
    z.string().check(z.regex(PHONE_PATTERN, "Téléphone invalide")),
  )
  .register(z.globalRegistry, { maxLength: MAX_TYPED_NUMBER });

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

/** A one-time code; spaces are removed. */
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

export const personNameSchema = namedLineSchema(MAX_NAME_LENGTH, {
  required: "Nom requis",
  kind: "nom",
});
