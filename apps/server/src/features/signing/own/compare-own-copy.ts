import type { CorrectionAnswer, Result } from "@paraphe/contracts";
import type { Platform } from "../../../platform/platform.ts";
import { compareCopy, receiveDocument } from "../../documents/public.ts";
import { type Actor, limitAction, pdfAccess } from "../../envelopes/public.ts";

export type OwnCopyToCompare = {
  readonly actor: Actor;
  readonly file: { readonly name: string; readonly bytes: Uint8Array };
  readonly from: number;
};

/**
 * Says where the corrected copy of a file would look otherwise, before it is signed. Stores nothing.
 * Errors: those of `receiveDocument` and `compareCopy`; `too_many_requests`.
 */
export async function compareOwnCopy(platform: Platform, { actor, file, from }: OwnCopyToCompare): Promise<Result<CorrectionAnswer>> {
  const limited = await limitAction(platform, { kind: "upload", id: actor.user.id });
  if (!limited.ok) return limited;
  const access = pdfAccess(platform, { actor, haste: "patient" });
  const received = await receiveDocument(access, file);
  if (!received.ok) return received;
  const { name, bytes, pageCount } = received.value;
  return compareCopy(access, { name, bytes, pageCount, from });
}
