import { french, shortTitle } from "./french.ts";
import type { NoticeContents } from "./notice.ts";

type Batch = NoticeContents["batch_ended"];

/** A batch as a subject names it. */
export function batchName({ batchTitle }: Pick<Batch, "batchTitle">): string {
  return batchTitle === null ? "Votre lot" : french`Lot « ${shortTitle(batchTitle)} »`;
}

/** The same inside a sentence, whole. */
export function nameInSentence({ batchTitle }: Pick<Batch, "batchTitle">): string {
  return batchTitle === null ? "votre lot" : french`votre lot « ${batchTitle} »`;
}

/** « 498 documents signés sur 500, 2 en échec ». */
export function batchTally({ total, done, failed }: Pick<Batch, "total" | "done" | "failed">): string {
  const signed = `${done} ${done > 1 ? "documents signés" : "document signé"} sur ${total}`;
  return failed === 0 ? signed : `${signed}, ${failed} en échec`;
}
