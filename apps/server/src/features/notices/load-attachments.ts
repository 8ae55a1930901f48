import { type FileStore, MissingFileError } from "../../platform/files/file-store.ts";
import type { MailMessage } from "../../platform/mail/mail-transport.ts";
import type { NoticeAttachment } from "./domain/notice.ts";

/** Many servers refuse more than 10 MB once encoded; beyond, the mail goes with its link alone. */
const MAXIMUM_BYTES = 10 * 1024 * 1024;

/** Gives the files that travel with a mail: all of them, or none when they are too heavy or one was purged meanwhile. */
export async function loadAttachments(files: FileStore, wanted: readonly NoticeAttachment[]): Promise<MailMessage["attachments"]> {
  const total = wanted.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (total >= MAXIMUM_BYTES) return [];
  try {
    return await Promise.all(
      wanted.map(async (file) => ({
        name: file.name,
        contentType: "application/pdf",
        bytes: await files.get(Buffer.from(file.sha256, "hex")),
      })),
    );
  } catch (cause) {
    if (cause instanceof MissingFileError) return [];
    throw cause;
  }
}
