import { createHash } from "node:crypto";
import { failure, GUEST_SESSION_S, isId, problem, type Result, success } from "@paraphe/contracts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { type DocumentAccess, documentsDigest } from "../documents/public.ts";
import {
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  findRecipientByToken,
  lockEnvelope,
  sessionDocumentAccess,
} from "../envelopes/public.ts";
import { checkGuestAccess } from "./domain/check-guest-access.ts";
import {
  extendGuestSession,
  findGuestSession,
  type GuestSession,
  insertGuestSession,
} from "./store.ts";

/** What a guest's request says of who asks. */
type GuestKey = { readonly envelopeId: string; readonly token: string | null };
/** A guest whose link is good, before any code. */
export type Guest = {
  readonly recipient: EnvelopeRecipient;
  readonly aggregate: EnvelopeAggregate;
};

/**
 * Opens the door of a link.
 * Errors: `not_found` for every wrong token, envelope or state that tells nothing; 410 for the right token of a closed envelope.
 */
export async function openGuestDoor(
  reader: Reader,
  key: GuestKey,
  now: Date,
): Promise<Result<Guest>> {
  const guest = await recogniseGuest(reader, key);
  return guest === null ? failure(problem("not_found")) : checkDoor(guest, now);
}

/**
 * Opens the door of a link for the one thing that may still be asked once the deadline has passed: more time.
 * Errors: those of `openGuestDoor`, but `envelope_expired`.
 */
export async function openExpiredDoor(
  reader: Reader,
  key: GuestKey,
  now: Date,
): Promise<Result<Guest>> {
  const guest = await recogniseGuest(reader, key);
  if (guest === null) return failure(problem("not_found"));
  const door = checkDoor(guest, now);
  return door.ok || door.error.code !== "envelope_expired" ? door : success(guest);
}

async function recogniseGuest(reader: Reader, key: GuestKey): Promise<Guest | null> {
  return key.token === null || !isId(key.envelopeId)
    ? null
    : findRecipientByToken(reader, key.envelopeId, key.token);
}

/**
 * Opens the door again under the envelope's lock, for what is about to be written. Whose link it is does not change; the envelope's state
 * does, and the sender may have corrected the address that the link went to.
 * Errors: those of `openGuestDoor`.
 */
export async function lockGuestDoor(
  trx: Transaction,
  guest: Guest,
  now: Date,
): Promise<Result<Guest>> {
  const aggregate = await lockEnvelope(trx, guest.aggregate.envelope.id);
  const recipient = aggregate?.recipients.find((candidate) => candidate.id === guest.recipient.id);
  if (
    aggregate === null ||
    recipient === undefined ||
    recipient.emailKey !== guest.recipient.emailKey
  )
    return failure(problem("not_found"));
  return checkDoor({ aggregate, recipient }, now);
}

/** Whoever holds the right token of a closed envelope is told which document it was (`document_title`), and who sent it (`sender_name`): they have been told before. */
function checkDoor(guest: Guest, now: Date): Result<Guest> {
  const { status, completedAt, deadlineAt, title, createdByName } = guest.aggregate.envelope;
  const access = checkGuestAccess({
    status,
    completedAt,
    deadlineAt,
    now,
    hasDeclined: guest.recipient.status === "declined",
  });
  if (access.ok) return success(guest);
  if (access.error.code === "not_found") return access;
  return failure({
    ...access.error,
    extensions: { ...access.error.extensions, document_title: title, sender_name: createdByName },
  });
}

const TOKEN_BYTES = 32;
/** A session that was extended less than this ago is not written again: reading a page makes many calls. */
const EXTEND_AFTER_S = 300;

/** What the browser keeps of a confirmed code: HttpOnly, for this recipient's calls only. `value` is never stored here, only its hash. */
export type GuestCookie = {
  readonly name: string;
  readonly value: string;
  readonly maxAgeS: number;
};

/** One cookie per recipient: two people of one envelope may share a browser. `__Host-`: no sibling site can write one. */
function guestCookieName(recipientId: string): string {
  return `__Host-guest_${recipientId.replaceAll("-", "")}`;
}

/** Opens a session bound to this recipient, to the documents as they are now and to the code that was entered. */
export async function openGuestSession(
  trx: Transaction,
  platform: Pick<Platform, "random" | "clock">,
  guest: {
    readonly envelopeId: string;
    readonly recipientId: string;
    readonly documentsSha256: Uint8Array;
    readonly codeId: string;
  },
): Promise<GuestCookie> {
  const token = Buffer.from(platform.random(TOKEN_BYTES)).toString("base64url");
  const now = platform.clock();
  await insertGuestSession(
    trx,
    {
      tokenSha256: hashToken(token),
      recipientId: guest.recipientId,
      documentsSha256: guest.documentsSha256,
      codeId: guest.codeId,
      expiresAt: after(now, GUEST_SESSION_S),
    },
    now,
  );
  return cookieOf(guest.recipientId, token);
}

/** Gives the living session that this browser has for this recipient, and makes it slide; null without one. */
export async function resumeGuestSession(
  platform: Pick<Platform, "db" | "clock">,
  recipientId: string,
  cookies: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly session: GuestSession; readonly cookie: GuestCookie | null } | null> {
  const token = cookies[guestCookieName(recipientId)];
  if (token === undefined || token.length > 100) return null;
  const now = platform.clock();
  const session = await findGuestSession(platform.db, {
    tokenSha256: hashToken(token),
    recipientId,
    now,
  });
  if (session === null) return null;
  if (session.expiresAt.getTime() - now.getTime() > (GUEST_SESSION_S - EXTEND_AFTER_S) * 1_000)
    return { session, cookie: null };
  await extendGuestSession(platform.db, session.tokenSha256, after(now, GUEST_SESSION_S));
  return { session, cookie: cookieOf(recipientId, token) };
}

function cookieOf(recipientId: string, value: string): GuestCookie {
  return { name: guestCookieName(recipientId), value, maxAgeS: GUEST_SESSION_S };
}

function hashToken(token: string): Uint8Array {
  return new Uint8Array(createHash("sha256").update(token).digest());
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1_000);
}

/**
 * Decides who may read an envelope's files: whoever's session sees the envelope, or a guest.
 * A guest reads with the confirmed code of this browser; once signed, the token alone downloads (specification §6).
 */
export function documentAccess(platform: Platform): DocumentAccess {
  const bySession = sessionDocumentAccess(platform);
  return async (request) => {
    if (request.token === null) return bySession(request);
    const door = await openGuestDoor(
      platform.db,
      { envelopeId: request.envelopeId, token: request.token },
      platform.clock(),
    );
    if (!door.ok) return door;
    const { recipient, aggregate } = door.value;
    const grant = success({ reader: "guest", recipientId: recipient.id } as const);
    if (request.purpose === "download" && recipient.status === "signed") return grant;
    const resumed = await resumeGuestSession(platform, recipient.id, request.cookies);
    const isConfirmed =
      resumed !== null &&
      Buffer.compare(resumed.session.documentsSha256, documentsDigest(aggregate.documents)) === 0;
    return isConfirmed ? grant : failure(problem("otp_required"));
  };
}
