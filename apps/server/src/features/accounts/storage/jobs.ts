import type { Platform } from "../../../platform/platform.ts";
import { foldChanges } from "./store.ts";

/** Registers the hourly folding of changes; called before the queue starts. */
export function registerStorageJobs(platform: Pick<Platform, "db" | "queue">): void {
  platform.queue.schedule("storage.fold", "27 * * * *", () => foldStorage(platform));
}

/** Keeps the reading of a sum short, however much an account has written. */
export async function foldStorage({ db }: Pick<Platform, "db">): Promise<void> {
  await foldChanges(db);
}
