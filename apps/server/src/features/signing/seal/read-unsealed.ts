import type { Reading } from "../../../platform/metrics/metrics.ts";
import type { Platform } from "../../../platform/platform.ts";
import { selectUnsealed } from "./store.ts";

/** Reads how many people have agreed to what is not signed yet, and since when. */
export async function readUnsealed({ db, clock }: Pick<Platform, "db" | "clock">): Promise<readonly Reading[]> {
  const { count, oldestAt } = await selectUnsealed(db);
  const oldestS = oldestAt === null ? 0 : (clock().getTime() - oldestAt.getTime()) / 1_000;
  return [
    { name: "paraphe_unsealed_acts", help: "Consents whose signature is not in the document yet.", values: [{ value: count }] },
    { name: "paraphe_unsealed_act_oldest_seconds", help: "How long the oldest of them has waited.", values: [{ value: oldestS }] },
  ];
}
