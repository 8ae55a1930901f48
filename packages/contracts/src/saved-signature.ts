import * as z from "zod/mini";
import { MAX_SIGNATURE_NAME_LENGTH } from "./constants.ts";
import { idSchema, instantSchema, lineSchema, listSchema } from "./schema.ts";
import { handSchema, newMarkShapes, signatureImageSchema } from "./signing.ts";

export const MAX_SIGNATURE_IMAGE_BYTES = 2 * 1024 * 1024;

const nameSchema = lineSchema(MAX_SIGNATURE_NAME_LENGTH, "Donnez un nom à cette signature");
const aside = {
  /** By default « Signature ». */
  name: z.optional(nameSchema),
  /** The first one is always the default. */
  is_default: z._default(z.boolean(), false),
};
const backgroundSchema = z._default(z.boolean(), false).register(z.globalRegistry, {
  description:
    "`true` : le papier derrière le trait devient transparent, et l’image est recadrée sur le trait.",
});

/** JSON, or multipart with `image` (`kind` is then `uploaded` by default). */
export const saveSignatureRequest = z.discriminatedUnion("kind", [
  z
    .strictObject({
      kind: z.literal("drawn"),
      ...newMarkShapes.drawn,
      ...aside,
      remove_background: backgroundSchema,
    })
    .check(
      z.refine(
        (mark) => mark.strokes !== undefined || mark.image !== undefined,
        "Dessinez votre signature",
      ),
    ),
  z.strictObject({ kind: z.literal("typed"), ...newMarkShapes.typed, ...aside }),
  z.strictObject({
    kind: z.literal("uploaded"),
    image: signatureImageSchema,
    ...aside,
    remove_background: backgroundSchema,
  }),
]);
export type SaveSignatureRequest = z.infer<typeof saveSignatureRequest>;

/** A new default replaces the former. */
export const changeSignatureRequest = z.strictObject({
  name: z.optional(nameSchema),
  is_default: z.optional(z.boolean()),
});
export type ChangeSignatureRequest = z.infer<typeof changeSignatureRequest>;

export const savedSignatureSchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  kind: z.enum(["drawn", "typed", "uploaded"]),
  /** For the owner's session: SVG, or PNG of an image. */
  image: z.string(),
  is_default: z.boolean(),
  created_at: instantSchema,
  last_used_at: z.nullable(instantSchema),
  /** Typed: its text and handwriting font. */
  text: z.nullable(z.string()),
  font: z.nullable(handSchema),
});
export type SavedSignature = z.infer<typeof savedSignatureSchema>;
/** The default first, then the newest; 20 at most. */
export const savedSignaturesAnswer = listSchema(savedSignatureSchema);
