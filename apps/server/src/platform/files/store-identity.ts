import { toHex } from "@paraphe/kernel/bytes";
import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import { StoreAwayError } from "./file-store.ts";

/** What bears, in a store, the id that the database knows it by. */
export const STORE_ID = "store-id";

/** What the database is told of the files of one store. */
export type StoreLedger = {
  /** Says that a file is about to be stored: a row that refers to it may never come. Errors: `StoreAwayError` when the database has left the store. */
  admit(sha256: Uint8Array): Promise<void>;
  /** Errors: `StoreAwayError` when the database has left the store. */
  assertOpen(): Promise<void>;
};

/** Of a store that is only read. */
export const NO_LEDGER: StoreLedger = { admit: async () => {}, assertOpen: async () => {} };

/** For as long a file that was said to come need not be said again; a move of files waits for longer before it believes that nobody writes to the store that was left. */
export const ADMITTED_MS = 30_000;

type Demand = { readonly sha256s: Uint8Array[]; readonly told: Promise<void> };

/** Files that are stored together are told in one statement. */
export function openLedger(
  db: Database,
  { id, clock }: { readonly id: string; readonly clock: Clock },
): StoreLedger {
  const admitted = new Map<string, number>();
  let next: Demand | null = null;
  const tell = async (sha256s: readonly Uint8Array[]) => {
    const names = sha256s.map((sha256) => toHex(sha256));
    // Sorted: two that tell the same files never wait for one another.
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
        const told = Promise.resolve().then(() => {
          next = null;
          return tell(sha256s);
        });
        next = { sha256s, told };
      }
      next.sha256s.push(sha256);
      await next.told;
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
