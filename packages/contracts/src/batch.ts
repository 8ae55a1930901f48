import * as z from "zod/mini";
import { MAX_BATCH_FILES } from "./constants.ts";
import { titleSchema } from "./envelope.ts";
import { idSchema, instantSchema, listSchema, pageQuery } from "./schema.ts";
import { signatureMarkSchema } from "./signing.ts";

const fraction = z.number().check(z.minimum(0), z.maximum(1));
const side = z.number().check(z.positive(), z.maximum(1));

/** Fractions of the displayed page, origin top left. `page`: from 1, −1 the last, or `all`. */
export const batchPlacementSchema = z
  .strictObject({
    page: z.union(
      [z.literal("all"), z.literal(-1), z.number().check(z.int(), z.minimum(1), z.maximum(2_000))],
      "Page\u00a0: all, -1 (la dernière) ou un numéro de 1 à 2000",
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
  /** A file to correct: sign a copy that looks the same, or fail. */
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

/** The newest comes first. `available_until`: of the archive; null before the end. */
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

export const batchPositionSchema = z.coerce
  .number()
  .check(z.int("Nombre entier"), z.minimum(0), z.maximum(MAX_BATCH_FILES - 1));

/**
 * Failed or cancelled items, all by default. `accept_copies`: corrected copies too
 * (`copy_to_accept` if they look the same, `copy_differs` as they are).
 */
export const batchRetryRequest = z.strictObject({
  accept_copies: z._default(z.boolean(), false),
  items: z.optional(
    z
      .array(z.number().check(z.int(), z.minimum(0), z.maximum(MAX_BATCH_FILES - 1)))
      .check(z.minLength(1), z.maxLength(MAX_BATCH_FILES)),
  ),
});
