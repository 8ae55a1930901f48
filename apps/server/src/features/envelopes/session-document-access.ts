import { failure, problem, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import type { DocumentAccess } from "../documents/public.ts";
import { viewerOf } from "./domain/viewer.ts";
import { selectEnvelope } from "./store.ts";

/** The session's part of the access port: an owner reads everything, a recipient with an account what they were invited to. */
export function sessionDocumentAccess(platform: Pick<Platform, "db">): DocumentAccess {
  return async ({ envelopeId, user }) => {
    if (user === null) return failure(problem("session_expired"));
    const parts = await selectEnvelope(platform.db, envelopeId);
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
