import { handSchema, idSchema, strokePointSchema } from "@paraphe/contracts";
import * as z from "zod/mini";

/** The signer's mark as kept with an act: read, bounded and, for an image, re-encoded before it is stored. */
export const keptMarkSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("strokes"), strokes: z.array(z.array(strokePointSchema)) }),
  z.strictObject({ kind: z.literal("typed"), text: z.string(), hand: handSchema }),
  z.strictObject({ kind: z.literal("image"), png_base64: z.string() }),
]);
export type KeptMark = z.infer<typeof keptMarkSchema>;

/** What a person agreed to put in the documents, kept until it is sealed. `fields`: every own field that takes a value, blanks as null. */
export const actContentSchema = z.strictObject({
  fields: z.array(z.strictObject({ id: idSchema, value: z.nullable(z.string()) })),
  mark: keptMarkSchema,
  /** What the places for initials take; the mark where it is left out. */
  initials: z.optional(keptMarkSchema),
});
export type ActContent = z.infer<typeof actContentSchema>;
