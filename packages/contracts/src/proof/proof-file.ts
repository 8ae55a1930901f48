/** `preuve.json`; its published JSON Schema is generated from this. */
import * as z from "zod/mini";
import { padesLevelSchema } from "../envelope.ts";
import { proofSchema, qrTypeSchema, verdictSchema } from "./print.ts";
import { idSchema, instantSchema, sha256Schema } from "../schema.ts";
import { inclusionSchema } from "./transparency.ts";

/** Each file names it: a changed meaning is a new format. */
export const PROOF_FORMAT = "preuve-1";
export const PROOF_SCHEMA_PATH = `/schemas/${PROOF_FORMAT}.json`;

/** DER in base64 (RFC 4648 §4). */
const derSchema = z.base64();

/** `name` and `size_bytes`: null once the envelope is purged. */
const fileSchema = z.strictObject({
  document: idSchema,
  name: z.nullable(z.string()),
  size_bytes: z.nullable(z.int()),
  sha256: sha256Schema,
});

/**
 * What the stored file shows; null for what it does not. `certificate`: null under `proof_only`, as
 * it has an address; `certificate_sha256`: of its DER, absent from older proofs.
 */
const fileSignatureSchema = z.strictObject({
  document: idSchema,
  signer_name: z.string(),
  field: z.nullable(z.string()),
  level: padesLevelSchema,
  signed_at: instantSchema,
  timestamp: z.nullable(z.strictObject({ time: instantSchema, tsa: z.string() })),
  serial_number: z.string(),
  certificate: z.nullable(derSchema),
  certificate_sha256: z.optional(sha256Schema),
  verdict: verdictSchema,
  reason: z.string(),
});

/**
 * `hash` = SHA-256(`previous_hash` ‖ RFC 8785({envelope_id, at, actor, action, detail})).
 * `personal`: disclosed values, committed to in `detail.commitments` as SHA-256(`salt` ‖ RFC
 * 8785(value)); salts have 16 bytes, or one could absorb part of the value.
 */
const journalEventSchema = z.strictObject({
  sequence: z.int().check(z.minimum(1)),
  at: instantSchema,
  actor: z.string(),
  action: z.string(),
  detail: z.record(z.string(), z.unknown()),
  personal: z.record(
    z.string(),
    z.strictObject({ value: z.unknown(), salt: z.string().check(z.regex(/^[0-9a-f]{32}$/)) }),
  ),
  previous_hash: z.nullable(sha256Schema),
  hash: sha256Schema,
});
export type JournalEvent = z.infer<typeof journalEventSchema>;

export const proofContentSchema = z.strictObject({
  format: z.literal(PROOF_FORMAT),
  /** The service's public origin, as in its log. */
  service: z.string(),
  ...proofSchema.shape,
  envelope: idSchema,
  print: z.nullable(
    z.strictObject({ id: idSchema, qr_type: qrTypeSchema, created_at: instantSchema }),
  ),
  files: z.array(fileSchema),
  signatures: z.array(fileSignatureSchema),
  /**
   * `signers`: empty under `proof_only`; `roots`: anchors of signatures; `timestamp_anchors`: of
   * times alone.
   */
  certificates: z.strictObject({
    signers: z.array(derSchema),
    issuer: derSchema,
    root: derSchema,
    timestamp_authority: derSchema,
    roots: z.array(derSchema),
    issuers: z.array(derSchema),
    timestamp_anchors: z.array(derSchema),
  }),
  revocation: z.strictObject({ crls: z.array(derSchema), ocsps: z.array(derSchema) }),
  /** `disclosed`: all remaining personal values, or names alone. */
  journal: z.strictObject({
    disclosed: z.enum(["all", "names"]),
    events: z.array(journalEventSchema),
  }),
  /** Null while no checkpoint covers the journal. */
  inclusion: z.nullable(inclusionSchema),
});
export type ProofContent = z.infer<typeof proofContentSchema>;

/**
 * `jws`: compact JWS (RFC 7515, ES256, `kid`, `x5c`) by the seal over `proof` (RFC 8785);
 * `timestamp`: RFC 3161 token over the SHA-256 of `jws`, or null.
 */
export const proofFileSchema = z.strictObject({
  $schema: z.string(),
  proof: proofContentSchema,
  jws: z.string(),
  timestamp: z.nullable(derSchema),
});
export type ProofFile = z.infer<typeof proofFileSchema>;
