import * as z from "zod/mini";
import { findingSchema, inPage, titleSchema } from "./envelope.ts";
import {
  multilineSchema,
  idSchema,
  instantSchema,
  listSchema,
  pageQuery,
  lineSchema,
} from "./schema.ts";
import { signatureMarkSchema, handSchema, newMarkShapes, signatureImageSchema } from "./signing.ts";
import { MAX_BATCH_FILES, MAX_SIGNATURE_NAME_LENGTH } from "./constants.ts";

/** The corrected copy of a file, contract §3. */

/** `from`: first page to compare, from 1. */
export const correctionQuery = z.strictObject({
  from: z._default(
    z.coerce.number().check(z.int("Nombre entier"), z.minimum(1), z.maximum(2_000)),
    1,
  ),
});
export type CorrectionQuery = z.infer<typeof correctionQuery>;

/** PNG in base64, at most 100 dpi. `place`: of the differences, in fractions of the page. */
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

/**
 * Multipart fields of `POST self-sign/` after parsing the JSON ones, beside the file part `file`.
 */
export const selfSignRequest = z.strictObject({
  title: z.optional(titleSchema),
  /** By default a free place on the last page. */
  placement: z.optional(placementSchema),
  signature: signatureMarkSchema,
  fields: z._default(z.array(selfSignFieldSchema).check(z.maxLength(MAX_SELF_SIGN_FIELDS)), []),
  /** Sending is the consent; a client may also state it. */
  consent: z.optional(wordOf("true")),
  /** Signs the corrected copy of a file that needs one. */
  accept_normalised: z._default(z.stringbool(), false),
});
export type SelfSignRequest = z.infer<typeof selfSignRequest>;

const filePart = z.string().register(z.globalRegistry, {
  description: "Un PDF de 10 485 760 octets au plus.",
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

const fraction = z.number().check(z.minimum(0), z.maximum(1));
const side = z.number().check(z.positive(), z.maximum(1));

/** Fractions of the displayed page, origin top left. `page`: from 1, −1 the last one, or `all`. */
export const batchPlacementSchema = z
  .strictObject({
    page: z.union(
      [z.literal("all"), z.literal(-1), z.number().check(z.int(), z.minimum(1), z.maximum(2_000))],
      "Page invalide",
    ),
    x: fraction,
    y: fraction,
    width: side,
    height: side,
  })
  .check(
    z.refine(({ x, y, width, height }) => x + width <= 1.0001 && y + height <= 1.0001, {
      error: "La signature dépasse de la page",
    }),
  );
export type BatchPlacement = z.infer<typeof batchPlacementSchema>;

/** Another place for one file, by its index in the request. */
export const batchOverrideSchema = z.strictObject({
  file_index: z.number().check(z.int(), z.minimum(0), z.maximum(MAX_BATCH_FILES - 1)),
  placement: batchPlacementSchema,
});

/** Fields of `POST batch-sign/`; in a form, `placement`, `signature` and `overrides` are JSON. */
export const batchSignRequest = z.strictObject({
  placement: batchPlacementSchema,
  signature: signatureMarkSchema,
  title: z.optional(titleSchema),
  overrides: z._default(z.array(batchOverrideSchema).check(z.maxLength(MAX_BATCH_FILES)), []),
  /** Files that need a correction: sign the copy if it looks the same, or fail. */
  if_fixable: z._default(z.enum(["accept", "refuse"]), "refuse"),
});
export type BatchSignRequest = z.infer<typeof batchSignRequest>;
export const batchSignAnswer = z.strictObject({ id: idSchema });

export const batchStatusSchema = z.enum([
  "queued",
  "running",
  "completed",
  "partial",
  "failed",
  "cancelled",
]);
export type BatchStatus = z.infer<typeof batchStatusSchema>;
export const batchItemStatusSchema = z.enum(["queued", "running", "done", "failed", "cancelled"]);
export type BatchItemStatus = z.infer<typeof batchItemStatusSchema>;

/** `GET batch-jobs/{id}/`: `done` counts successes. */
export const batchJobSchema = z.strictObject({
  id: idSchema,
  status: batchStatusSchema,
  total: z.number(),
  done: z.number(),
  failed: z.number(),
  items: z.array(
    z.strictObject({
      name: z.string(),
      status: batchItemStatusSchema,
      detail: z.nullable(z.string()),
      /** Code of a failure; `detail` is its sentence. */
      code: z.nullable(z.string()),
      envelope_id: z.nullable(idSchema),
    }),
  ),
});
export type BatchJob = z.infer<typeof batchJobSchema>;

/** Newest first. `available_until`: the archive's expiry; null before the end. */
export const batchSummarySchema = z.strictObject({
  id: idSchema,
  title: z.nullable(z.string()),
  status: batchStatusSchema,
  total: z.number(),
  done: z.number(),
  failed: z.number(),
  created_at: instantSchema,
  finished_at: z.nullable(instantSchema),
  available_until: z.nullable(instantSchema),
});
export type BatchSummary = z.infer<typeof batchSummarySchema>;
export const batchListQuery = z.strictObject(pageQuery);
export const batchListAnswer = listSchema(batchSummarySchema);

/** Index of an item in its batch, from 0. */
export const batchPositionSchema = z.coerce
  .number()
  .check(z.int("Nombre entier"), z.minimum(0), z.maximum(MAX_BATCH_FILES - 1));

/**
 * Indices of failed or cancelled items, all by default. `accept_copies`: also signs corrected
 * copies (`copy_to_accept` if they look the same, `copy_differs` as they are).
 */
export const batchRetryRequest = z.strictObject({
  accept_copies: z._default(z.boolean(), false),
  items: z.optional(
    z
      .array(z.number().check(z.int(), z.minimum(0), z.maximum(MAX_BATCH_FILES - 1)))
      .check(z.minLength(1), z.maxLength(MAX_BATCH_FILES)),
  ),
});

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
