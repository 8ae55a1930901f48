/** The transparency log (RFC 9162). */
import * as z from "zod/mini";
import { idSchema, instantSchema, listSchema, pageQuery, sha256Schema } from "../schema.ts";

export const MAX_LEAVES = 1_000;

const countSchema = z.int().check(z.minimum(0));
const inQuery = z.coerce.number().check(z.int(), z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER));

/**
 * The head of a journal: number and hash of an event. Its canonical form (RFC 8785) is the leaf.
 */
export const logEntrySchema = z.strictObject({
  envelope_id: idSchema,
  sequence: z.int().check(z.minimum(1)),
  head: sha256Schema,
});
export type LogEntry = z.infer<typeof logEntrySchema>;

/**
 * `signature`: compact JWS (RFC 7515, `x5c`) by the service's seal over `checkpointPayload` (RFC
 * 8785); `timestamp`: RFC 3161 token over the SHA-256 of the JWS, DER in base64; `key_id`: hex key
 * identifier of the seal's certificate.
 */
export const checkpointSchema = z.strictObject({
  size: countSchema,
  root: sha256Schema,
  at: instantSchema,
  key_id: z.string(),
  signature: z.string(),
  timestamp: z.string(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** What the seal signs. `log`: the service's public origin. */
export const checkpointPayload = z.strictObject({
  log: z.string(),
  size: countSchema,
  root: sha256Schema,
  at: instantSchema,
  previous: z.nullable(z.strictObject({ size: countSchema, root: sha256Schema })),
});
export type CheckpointPayload = z.infer<typeof checkpointPayload>;

/** Path of an entry to a checkpoint's root (RFC 9162 §2.1.3). */
export const inclusionSchema = z.strictObject({
  leaf_index: countSchema,
  size: countSchema,
  path: z.array(sha256Schema),
  entry: logEntrySchema,
  checkpoint: checkpointSchema,
});
export type Inclusion = z.infer<typeof inclusionSchema>;

/** Gives the leaf's hash alone, so that no envelope is named in public. */
export const publicInclusionSchema = z.strictObject({
  leaf_index: countSchema,
  size: countSchema,
  path: z.array(sha256Schema),
  leaf_hash: sha256Schema,
  checkpoint: checkpointSchema,
});
export type PublicInclusion = z.infer<typeof publicInclusionSchema>;

/** The larger log begins with the smaller one (RFC 9162 §2.1.4). */
export const consistencySchema = z.strictObject({
  first: countSchema,
  second: countSchema,
  path: z.array(sha256Schema),
});
export type Consistency = z.infer<typeof consistencySchema>;

/** Hashes of leaves `from` (included) to `to` (excluded), of the latest checkpoint's `size`. */
export const leavesSchema = z.strictObject({
  from: countSchema,
  to: countSchema,
  size: countSchema,
  hashes: z.array(sha256Schema),
});
export type LeavesAnswer = z.infer<typeof leavesSchema>;

/**
 * DER in base64: roots, past ones too; anchors for times alone (outside authorities);
 * intermediates; their `crls`.
 */
export const logAuthoritiesSchema = z.strictObject({
  roots: z.array(z.string()),
  timestamps: z.array(z.string()),
  certificates: z.array(z.string()),
  crls: z.optional(z.array(z.string())),
});
export type LogAuthorities = z.infer<typeof logAuthoritiesSchema>;

export const checkpointListAnswer = listSchema(checkpointSchema);
export type CheckpointListAnswer = z.infer<typeof checkpointListAnswer>;

export const checkpointsQuery = z.strictObject({ ...pageQuery });
export const inclusionQuery = z.strictObject({ leaf: inQuery, size: z.optional(inQuery) });
export const consistencyQuery = z.strictObject({ first: inQuery, second: z.optional(inQuery) });
export const leavesQuery = z.strictObject({ from: z.optional(inQuery), to: z.optional(inQuery) });
