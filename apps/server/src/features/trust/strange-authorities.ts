import type { Platform } from "../../platform/platform.ts";
import { isAuthentic } from "./authority-mac.ts";
import { selectAuthorities } from "./store.ts";

/** Rows of authorities, and the ids of those that are nobody's: their MAC is missing or another one, and nothing leans on them. */
export async function strangeAuthorities({
  db,
  secrets,
}: Pick<Platform, "db" | "secrets">): Promise<{ readonly count: number; readonly strange: readonly string[] }> {
  const rows = await selectAuthorities(db);
  return { count: rows.length, strange: rows.filter((row) => !isAuthentic(secrets, row)).map(({ id }) => id) };
}

/** Says in the log, at the start, which rows are nobody's: somebody else wrote them. */
export async function warnOfStrangers(platform: Pick<Platform, "db" | "secrets" | "log">): Promise<void> {
  for (const id of (await strangeAuthorities(platform)).strange)
    platform.log.warn(
      { authority: id },
      "an authority's row was not written by this service: nothing is believed of it (npm run audit -- check)",
    );
}
