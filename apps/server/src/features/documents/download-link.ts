import { timingSafeEqual } from "node:crypto";
import {
  DOWNLOAD_LINK_S,
  failure,
  problem,
  type ProblemCode,
  type Result,
  type StoredStatus,
  success,
} from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import type { DocumentAccess, EnvelopeFacts, FileGrant, FileRequest } from "./domain/document.ts";
import { selectEnvelopeFacts } from "./store.ts";

type Reader = FileGrant["reader"];
const PREFIX = "dl";
const FORM = /^dl\.(owner|recipient|guest)\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

/**
 * Makes a token that opens one envelope's files without a session.
 * Its dots distinguish it from a guest's token.
 */
export function mintDownloadToken(
  platform: Pick<Platform, "secrets" | "clock">,
  link: { readonly envelopeId: string; readonly reader: Reader },
): string {
  const expires = Math.floor(platform.clock().getTime() / 1000) + DOWNLOAD_LINK_S;
  return `${PREFIX}.${link.reader}.${expires}.${seal(platform, { ...link, expires })}`;
}

function readDownloadToken(
  platform: Pick<Platform, "secrets" | "clock">,
  envelopeId: string,
  token: string,
): Reader | null {
  const match = FORM.exec(token);
  if (!match) return null;
  const [, reader, expires, mac] = match as unknown as [string, Reader, string, string];
  const expected = seal(platform, { envelopeId, reader, expires: Number(expires) });
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return null;
  return Number(expires) * 1000 > platform.clock().getTime() ? reader : null;
}

function seal(
  platform: Pick<Platform, "secrets">,
  link: { readonly envelopeId: string; readonly reader: Reader; readonly expires: number },
): string {
  return Buffer.from(
    platform.secrets.hmac(
      "document-download",
      Buffer.from(`${link.envelopeId}\n${link.reader}\n${link.expires}`),
    ),
  ).toString("base64url");
}

const CLOSED: Readonly<Partial<Record<StoredStatus, ProblemCode>>> = {
  cancelled: "envelope_cancelled",
  declined: "envelope_declined",
  expired: "envelope_expired",
};

export type RecognisedReader = { readonly grant: FileGrant; readonly facts: EnvelopeFacts };

export async function recogniseReader(
  platform: Pick<Platform, "db" | "secrets" | "clock">,
  access: DocumentAccess,
  request: FileRequest,
): Promise<Result<RecognisedReader>> {
  if (request.token === null && request.user === null) return failure(problem("session_expired"));
  const facts = await selectEnvelopeFacts(platform.db, request.envelopeId);
  if (facts === null) return failure(problem("not_found"));
  const linked =
    request.token === null ? null : readDownloadToken(platform, facts.id, request.token);
  if (linked === null) {
    const grant = await access(request);
    return grant.ok ? success({ grant: grant.value, facts }) : grant;
  }
  const closed = CLOSED[facts.status];
  if (linked !== "owner" && closed !== undefined) return failure(problem(closed));
  return success({ grant: { reader: linked, recipientId: null }, facts });
}
