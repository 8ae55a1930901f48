import { MAILBOX_DAYS, THROTTLE_DAYS } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Database } from "./database/database.ts";
import { IDEMPOTENCY_WINDOW_MS } from "./http/idempotency.ts";
import { sweepIdempotencyKeys } from "./idempotency/store.ts";
import { sweepMailbox } from "./mailbox/store.ts";
import type { Platform } from "./platform.ts";
import { sweepThrottles } from "./throttle/throttle.ts";

const DAY_MS = 24 * 3_600_000;

export function registerMaintenanceJobs(platform: Platform): void {
  platform.queue.schedule("platform.sweep", "17 * * * *", () => sweepPlatform(platform));
  platform.queue.schedule("platform.partitions", "9 4 2 * *", () => makePartitions(platform.db));
}

export async function sweepPlatform(platform: Platform): Promise<void> {
  const now = platform.clock().getTime();
  await sweepIdempotencyKeys(platform.db, new Date(now - IDEMPOTENCY_WINDOW_MS));
  await sweepMailbox(platform.db, new Date(now - MAILBOX_DAYS * DAY_MS));
  await sweepThrottles(platform.db, new Date(now - THROTTLE_DAYS * DAY_MS));
}

/** Creates this year's and next year's missing partitions; the default one takes the rest. */
export async function makePartitions(db: Database): Promise<void> {
  await sql`select make_partitions()`.execute(db);
}
