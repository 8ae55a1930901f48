import { failure, problem, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { type DocumentAccess, documentsDigest } from "../documents/public.ts";
import { sessionDocumentAccess } from "../envelopes/public.ts";
import { openGuestDoor } from "./guest-door.ts";
import { resumeGuestSession } from "./guest-session.ts";

/**
 * Decides who may read an envelope's files: whoever's session sees the envelope, or a guest.
 * A guest reads with the confirmed code of this browser; once signed, the token alone downloads (specification §6).
 */
export function documentAccess(platform: Platform): DocumentAccess {
  const bySession = sessionDocumentAccess(platform);
  return async (request) => {
    if (request.token === null) return bySession(request);
    const door = await openGuestDoor(platform.db, { envelopeId: request.envelopeId, token: request.token }, platform.clock());
    if (!door.ok) return door;
    const { recipient, aggregate } = door.value;
    const grant = success({ reader: "guest", recipientId: recipient.id } as const);
    if (request.purpose === "download" && recipient.status === "signed") return grant;
    const resumed = await resumeGuestSession(platform, recipient.id, request.cookies);
    const isConfirmed = resumed !== null && Buffer.compare(resumed.session.documentsSha256, documentsDigest(aggregate.documents)) === 0;
    return isConfirmed ? grant : failure(problem("otp_required"));
  };
}
