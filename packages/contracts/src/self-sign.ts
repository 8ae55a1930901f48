import * as z from "zod/mini";
import { findingSchema, inPage, titleSchema } from "./envelope.ts";
import { multilineSchema } from "./schema.ts";
import { signatureMarkSchema } from "./signing.ts";

/** The corrected copy of a file, contract §3. */

/** `from`: first page to compare, from 1. */
export const correctionQuery = z.strictObject({
  from: z._default(
    z.coerce.number().check(z.int("Nombre entier"), z.minimum(1), z.maximum(2_000)),
    1,
  ),
});
export type CorrectionQuery = z.infer<typeof correctionQuery>;

/** PNG in base64, 100 dpi at most. `place`: fractions of the page. */
export const pageDifferenceSchema = z.strictObject({
  page: z.number(),
  place: z.strictObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  original: z.string(),
  corrected: z.string(),
});
export type PageDifferenceAnswer = z.infer<typeof pageDifferenceSchema>;

/** `next`: null at the end. `unread`: pages that could not be drawn. */
export const correctionAnswer = z.strictObject({
  page_count: z.number(),
  next: z.nullable(z.number()),
  unread: z.array(z.number()),
  difference: z.nullable(pageDifferenceSchema),
});
export type CorrectionAnswer = z.infer<typeof correctionAnswer>;

/** Fractions of the displayed page, origin top left; `page` from 1, or −1 for the last one. */
const placeShape = {
  page: z.number().check(
    z.int(),
    z.refine(
      (page: number) => page === -1 || page >= 1,
      "La page est un nombre à partir de 1, ou -1",
    ),
  ),
  x: z.number().check(z.minimum(0), z.maximum(1)),
  y: z.number().check(z.minimum(0), z.maximum(1)),
  width: z.number().check(z.positive(), z.maximum(1)),
  height: z.number().check(z.positive(), z.maximum(1)),
};
export const placementSchema = z.strictObject(placeShape).check(inPage);
export type Placement = z.infer<typeof placementSchema>;

export const MAX_SELF_SIGN_FIELDS = 50;
/** `value`: a text, or another name than the account's; ignored for a date. */
export const selfSignFieldSchema = z
  .strictObject({
    type: z.enum(["date", "name", "text"]),
    ...placeShape,
    value: z._default(z.nullable(multilineSchema(2_000)), null),
  })
  .check(inPage);
export type SelfSignField = z.infer<typeof selfSignFieldSchema>;

const wordOf = (...words: readonly string[]) => z.enum(words as [string, ...string[]]);

/** The form once its JSON fields are parsed, beside the file part `file`. */
export const selfSignRequest = z.strictObject({
  title: z.optional(titleSchema),
  /** By default a free place on the last page. */
  placement: z.optional(placementSchema),
  signature: signatureMarkSchema,
  fields: z._default(z.array(selfSignFieldSchema).check(z.maxLength(MAX_SELF_SIGN_FIELDS)), []),
  /** Sending is the consent; a client may also state it. */
  consent: z.optional(wordOf("true")),
  accept_normalised: z._default(z.stringbool(), false),
});
export type SelfSignRequest = z.infer<typeof selfSignRequest>;

const filePart = z.string().register(z.globalRegistry, {
  description: "A PDF of at most 10 485 760 bytes.",
  format: "binary",
});
/** The forms as described: `placement`, `signature` and `fields` are JSON. */
export const selfSignForm = z.extend(selfSignRequest, { file: filePart });
export const selfSignControlForm = z.strictObject({ file: filePart });

/** The file's check, and where a signature would stand. */
export const selfSignControl = z.strictObject({
  name: z.string(),
  page_count: z.number(),
  pages: z.array(z.strictObject({ width: z.number(), height: z.number(), rotation: z.number() })),
  control: z.strictObject({ result: z.enum(["ok", "fixable"]), findings: z.array(findingSchema) }),
  /** Places of the last page that a signature must not cover. */
  taken: z.array(
    z.strictObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  ),
  /** A free place on the last page; null when there is none. */
  placement: z.nullable(placementSchema),
});
export type SelfSignControl = z.infer<typeof selfSignControl>;
