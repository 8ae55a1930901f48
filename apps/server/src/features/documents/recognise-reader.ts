import { failure, type ProblemCode, problem, type Result, type StoredStatus, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import type { DocumentAccess, EnvelopeFacts, FileGrant, FileRequest } from "./domain/document-access.ts";
import { readDownloadToken } from "./download-link.ts";
import { selectEnvelopeFacts } from "./store.ts";

const CLOSED: Readonly<Partial<Record<StoredStatus, ProblemCode>>> = {
  cancelled: "envelope_cancelled",
  declined: "envelope_declined",
  expired: "envelope_expired",
};

export type RecognisedReader = { readonly grant: FileGrant; readonly facts: EnvelopeFacts };

/**
 * Says who asks for files, and whether they may: a download link that is still good, or what the access port decides.
 * Errors: `not_found`; `session_expired` when nothing says who asks; 410 for somebody else's link once the envelope is closed; those of the port.
 */
export async function recogniseReader(
  platform: Pick<Platform, "db" | "secrets" | "clock">,
  access: DocumentAccess,
  request: FileRequest,
): Promise<Result<RecognisedReader>> {
  if (request.token === null && request.user === null) return failure(problem("session_expired"));
  const facts = await selectEnvelopeFacts(platform.db, request.envelopeId);
  if (facts === null) return failure(problem("not_found"));
  const linked = request.token === null ? null : readDownloadToken(platform, facts.id, request.token);
  if (linked === null) {
    const grant = await access(request);
    return grant.ok ? success({ grant: grant.value, facts }) : grant;
  }
  const closed = CLOSED[facts.status];
  if (linked !== "owner" && closed !== undefined) return failure(problem(closed));
  return success({ grant: { reader: linked, recipientId: null }, facts });
}
