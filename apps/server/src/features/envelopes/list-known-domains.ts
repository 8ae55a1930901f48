import { type KnownDomains, MAX_KNOWN_DOMAINS } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { selectKnownDomains } from "./suggestions/store.ts";

/** Gives the domains of the addresses this sender has asked, nobody else's: what a mistyped one is compared with. */
export function listKnownDomains(platform: Pick<Platform, "db">, ownerId: string): Promise<KnownDomains["results"]> {
  return selectKnownDomains(platform.db, { ownerId, limit: MAX_KNOWN_DOMAINS });
}
