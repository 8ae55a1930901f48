import { failure, type Result, success } from "@paraphe/contracts";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { type FieldToPrepare, fieldToPrepare, pdfFieldPrefix } from "./prepare-revision.ts";
import { refusalOver } from "./sandbox-refusal.ts";

/** Gives what the core needs to put these fields in a file of one signer. */
export function ownFieldsToPrepare({ envelopeId, fields, signer }: Pick<BytesToPrepare, "envelopeId" | "fields" | "signer">) {
  return {
    namePrefix: pdfFieldPrefix(envelopeId),
    ownerKeys: [signer.id],
    fields: fields.map((field) => fieldToPrepare(field, signer.fullName)),
  };
}

/** A file whose one signer is known: its prepared revision is not kept by itself, only what is made of it. */
export type BytesToPrepare = {
  readonly envelopeId: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly fields: readonly FieldToPrepare[];
  readonly signer: { readonly id: string; readonly fullName: string };
};

/**
 * Makes the prepared revision of bytes in hand, and stores nothing.
 * Errors: a `pdf_*` refusal when the file cannot take fields; `service_unavailable` when too many ask.
 */
export async function prepareBytes(platform: PdfAccess, own: BytesToPrepare): Promise<Result<Uint8Array>> {
  try {
    return success(await platform.sandbox.call("prepareFields", own.bytes, ownFieldsToPrepare(own)));
  } catch (error) {
    const refusal = refusalOver(own.name, error);
    if (refusal === null) throw new Error("A document could not be prepared", { cause: error });
    return failure(refusal);
  }
}
