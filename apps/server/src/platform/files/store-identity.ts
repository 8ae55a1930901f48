import { toHex } from "@paraphe/kernel/bytes";
import { sql } from "kysely";
import type { Clock } from "../platform.ts";
import type { Database } from "../database/database.ts";
import { StoreAwayError } from "./file-store.ts";

export const STORE_ID = "store-id";

export type StoreLedger = {
  /**
   * Notes a file whose row may never come. Errors: `StoreAwayError` when the database left the
   * store.
   */
  admit(sha256: Uint8Array): Promise<void>;
  /** Errors: `StoreAwayError` when the database left the store. */
  assertOpen(): Promise<void>;
};

export const NO_LEDGER: StoreLedger = { admit: async () => {}, assertOpen: async () => {} };

/** A move of files waits longer before it takes the old store for silent. */
export const ADMITTED_MS = 30_000;

type Demand = { readonly sha256s: Uint8Array[]; readonly recorded: Promise<void> };

export function openLedger(
  db: Database,
  { id, clock }: { readonly id: string; readonly clock: Clock },
): StoreLedger {
  const admitted = new Map<string, number>();
  let next: Demand | null = null;
  const admitAll = async (sha256s: readonly Uint8Array[]) => {
    const names = sha256s.map((sha256) => toHex(sha256));
    // Sorted, so that stores do not deadlock.
    const { rows } = await sql`
      insert into loose_files (sha256, at)
      select distinct decode(name, 'hex') as sha256, ${clock()}::timestamptz from unnest(${sql.val(names)}::text[]) as name
      where exists (select from store_identity where id = ${id} and closed_at is null) order by sha256
      on conflict (sha256) do update set at = greatest(loose_files.at, excluded.at) returning 1`.execute(
      db,
    );
    if (rows.length === 0) throw left();
    const now = performance.now();
    for (const [name, at] of admitted) if (now - at > ADMITTED_MS) admitted.delete(name);
    for (const name of names) admitted.set(name, now);
  };
  return {
    async admit(sha256) {
      const at = admitted.get(toHex(sha256));
      if (at !== undefined && performance.now() - at < ADMITTED_MS) return;
      if (next === null) {
        const sha256s: Uint8Array[] = [];
        const recorded = Promise.resolve().then(() => {
          next = null;
          return admitAll(sha256s);
        });
        next = { sha256s, recorded };
      }
      next.sha256s.push(sha256);
      await next.recorded;
    },
    async assertOpen() {
      const { rows } =
        await sql`select from store_identity where id = ${id} and closed_at is null`.execute(db);
      if (rows.length === 0) throw left();
    },
  };
}

function left(): StoreAwayError {
  return new StoreAwayError("The database has left this store: its files were moved");
}
