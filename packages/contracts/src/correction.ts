/** The corrected copy of a file beside its original, contract §3. */
import * as z from "zod/mini";

/** `from`: the first page to compare, from 1. */
export const correctionQuery = z.strictObject({
  from: z._default(z.coerce.number().check(z.int("Nombre entier"), z.minimum(1), z.maximum(2_000)), 1),
});
export type CorrectionQuery = z.infer<typeof correctionQuery>;

/** A page that the corrected copy shows otherwise: PNG in base64, at most 100 dpi. `place`: all that differs, in fractions of the page. */
export const pageDifferenceSchema = z.strictObject({
  page: z.number(),
  place: z.strictObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  original: z.string(),
  corrected: z.string(),
});
export type PageDifferenceAnswer = z.infer<typeof pageDifferenceSchema>;

/** `next`: where to go on, null once every page was compared. `unread`: pages that could not be drawn, to be read by whoever accepts them. */
export const correctionAnswer = z.strictObject({
  page_count: z.number(),
  next: z.nullable(z.number()),
  unread: z.array(z.number()),
  difference: z.nullable(pageDifferenceSchema),
});
export type CorrectionAnswer = z.infer<typeof correctionAnswer>;
