import { type KnownDomains, MAX_KNOWN_DOMAINS, MAX_SUGGESTIONS } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { containsPattern } from "./domain/search-text.ts";
import { type KnownPerson, selectKnownDomains, selectKnownPeople } from "./suggestions/store.ts";

export function suggestRecipients(
  platform: Pick<Platform, "db">,
  asked: { readonly ownerId: string; readonly search: string },
): Promise<readonly KnownPerson[]> {
  const patterns = asked.search.split(/\s+/u).filter(Boolean).slice(0, 8).map(containsPattern);
  return selectKnownPeople(platform.db, {
    ownerId: asked.ownerId,
    patterns,
    limit: MAX_SUGGESTIONS,
  });
}

/** Gives the domains of addresses this sender asked, to compare a mistyped one with. */
export function listKnownDomains(
  platform: Pick<Platform, "db">,
  ownerId: string,
): Promise<KnownDomains["results"]> {
  return selectKnownDomains(platform.db, { ownerId, limit: MAX_KNOWN_DOMAINS });
}
