import * as z from "zod/mini";
import { catch as otherwise } from "zod/mini";
import { padesLevelSchema } from "../envelope.ts";
import { idSchema, instantSchema, listSchema, pageQuery, sha256Schema } from "../schema.ts";
import { inclusionSchema } from "./transparency.ts";

export const qrTypeSchema = z.enum(["page", "last", "certificate"]);
export const generatePrintRequest = z.strictObject({ envelope: idSchema, qr_type: qrTypeSchema });
export const printSchema = z.strictObject({
  id: idSchema,
  envelope: idSchema,
  qr_type: qrTypeSchema,
  sig: z.string(),
  verify_url: z.string(),
  qr_svg: z.string(),
  document_url: z.string(),
  /** Has QR codes; not found before a first signature. */
  printable_url: z.string(),
  proof_url: z.string(),
  created_at: instantSchema,
});
export type Print = z.infer<typeof printSchema>;
export const listPrintsQuery = z.strictObject({ ...pageQuery, envelope: z.optional(idSchema) });
/** `sig`: optional in the owner's session. `document`: one of several. */
export const printQuery = z.strictObject({
  sig: otherwise(z.optional(z.string().check(z.maxLength(100))), ""),
  document: z.optional(idSchema),
});
export const printListAnswer = listSchema(printSchema);
export type PrintList = z.infer<typeof printListAnswer>;

/** `either`: a text that may have been sent, and a mail. `destination`: masked, or null. */
const sentSchema = z.strictObject({
  channel: z.enum(["email", "sms", "either"]),
  destination: z.nullable(z.string()),
});
/** `confirmed`: contacts that answered, the only ones certified. Null where unknown. */
export const reachSchema = z.nullable(
  z.strictObject({
    by: z.enum(["link", "account"]),
    link: z.nullable(sentSchema),
    code: z.nullable(sentSchema),
    confirmed: z.array(z.enum(["email", "phone"])),
  }),
);

export const verdictSchema = z.enum(["valid", "indeterminate", "invalid"]);
export const proofSchema = z.strictObject({
  title: z.nullable(z.string()),
  completed: z.boolean(),
  completed_at: z.nullable(instantSchema),
  document_url: z.nullable(z.string()),
  hash_sha256: z.nullable(sha256Schema),
  /** For information: no decision depends on it. */
  hash_md5: z.nullable(z.string()),
  signers: z.array(
    z.strictObject({
      full_name: z.string(),
      signed: z.boolean(),
      signed_at: z.nullable(instantSchema),
      reach: z.optional(reachSchema),
    }),
  ),
  /** Visas given, with who gave each for whom. Absent from older proofs. */
  visas: z.optional(z.array(z.strictObject({ full_name: z.string(), given_at: instantSchema }))),
  certificate: z.nullable(
    z.strictObject({
      subject: z.strictObject({
        CN: z.string(),
        O: z.nullable(z.string()),
        C: z.nullable(z.string()),
      }),
      serial_number: z.string(),
      valid_from: instantSchema,
      valid_to: instantSchema,
      revocation: z.strictObject({
        ocsp_status: z.nullable(z.enum(["good", "revoked", "unknown"])),
        ocsp_url: z.nullable(z.string()),
        crl_status: z.nullable(z.enum(["good", "revoked"])),
        crl_url: z.nullable(z.string()),
        /** The list's or answer's `thisUpdate`. */
        ocsp_at: z.nullable(instantSchema),
        crl_at: z.nullable(instantSchema),
      }),
      timestamp: z.nullable(z.strictObject({ time: instantSchema, tsa: z.string() })),
      /** Common names of the issuers, the certificate's own first. */
      issuers: z.array(z.string()),
      hash_algorithm: z.nullable(z.string()),
      valid_at_signing: z.nullable(z.boolean()),
    }),
  ),
  verdict: verdictSchema,
  /** French: why this verdict, then what it means. */
  reason: z.string(),
  /** French remarks without effect on the verdict. */
  warnings: z.array(z.string()),
  integrity: z.boolean(),
  level: padesLevelSchema,
  documents: z.array(
    z.strictObject({
      name: z.nullable(z.string()),
      hash_sha256: sha256Schema,
      hash_md5: z.nullable(z.string()),
      document_url: z.nullable(z.string()),
      page_count: z.nullable(z.int()),
    }),
  ),
  checked_at: instantSchema,
  purged: z.boolean(),
  purged_at: z.nullable(instantSchema),
  cancelled: z.boolean(),
  declined: z.optional(z.boolean()),
  /** The deadline passed first, by the journal. Absent from older proofs. */
  expired: z.optional(z.boolean()),
  /** The proof is shown without the document. */
  proof_only: z.boolean(),
  /** Recomputed now and compared with the log. */
  chain: z.strictObject({ intact: z.boolean(), count: z.int() }),
  /** Null while no checkpoint covers the journal. */
  inclusion: z.nullable(inclusionSchema),
  /** Whether it covers the completion. Absent from older proofs. */
  completion_logged: z.optional(z.boolean()),
  /** Keys of printed statements, retired ones too: DER SubjectPublicKeyInfo in base64. */
  statement_keys: z.array(z.base64()),
  /** Revoked keys, absent from the others: no date proves what they signed. */
  revoked_statement_keys: z.optional(z.array(z.base64())),
});
export type Proof = z.infer<typeof proofSchema>;

/** `GET signatures/?envelope=` (contract §6, specification §7). */

export const listSignaturesQuery = z.strictObject({ envelope: idSchema });
/** What the stored file shows now. */
export const signatureSchema = z.strictObject({
  id: idSchema,
  envelope: idSchema,
  document: idSchema,
  document_name: z.string(),
  recipient: z.nullable(idSchema),
  signer_name: z.string(),
  /** Null where missing from the file or proving nothing. */
  level: padesLevelSchema,
  signed_at: instantSchema,
  certificate: z.strictObject({
    subject: z.string(),
    serial_number: z.string(),
    valid_from: instantSchema,
    valid_to: instantSchema,
  }),
  timestamp: z.nullable(z.strictObject({ time: instantSchema, tsa: z.string() })),
  verdict: verdictSchema,
  /** French: why this verdict, then its consequence. */
  reason: z.string(),
});
export const signatureListAnswer = listSchema(signatureSchema);
export type Signature = z.infer<typeof signatureSchema>;
export type SignatureList = z.infer<typeof signatureListAnswer>;
