import type { Transaction } from "../../../platform/database/database.ts";
import type { Platform } from "../../../platform/platform.ts";
import { addRevision } from "../../documents/public.ts";
import type { ArchivedRevision } from "./archive-revision.ts";
import type { ArchiveRow } from "./archive-store.ts";

/** Makes a stored B-LTA revision the document's current one, in `done`; gives the row to keep of its time-stamp. Its statements are sent before it returns. */
export function addArchive(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "files">,
  { documentId, previousNumber, archive }: { documentId: string; previousNumber: number; archive: ArchivedRevision },
): { readonly row: ArchiveRow; readonly done: Promise<unknown> } {
  const { sha256, sizeBytes, authoritySerial, stampedAt, validUntil, renewAt } = archive;
  const made = { documentId, previousNumber, kind: "completed", sha256, sizeBytes, recipientId: null } as const;
  return {
    row: { documentId, revision: previousNumber + 1, authoritySerial, stampedAt, validUntil, renewAt },
    done: addRevision(trx, platform, made),
  };
}
