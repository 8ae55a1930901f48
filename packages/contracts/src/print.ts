import * as z from "zod/mini";
import { catch as otherwise } from "zod/mini";
import { padesLevelSchema } from "./envelope.ts";
import { idSchema, instantSchema, listSchema, pageQuery, sha256Schema } from "./schema.ts";
import { inclusionSchema } from "./transparency.ts";

/** Requests and answers of prints and public verification, contract §6 and specification §3 'Verification result'. */

export const qrTypeSchema = z.enum(["page", "last", "certificate"], "Type de QR inconnu");
export const generatePrintRequest = z.strictObject({ envelope: idSchema, qr_type: qrTypeSchema });
export const printSchema = z.strictObject({
  id: idSchema,
  envelope: idSchema,
  qr_type: qrTypeSchema,
  sig: z.string(),
  verify_url: z.string(),
  qr_svg: z.string(),
  document_url: z.string(),
  /** The copy to print, with its QR codes on the pages; not found before a first signature. */
  printable_url: z.string(),
  proof_url: z.string(),
  created_at: instantSchema,
});
export type Print = z.infer<typeof printSchema>;
export const listPrintsQuery = z.strictObject({ ...pageQuery, envelope: z.optional(idSchema) });
/** `sig` may be left out only by the owner's session; what cannot be one (too long, given twice) is a wrong one. `document` picks one of several. */
export const printQuery = z.strictObject({
  sig: otherwise(z.optional(z.string().check(z.maxLength(100))), ""),
  document: z.optional(idSchema),
});
export const printListAnswer = listSchema(printSchema);
export type PrintList = z.infer<typeof printListAnswer>;

/** How something went: `either` by a text that may have left, and by mail beside. `destination` is masked; null where it was erased or is not shown. */
const sentSchema = z.strictObject({
  channel: z.enum(["email", "sms", "either"]),
  destination: z.nullable(z.string()),
});
/**
 * How a signer was reached when they agreed, as the journal has it. `confirmed`: the address or the number from which something sent there came back; no
 * other is certified. Null where the journal does not tell.
 */
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
  /** For information only: no decision rests on it. */
  hash_md5: z.nullable(z.string()),
  signers: z.array(
    z.strictObject({
      full_name: z.string(),
      signed: z.boolean(),
      signed_at: z.nullable(instantSchema),
      /** Left out of proofs that were made before it was told. */
      reach: z.optional(reachSchema),
    }),
  ),
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
        ocsp_status: z.nullable(z.string()),
        ocsp_url: z.nullable(z.string()),
        crl_status: z.nullable(z.string()),
        crl_url: z.nullable(z.string()),
        /** Since when each of them says so (`thisUpdate`). */
        ocsp_at: z.nullable(instantSchema),
        crl_at: z.nullable(instantSchema),
      }),
      timestamp: z.nullable(z.strictObject({ time: instantSchema, tsa: z.string() })),
      /** Common names of the authorities that this certificate leads to, its own issuer first. */
      issuers: z.array(z.string()),
      hash_algorithm: z.nullable(z.string()),
      /** What the validation says of the moment of the signature; null when it cannot be said. */
      valid_at_signing: z.nullable(z.boolean()),
    }),
  ),
  verdict: verdictSchema,
  /** French: why this verdict, then what it means. */
  reason: z.string(),
  /** French: what the validation notes of the signatures, and holds against none of them. */
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
  /** Somebody who was asked to sign refused: nothing more will come of it. Left out of proofs that were made before it was told. */
  declined: z.optional(z.boolean()),
  /** Its deadline passed before all had signed, and its journal says so. Left out as well. */
  expired: z.optional(z.boolean()),
  /** Its sender shows the proof without the document. */
  proof_only: z.boolean(),
  /** The envelope's journal, recomputed now: whether each event follows from the one before, and the log says the same. */
  chain: z.strictObject({ intact: z.boolean(), count: z.int() }),
  /** Null while no checkpoint covers the journal. */
  inclusion: z.nullable(inclusionSchema),
  /** Whether it covers the event that completed the envelope. Left out of proofs that were made before it was told. */
  completion_logged: z.optional(z.boolean()),
  /** Whoever signs statements of printed pages, retired ones too: DER SubjectPublicKeyInfo, in base64. */
  statement_keys: z.array(z.base64()),
  /** Those that were revoked, not among the others: nothing proves that what they signed was signed before. */
  revoked_statement_keys: z.optional(z.array(z.base64())),
});
export type Proof = z.infer<typeof proofSchema>;

/** The signatures of an envelope, contract §6 and specification §7 (`signatures/?envelope=`). */

export const listSignaturesQuery = z.strictObject({ envelope: idSchema });
/** One signature made here, as the stored file shows it now. */
export const signatureSchema = z.strictObject({
  id: idSchema,
  envelope: idSchema,
  document: idSchema,
  document_name: z.string(),
  recipient: z.nullable(idSchema),
  signer_name: z.string(),
  /** Null for a signature that is not found in the file, or proves nothing. */
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
  /** French: why this verdict, then what follows from it. */
  reason: z.string(),
});
export const signatureListAnswer = listSchema(signatureSchema);
export type Signature = z.infer<typeof signatureSchema>;
export type SignatureList = z.infer<typeof signatureListAnswer>;
