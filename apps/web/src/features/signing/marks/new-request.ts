import type { NewMark, SaveSignatureRequest } from "@paraphe/contracts";

/** Gives what is sent to keep a mark under a name. Its picture is clean already: the page has shown it so. */
export function newRequest(mark: NewMark, name: string): SaveSignatureRequest {
  const aside = { name, is_default: false };
  return mark.kind === "typed" ? { ...mark, ...aside } : { ...mark, ...aside, remove_background: false };
}
