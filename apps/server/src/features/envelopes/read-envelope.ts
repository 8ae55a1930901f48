import {
  type Envelope,
  type EventsAnswer,
  failure,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import type { DocumentAccess } from "../documents/public.ts";
import { type EventsPage, listEvents } from "../journal/public.ts";
import { requireOwner } from "./change-envelope.ts";
import { type EnvelopeCommand, viewerOf } from "./domain/viewer.ts";
import { presentTo, presentToOwner } from "./present-envelope.ts";
import { loadEnvelope } from "./store.ts";

/** Errors: `not_found`. */
export async function readEnvelope(
  platform: Pick<Platform, "db" | "clock" | "settings">,
  { envelopeId, actor }: EnvelopeCommand,
): Promise<Result<Envelope>> {
  const aggregate = await loadEnvelope(platform.db, envelopeId);
  if (aggregate === null) return failure(problem("not_found"));
  const viewer = viewerOf(aggregate, actor.user);
  if (!viewer.ok) return viewer;
  if (viewer.value.kind === "owner")
    return success(await presentToOwner(platform, aggregate, actor.user));
  return success(await presentTo(platform, aggregate, { viewer: viewer.value }));
}

/**
 * Only the owner sees addresses and browsers. Errors: `not_found`, `not_allowed` for a recipient.
 */
export async function listEnvelopeEvents(
  platform: Pick<Platform, "db" | "clock">,
  command: EnvelopeCommand & { readonly page: EventsPage },
): Promise<Result<EventsAnswer>> {
  const owned = requireOwner(
    await loadEnvelope(platform.db, command.envelopeId),
    command.actor.user,
  );
  return owned.ok ? success(await listEvents(platform, command.envelopeId, command.page)) : owned;
}

/** The access port for sessions: owners read everything, recipients what they were invited to. */
export function sessionDocumentAccess(platform: Pick<Platform, "db">): DocumentAccess {
  return async ({ envelopeId, user }) => {
    if (user === null) return failure(problem("session_expired"));
    const parts = await loadEnvelope(platform.db, envelopeId);
    if (parts === null) return failure(problem("not_found"));
    const viewer = viewerOf(parts, user);
    if (!viewer.ok) return viewer;
    return success(
      viewer.value.kind === "owner"
        ? { reader: "owner", recipientId: null }
        : { reader: "recipient", recipientId: viewer.value.recipientId },
    );
  };
}
