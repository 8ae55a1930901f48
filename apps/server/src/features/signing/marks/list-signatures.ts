import type { Reader } from "../../../platform/database/database.ts";
import type { SecretBox } from "../../../platform/secrets/secret-box.ts";
import type { SavedWithMark } from "./save-signature.ts";
import { selectSignatures } from "./store.ts";
import { unwrapMark } from "./wrapped-mark.ts";

/** Gives an account's signatures with what they are made of: the default one first, then the newest. */
export async function listSignatures(
  { db, secrets }: { readonly db: Reader; readonly secrets: SecretBox },
  userId: string,
): Promise<readonly SavedWithMark[]> {
  const kept = await selectSignatures(db, userId);
  return kept.map((signature) => ({ ...signature, mark: unwrapMark(secrets, { id: signature.id, userId }, signature.markWrapped) }));
}
