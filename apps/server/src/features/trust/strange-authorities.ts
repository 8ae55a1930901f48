import type { Platform } from "../../platform/platform.ts";
import { isAuthentic } from "./authority-mac.ts";
import { AUTHORITY_PURPOSES, selectAuthorities } from "./store.ts";

/**
 * What the rows of authorities are. `strange`: the ids of those that are nobody's, whose MAC is missing or another one: nothing leans on them. `missing`: what no living
 * authority of ours is for, a key that the service cannot do without.
 */
export type AuthorityRows = { readonly count: number; readonly strange: readonly string[]; readonly missing: readonly string[] };

export async function strangeAuthorities({ db, secrets }: Pick<Platform, "db" | "secrets">): Promise<AuthorityRows> {
  const rows = await selectAuthorities(db);
  const living = rows.filter((row) => row.retiredAt === null && isAuthentic(secrets, row));
  return {
    count: rows.length,
    strange: rows.filter((row) => !isAuthentic(secrets, row)).map(({ id }) => id),
    missing: AUTHORITY_PURPOSES.filter((purpose) => living.every((row) => row.purpose !== purpose)),
  };
}

/** Says in the log, at the start, which rows are nobody's: somebody else wrote them. */
export async function warnOfStrangers(platform: Pick<Platform, "db" | "secrets" | "log">): Promise<void> {
  for (const id of (await strangeAuthorities(platform)).strange)
    platform.log.warn(
      { authority: id },
      "an authority's row was not written by this service: nothing is believed of it (paraphe audit check)",
    );
}
