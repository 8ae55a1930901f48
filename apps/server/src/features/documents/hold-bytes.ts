import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { lockBlobs } from "./store.ts";

/**
 * Makes sure that stored bytes are still there when a row refers to them: the same bytes may have belonged to an envelope purged a moment ago.
 * From here to the end of the transaction no purge removes them.
 */
export async function holdBytes(
  trx: Transaction,
  platform: Pick<Platform, "files">,
  files: readonly { readonly bytes: Uint8Array; readonly sha256: Uint8Array }[],
): Promise<void> {
  await lockBlobs(
    trx,
    files.map((file) => file.sha256),
    "share",
  );
  for (const file of files) {
    if ((await platform.files.size(file.sha256)) !== file.bytes.length) await platform.files.put(file.bytes);
  }
}
