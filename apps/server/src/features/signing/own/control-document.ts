import { type Result, type SelfSignControl, success } from "@paraphe/contracts";
import type { Platform } from "../../../platform/platform.ts";
import { presentFindings, receiveDocument } from "../../documents/public.ts";
import { type Actor, freePlace, limitAction, pdfAccess } from "../../envelopes/public.ts";

/**
 * Says of a file what signing it would say, before it is signed, and proposes a free place on its last page. Stores nothing.
 * Errors: those of `receiveDocument`; `too_many_requests`.
 */
export async function controlDocument(
  platform: Platform,
  { actor, file }: { readonly actor: Actor; readonly file: { readonly name: string; readonly bytes: Uint8Array } },
): Promise<Result<SelfSignControl>> {
  const limited = await limitAction(platform, { kind: "upload", id: actor.user.id });
  if (!limited.ok) return limited;
  const received = await receiveDocument(pdfAccess(platform, { actor, haste: "patient" }), file);
  if (!received.ok) return received;
  const { name, pageCount, pages, control } = received.value;
  const place = freePlace(received.value);
  return success({
    name,
    page_count: pageCount,
    pages: pages.map(({ width, height, rotation }) => ({ width, height, rotation })),
    control: { result: control.result, findings: [...presentFindings(control.findings)] },
    taken: (pages.at(-1)?.taken ?? []).map(({ x, y, width, height }) => ({ x, y, width, height })),
    placement: place.ok ? { ...place.value, page: -1 } : null,
  });
}
