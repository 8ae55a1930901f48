import type { JournalEvent } from "@paraphe/contracts";
import type { StoredEvent } from "../../journal/public.ts";

/** The personal values that say who, and nothing of how to reach them. */
const NAMES: ReadonlySet<string> = new Set(["actor_name", "full_name"]);
/** What the public page shows by itself: what is signed, and by whom. */
const SHOWN: ReadonlySet<string> = new Set(["title", "document_names", "signer_names"]);

/** `names`: of those who sign; `reached`: the ids of the recipients whose masked addresses are shown. */
type Disclosed = { readonly names: ReadonlySet<string>; readonly reached: ReadonlySet<string> };

/** Whom a link or a code went to. */
function personOf({ actor, detail }: StoredEvent): string {
  return typeof detail["recipient"] === "string" ? detail["recipient"] : actor.replace(/^recipient:/, "");
}

/**
 * Gives an event as `preuve.json` has it: each personal value that is shown with its salt, of the others the commitment alone.
 * `disclosed`: every value, or these names and the masked addresses and numbers of these people alone: whoever is in copy, and who sent, are no business of the holder of a paper (security line 57).
 */
export function discloseEvent(event: StoredEvent, disclosed: "all" | Disclosed): JournalEvent {
  const { sequence, at, actor, action, detail, personal, hash, previousHash } = event;
  return {
    sequence,
    at: at.toISOString(),
    actor,
    action,
    detail,
    personal: Object.fromEntries(
      Object.entries(personal).filter(
        ([name, { value }]) =>
          disclosed === "all" ||
          SHOWN.has(name) ||
          (NAMES.has(name) && typeof value === "string" && disclosed.names.has(value)) ||
          (name === "destination" && disclosed.reached.has(personOf(event))),
      ),
    ),
    previous_hash: previousHash === null ? null : Buffer.from(previousHash).toString("hex"),
    hash: Buffer.from(hash).toString("hex"),
  };
}
