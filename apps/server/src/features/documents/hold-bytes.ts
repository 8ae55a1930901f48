import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { lockBlobs } from "./store.ts";

/**
 * Makes sure that stored bytes are still there when a row refers to them: the same bytes may have belonged to an envelope purged a moment ago.
 * From here to the end of the transaction no purge removes them. `bytes` is null of a file that nothing has ever referred to: it is there.
 */
export async function holdBytes(
  trx: Transaction,
  platform: Pick<Platform, "files">,
  files: readonly { readonly bytes: Uint8Array | null; readonly sha256: Uint8Array }[],
): Promise<void> {
  await lockBlobs(
    trx,
    files.map((file) => file.sha256),
    "share",
  );
  for (const { bytes, sha256 } of files) {
    if (bytes !== null && (await platform.files.size(sha256)) !== bytes.length) await platform.files.put(bytes);
  }
}
