/** `preuve.json`: what somebody needs to check an envelope's files without the service. Its JSON Schema is made from these, and published. */
import * as z from "zod/mini";
import { padesLevelSchema } from "./envelope.ts";
import { proofSchema, qrTypeSchema, verdictSchema } from "./print.ts";
import { idSchema, instantSchema, sha256Schema } from "./schema.ts";
import { inclusionSchema } from "./transparency.ts";

/** Named inside each file: another meaning of a member is another format, with a schema of its own. */
export const PROOF_FORMAT = "preuve-1";
export const PROOF_SCHEMA_PATH = `/schemas/${PROOF_FORMAT}.json`;

/** DER in base64 (RFC 4648 §4). */
const derSchema = z.base64();

/** A stored file. `name` and `size_bytes` are null once its envelope is purged. */
const fileSchema = z.strictObject({
  document: idSchema,
  name: z.nullable(z.string()),
  size_bytes: z.nullable(z.int()),
  sha256: sha256Schema,
});

/**
 * A signature made through the service, as the stored file shows it when the proof is made; what it does not show is null. `certificate`: null for whoever is not
 * shown the document (`proof_only`), for it holds the signer's address; `certificate_sha256` is of its DER, and stands in every file made since it is.
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
 * One event of the journal: `hash` = SHA-256(`previous_hash` ‖ RFC 8785({envelope_id, at, actor, action, detail})).
 * `personal`: the values that this holder may see, each committed to in `detail.commitments` as SHA-256(`salt` ‖ RFC 8785(value)), the salt of 16 bytes:
 * of any length, it could take in the beginning of the value.
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
  /** The service's public origin, which its log bears too. */
  service: z.string(),
  ...proofSchema.shape,
  envelope: idSchema,
  /** The QR code that this proof stands behind; null for the proof of an envelope of which none was made. */
  print: z.nullable(
    z.strictObject({ id: idSchema, qr_type: qrTypeSchema, created_at: instantSchema }),
  ),
  files: z.array(fileSchema),
  signatures: z.array(fileSignatureSchema),
  /** `signers`: none for whoever is not shown the document; `roots`: what signatures lead to; `timestamp_anchors`: who is trusted for times beside them; `issuers`: what stands between. */
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
  /** `disclosed`: whether every personal value that is left is given, or names alone. */
  journal: z.strictObject({
    disclosed: z.enum(["all", "names"]),
    events: z.array(journalEventSchema),
  }),
  /** Null while no checkpoint covers the journal. */
  inclusion: z.nullable(inclusionSchema),
});
export type ProofContent = z.infer<typeof proofContentSchema>;

/**
 * The file. `$schema`: where its JSON Schema is published, at the service itself; `jws`: compact JWS (RFC 7515, ES256, `kid`, `x5c`) by the service's seal,
 * its payload `proof` in canonical form (RFC 8785); `timestamp`: RFC 3161 token whose imprint is the SHA-256 of `jws` as it stands, null when the
 * time-stamping authority did not answer.
 */
export const proofFileSchema = z.strictObject({
  $schema: z.string(),
  proof: proofContentSchema,
  jws: z.string(),
  timestamp: z.nullable(derSchema),
});
export type ProofFile = z.infer<typeof proofFileSchema>;
