import type { Platform } from "../../platform/platform.ts";
import type { Actor } from "./domain/command.ts";
import { listPersonOf } from "./list-person.ts";
import { selectCounts } from "./lists/store.ts";

export type EnvelopeCounts = {
  readonly draft: number;
  readonly sent: number;
  readonly completed: number;
  readonly action_required: number;
  readonly cancelled: number;
};

/** Gives the length of each list, as the lists themselves have it: `sent` holds pending, declined and expired ones too, `completed` those that one was invited to. */
export async function countEnvelopes(platform: Pick<Platform, "db">, { user }: Pick<Actor, "user">): Promise<EnvelopeCounts> {
  const counts = await selectCounts(platform.db, listPersonOf(user));
  const sum = (...statuses: string[]) => statuses.reduce((total, status) => total + (counts.get(status) ?? 0), 0);
  return {
    draft: sum("draft"),
    sent: sum("sent", "pending", "declined", "expired"),
    completed: sum("completed", "received"),
    action_required: sum("action_required"),
    cancelled: sum("cancelled"),
  };
}
