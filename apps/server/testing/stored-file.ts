import { join } from "node:path";
import type { TestPlatform } from "./platform.ts";

/** Gives the SHA-256 of the file that a document is now, in hexadecimal. */
export async function storedHash({ owner }: Pick<TestPlatform, "owner">, documentId: string): Promise<string> {
  const row = await owner
    .selectFrom("document_revisions")
    .select("blob_sha256")
    .where("document_id", "=", documentId)
    .orderBy("number", "desc")
    .executeTakeFirstOrThrow();
  return Buffer.from(row.blob_sha256).toString("hex");
}

/** Gives where a file of this SHA-256 is on the disk. */
export function storedPath({ settings }: Pick<TestPlatform, "settings">, hash: string): string {
  return join(settings.storage.folder, hash.slice(0, 2), hash.slice(2, 4), hash);
}
