/** Layouts (« dispositions »): where fields stand on documents, without the documents and without their people. */
import * as z from "zod/mini";
import { MAX_DOCUMENTS, MAX_FIELDS, MAX_LAYOUT_NAME_LENGTH, MAX_RECIPIENTS } from "./constants.ts";
import { fieldTypeSchema, inPage, placementShape } from "./envelope.ts";
import { idSchema, instantSchema, lineSchema, multilineSchema, namedLineSchema } from "./schema.ts";

const rank = (below: number) => z.number().check(z.int(), z.minimum(0), z.maximum(below - 1));
/** A field by the ranks, from 0, of its document and of its person among those who fill fields. Places are fractions of the displayed page. */
const layoutFieldShape = {
  document_rank: rank(MAX_DOCUMENTS),
  person_rank: rank(MAX_RECIPIENTS),
  type: fieldTypeSchema,
  ...placementShape,
  /** From 1; −1 is the last page, whatever its number. */
  page: z.union([z.literal(-1), placementShape.page], "Page invalide"),
};
const layoutFieldRequest = z
  .strictObject({
    ...layoutFieldShape,
    required: z._default(z.boolean(), true),
    label: z._default(z.nullable(lineSchema(200)), null),
    value: z._default(z.nullable(multilineSchema(2_000)), null),
  })
  .check(
    inPage,
    z.refine((field) => field.type === "mention" || field.value === null, "Seule la phrase d’une mention est gardée"),
  );
/** `value`: the sentence that a mention asks to copy, which is the same for everybody; of nothing else is what is written kept. */
export const layoutFieldSchema = z.strictObject({
  ...layoutFieldShape,
  required: z.boolean(),
  label: z.nullable(z.string()),
  value: z.nullable(z.string()),
});
export type LayoutField = z.infer<typeof layoutFieldSchema>;

/** `POST layouts/`. */
export const saveLayoutRequest = z.strictObject({
  name: namedLineSchema(MAX_LAYOUT_NAME_LENGTH, { required: "Nom requis", kind: "nom" }),
  fields: z.array(layoutFieldRequest).check(z.minLength(1, "Aucun champ à garder"), z.maxLength(MAX_FIELDS)),
});
export type SaveLayoutRequest = z.infer<typeof saveLayoutRequest>;

export const layoutSchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  fields: z.array(layoutFieldSchema),
  created_at: instantSchema,
});
export type Layout = z.infer<typeof layoutSchema>;
/** `GET layouts/`: all of them, by name; there are never more than 100. */
export const layoutsAnswer = z.strictObject({ count: z.number(), results: z.array(layoutSchema) });
export type Layouts = z.infer<typeof layoutsAnswer>;
