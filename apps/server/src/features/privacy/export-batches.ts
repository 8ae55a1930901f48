import type { Platform } from "../../platform/platform.ts";
import { listBatches, presentBatch, readBatch } from "../signing/public.ts";

const PAGE = 50;

/** Gives one's batches, each with its files' names and what became of them: their signed files are in the envelopes. */
export async function* batchesOf({ db }: Pick<Platform, "db">, ownerId: string) {
  for (let page = 1; ; page += 1) {
    const { results } = await listBatches(db, { ownerId, page, page_size: PAGE });
    for (const summary of results) {
      const read = await readBatch(db, { id: summary.id, ownerId });
      if (read.ok) yield { ...summary, items: presentBatch(read.value).items };
    }
    if (results.length < PAGE) return;
  }
}
