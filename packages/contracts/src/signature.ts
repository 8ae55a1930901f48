/** The signatures of an envelope, contract §6 and specification §7 (`signatures/?envelope=`). */
import * as z from "zod/mini";
import { padesLevelSchema } from "./envelope.ts";
import { verdictSchema } from "./print.ts";
import { idSchema, instantSchema, listSchema } from "./schema.ts";

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
  certificate: z.strictObject({ subject: z.string(), serial_number: z.string(), valid_from: instantSchema, valid_to: instantSchema }),
  timestamp: z.nullable(z.strictObject({ time: instantSchema, tsa: z.string() })),
  verdict: verdictSchema,
  /** French: why this verdict, then what follows from it. */
  reason: z.string(),
});
export const signatureListAnswer = listSchema(signatureSchema);
export type Signature = z.infer<typeof signatureSchema>;
export type SignatureList = z.infer<typeof signatureListAnswer>;
