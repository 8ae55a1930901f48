import { MAX_TITLE_LENGTH, titleOfFile } from "@paraphe/contracts";

/** Gives the title of one document's envelope: the file's name, after the batch's own title if it has one. */
export function envelopeTitle(batchTitle: string | null, fileName: string): string {
  const stem = titleOfFile(fileName);
  const title = batchTitle === null ? stem : `${batchTitle} – ${stem}`;
  return Array.from(title).slice(0, MAX_TITLE_LENGTH).join("").trim();
}
