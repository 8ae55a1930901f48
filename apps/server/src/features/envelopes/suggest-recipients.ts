import { MAX_SUGGESTIONS } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { containsPattern } from "./domain/search-text.ts";
import { type KnownPerson, selectKnownPeople } from "./suggestions/store.ts";

/** Gives people this sender has asked before, whose name and address hold every word of the search; nobody else's. */
export function suggestRecipients(
  platform: Pick<Platform, "db">,
  asked: { readonly ownerId: string; readonly search: string },
): Promise<readonly KnownPerson[]> {
  const patterns = asked.search.split(/\s+/u).filter(Boolean).slice(0, 8).map(containsPattern);
  return selectKnownPeople(platform.db, { ownerId: asked.ownerId, patterns, limit: MAX_SUGGESTIONS });
}
