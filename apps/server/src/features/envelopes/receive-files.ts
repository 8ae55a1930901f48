import { failure, type Result, success } from "@paraphe/contracts";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { type ReceivedDocument, receiveDocument } from "../documents/public.ts";

export type UploadedFile = { readonly name: string; readonly bytes: Uint8Array };

/**
 * Controls uploaded files, one after the other up to the first that is refused; stores none.
 * Errors: that file's refusal, with its place in the list (`file_index`, from 0).
 */
export async function receiveFiles(platform: PdfAccess, files: readonly UploadedFile[]): Promise<Result<readonly ReceivedDocument[]>> {
  const received: ReceivedDocument[] = [];
  for (const [index, file] of files.entries()) {
    const outcome = await receiveDocument(platform, file);
    if (!outcome.ok) return failure({ ...outcome.error, extensions: { ...outcome.error.extensions, file_index: index } });
    received.push(outcome.value);
  }
  return success(received);
}
