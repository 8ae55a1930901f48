import type { SecretBox } from "../../../platform/secrets/secret-box.ts";
import { type KeptMark, keptMarkSchema } from "../seal/act-content.ts";

/** Gives a mark as it is kept: unreadable without the master key, and bound to its owner and its own id. */
export function wrapMark(secrets: SecretBox, of: { readonly id: string; readonly userId: string }, mark: KeptMark): Uint8Array {
  return secrets.wrap(new TextEncoder().encode(JSON.stringify(mark)), context(of));
}

/** Gives back what `wrapMark` kept; throws when a byte, the owner or the id is wrong. */
export function unwrapMark(secrets: SecretBox, of: { readonly id: string; readonly userId: string }, wrapped: Uint8Array): KeptMark {
  return keptMarkSchema.parse(JSON.parse(new TextDecoder().decode(secrets.unwrap(wrapped, context(of)))));
}

function context({ id, userId }: { readonly id: string; readonly userId: string }): string {
  return `saved-signature:${userId}:${id}`;
}
