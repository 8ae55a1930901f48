import type { Platform } from "../../platform/platform.ts";
import type { OwnRefusal } from "./domain/delivery-failure.ts";
import { refuseWaiting } from "./store.ts";

/** Ends every message that waited when a backup was made, as one that its sender may send again: it may have left since. Gives how many. */
export async function withholdWaiting({ db, clock }: Pick<Platform, "db" | "clock">): Promise<number> {
  return refuseWaiting(db, { serverAnswer: "restored" satisfies OwnRefusal, at: clock() });
}
