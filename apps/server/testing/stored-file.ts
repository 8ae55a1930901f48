import { join } from "node:path";
import type { Settings } from "../src/platform/settings/settings.ts";
import type { TestPlatform } from "./platform.ts";

/** SHA-256 in hexadecimal of a document's current file. */
export async function storedHash(
  { owner }: Pick<TestPlatform, "owner">,
  documentId: string,
): Promise<string> {
  const row = await owner
    .selectFrom("document_revisions")
    .select("blob_sha256")
    .where("document_id", "=", documentId)
    .orderBy("number", "desc")
    .executeTakeFirstOrThrow();
  return Buffer.from(row.blob_sha256).toString("hex");
}

export function storedPath({ settings }: Pick<TestPlatform, "settings">, hash: string): string {
  return join(storageFolder(settings), hash.slice(0, 2), hash.slice(2, 4), hash);
}

export function storageFolder({ storage }: Pick<Settings, "storage">): string {
  if (storage.kind !== "folder") throw new Error("These files are in no folder");
  return storage.folder;
}
