/** The transparency log: what is fetched of it, and by whom it can be checked without the service (RFC 9162). */
import * as z from "zod/mini";
import { idSchema, instantSchema, listSchema, pageQuery, sha256Schema } from "./schema.ts";

/** Leaves given in one answer at most. */
export const MAX_LEAVES = 1_000;

const countSchema = z.int().check(z.minimum(0));
const inQuery = z.coerce.number().check(z.int(), z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER));

/** One head of one journal: the hash of the event of that number, which stands for all that came before it. Its canonical form (RFC 8785) is the leaf. */
export const logEntrySchema = z.strictObject({
  envelope_id: idSchema,
  sequence: z.int().check(z.minimum(1)),
  head: sha256Schema,
});
export type LogEntry = z.infer<typeof logEntrySchema>;

/**
 * The state of the log at a moment. `signature`: compact JWS (RFC 7515, `x5c`) by the service's seal over `checkpointPayload` in canonical form
 * (RFC 8785); `timestamp`: RFC 3161 token over the SHA-256 of that JWS's text, DER in base64; `key_id`: hex key identifier of the seal's certificate.
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

/** What the seal signs of a checkpoint. `log`: the service's public origin. */
export const checkpointPayload = z.strictObject({
  log: z.string(),
  size: countSchema,
  root: sha256Schema,
  at: instantSchema,
  previous: z.nullable(z.strictObject({ size: countSchema, root: sha256Schema })),
});
export type CheckpointPayload = z.infer<typeof checkpointPayload>;

/** That an entry stands in the log, by its path to the root of a checkpoint (RFC 9162 §2.1.3). */
export const inclusionSchema = z.strictObject({
  leaf_index: countSchema,
  size: countSchema,
  path: z.array(sha256Schema),
  entry: logEntrySchema,
  checkpoint: checkpointSchema,
});
export type Inclusion = z.infer<typeof inclusionSchema>;

/** The same for anybody: the leaf by its hash alone. Who holds a proof holds the entry; the log names no envelope to others. */
export const publicInclusionSchema = z.strictObject({
  leaf_index: countSchema,
  size: countSchema,
  path: z.array(sha256Schema),
  leaf_hash: sha256Schema,
  checkpoint: checkpointSchema,
});
export type PublicInclusion = z.infer<typeof publicInclusionSchema>;

/** That the log of the second size begins with that of the first (RFC 9162 §2.1.4). */
export const consistencySchema = z.strictObject({
  first: countSchema,
  second: countSchema,
  path: z.array(sha256Schema),
});
export type Consistency = z.infer<typeof consistencySchema>;

/** Leaves `from` (included) to `to` (excluded), as hashes, of the `size` that the latest checkpoint covers. */
export const leavesSchema = z.strictObject({
  from: countSchema,
  to: countSchema,
  size: countSchema,
  hashes: z.array(sha256Schema),
});
export type LeavesAnswer = z.infer<typeof leavesSchema>;

/**
 * Whose seals and time-stamps the log's checkpoints bear, DER in base64: the roots that ever were,
 * anchors for times alone (of outside authorities), and the certificates between. `crls`: what is
 * said of the revocation of them all.
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
