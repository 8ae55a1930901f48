import type { EventsAnswer, Result } from "@paraphe/contracts";
import { success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { type EventsPage, listEvents } from "../journal/public.ts";
import { requireOwner } from "./change-envelope.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { loadEnvelope } from "./load-envelope.ts";

/** Gives a page of an envelope's journal to its owner, who alone sees addresses and browsers. Errors: `not_found`, `not_allowed` for a recipient. */
export async function listEnvelopeEvents(
  platform: Pick<Platform, "db" | "clock">,
  command: EnvelopeCommand & { readonly page: EventsPage },
): Promise<Result<EventsAnswer>> {
  const owned = requireOwner(await loadEnvelope(platform.db, command.envelopeId), command.actor.user);
  return owned.ok ? success(await listEvents(platform, command.envelopeId, command.page)) : owned;
}
