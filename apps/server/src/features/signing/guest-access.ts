import { createHash } from "node:crypto";
import { toBase64Url } from "@paraphe/kernel/bytes";
import {
  failure,
  GUEST_SESSION_S,
  isId,
  type Problem,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Write } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import type { RequestClient } from "../../platform/http/request-facts.ts";
import { type DocumentAccess, documentsDigest } from "../documents/public.ts";
import {
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  findRecipientByToken,
  formerLinkRefusal,
  hasAnswered,
  inCorrection,
  isReturned,
  lockWithFacts,
  mustSign,
  sessionDocumentAccess,
  stepReassigned,
  tokenSha256,
} from "../envelopes/public.ts";
import type { AuditActor } from "../journal/public.ts";
import { checkGuestAccess } from "./domain/check-signing.ts";
import {
  extendGuestSession,
  factsAlso,
  type FactsKey,
  type GuestFacts,
  guestFacts,
  guestFactsOf,
  type GuestSession,
  insertGuestSession,
  type Part,
  readFacts,
} from "./store.ts";

type Cookies = Readonly<Record<string, string | undefined>>;
type GuestKey = {
  readonly envelopeId: string;
  readonly token: string | null;
  readonly cookies: Cookies;
};
/** Who opened a valid link, before any code. */
export type Guest = {
  readonly recipient: EnvelopeRecipient;
  readonly aggregate: EnvelopeAggregate;
  readonly facts: GuestFacts;
  readonly key: FactsKey;
};

/**
 * Errors: those of `checkGuestAccess`; `account_required`; `not_found` for a wrong token or envelope;
 * `step_reassigned`.
 */
export async function openGuestAccess(
  reader: Reader,
  key: GuestKey,
  now: Date,
): Promise<Result<Guest>> {
  const guest = await recogniseGuest(reader, key, now);
  return guest === null ? failure(await refusalOf(reader, key)) : checkAccess(guest, now);
}

async function refusalOf(reader: Reader, { envelopeId, token }: GuestKey): Promise<Problem> {
  const given =
    token === null || !isId(envelopeId)
      ? null
      : await formerLinkRefusal(reader, { envelopeId, token });
  return given ?? problem("not_found");
}

/** Also admits a guest after the deadline, who asks for more time. */
export async function openExpiredAccess(
  reader: Reader,
  key: GuestKey,
  now: Date,
): Promise<Result<Guest>> {
  const guest = await recogniseGuest(reader, key, now);
  if (guest === null) return failure(problem("not_found"));
  const access = checkAccess(guest, now);
  return access.ok || access.error.code !== "envelope_expired" ? access : success(guest);
}

/** Reads recipient and `GuestFacts` in one statement. */
async function recogniseGuest(
  reader: Reader,
  { envelopeId, token, cookies }: GuestKey,
  now: Date,
): Promise<Guest | null> {
  if (token === null || !isId(envelopeId)) return null;
  const key = { linkSha256: tokenSha256(token), sessionTokens: sessionTokensOf(cookies), now };
  const found = await findRecipientByToken(reader, { envelopeId, token, facts: guestFacts(key) });
  return found && { ...found, facts: readFacts(found.facts, found.recipient.id), key };
}

/**
 * Checks access again under the envelope's lock, as state or address may have changed. `also` is
 * read in the same statement.
 * Errors: those of `openGuestAccess`.
 */
export async function lockGuestAccess<A = null>(
  trx: Transaction,
  guest: Guest,
  { now, also }: { readonly now: Date; readonly also?: Part<A> },
): Promise<Result<Guest & { readonly also: A }>> {
  const { id } = guest.recipient;
  const key = { ...guest.key, now };
  const facts = factsAlso(guestFactsOf(id, key), also);
  const locked = await lockWithFacts(trx, guest.aggregate.envelope.id, facts);
  const recipient = locked?.aggregate.recipients.find((candidate) => candidate.id === id);
  if (locked === null || recipient === undefined) return failure(problem("not_found"));
  if (recipient.emailKey !== guest.recipient.emailKey)
    return failure(
      recipient.reassignedFrom === guest.recipient.emailKey
        ? stepReassigned(recipient)
        : problem("not_found"),
    );
  const { aggregate } = locked;
  const read = readFacts(locked.facts.guest, id);
  const access = checkAccess({ aggregate, recipient, facts: read, key }, now);
  return access.ok ? success({ ...access.value, also: locked.facts.also }) : access;
}

/** A refusal names document and sender, as the invitation did. */
function checkAccess(guest: Guest, now: Date): Result<Guest> {
  const { status, completedAt, deadlineAt, sentTitle, senderName } = guest.aggregate.envelope;
  const hasDeclined = guest.recipient.status === "declined";
  const open = isReturned(guest.aggregate.envelope)
    ? failure(inCorrection(guest.aggregate.envelope))
    : checkGuestAccess({ status, completedAt, deadlineAt, now, hasDeclined });
  const access = open.ok && mustSignInAccount(guest) ? failure(problem("account_required")) : open;
  if (access.ok) return success(guest);
  if (access.error.code === "not_found") return access;
  return failure({
    ...access.error,
    extensions: { ...access.error.extensions, document_title: sentTitle, sender_name: senderName },
  });
}

/** The link still opens what was signed, and a visa asks for no factor. */
function mustSignInAccount({ recipient, facts }: Guest): boolean {
  const isToSign = facts.act === null && mustSign(recipient) && !hasAnswered(recipient);
  return isToSign && facts.signsInAccount;
}

export function guestActor(guest: Guest, client: RequestClient): AuditActor {
  return {
    kind: "recipient",
    id: guest.recipient.id,
    name: guest.recipient.fullName,
    ip: client.ip,
    userAgent: client.userAgent,
  };
}

const TOKEN_BYTES = 32;
/** A session is extended at most this often. */
const EXTEND_AFTER_S = 300;

/** HttpOnly, for one recipient; stored as a hash. */
export type GuestCookie = {
  readonly name: string;
  readonly value: string;
  readonly maxAgeS: number;
};

const COOKIE = "__Host-guest_";

/** Each recipient has a cookie, as browsers are shared. `__Host-`: no sibling site writes it. */
function guestCookieName(recipientId: string): string {
  return `${COOKIE}${recipientId.replaceAll("-", "")}`;
}

const LONGEST_TOKEN = 100;

/** Hashes every guest cookie, as the recipient, whose id names the cookie, is not known yet. */
function sessionTokensOf(cookies: Cookies): readonly Uint8Array[] {
  return Object.entries(cookies).flatMap(([name, value]) =>
    name.startsWith(COOKIE) && value !== undefined && value.length <= LONGEST_TOKEN
      ? [hashToken(value)]
      : [],
  );
}

/** The session is bound to the recipient, the documents as they are, and the code. */
export function openGuestSession(
  platform: Pick<Platform, "random" | "clock">,
  guest: {
    readonly envelopeId: string;
    readonly recipientId: string;
    readonly documentsSha256: Uint8Array;
    readonly codeId: string;
  },
): { readonly cookie: GuestCookie; readonly write: Write | null } {
  const token = toBase64Url(platform.random(TOKEN_BYTES));
  const now = platform.clock();
  const session = {
    tokenSha256: hashToken(token),
    recipientId: guest.recipientId,
    documentsSha256: guest.documentsSha256,
    codeId: guest.codeId,
    expiresAt: after(now, GUEST_SESSION_S),
  };
  return {
    cookie: cookieOf(guest.recipientId, token),
    write: insertGuestSession(session, now),
  };
}

export async function resumeGuestSession(
  platform: Pick<Platform, "db" | "clock">,
  { recipient: { id: recipientId }, facts }: Guest,
  cookies: Cookies,
): Promise<{ readonly session: GuestSession; readonly cookie: GuestCookie | null } | null> {
  const token = cookies[guestCookieName(recipientId)];
  if (token === undefined || token.length > LONGEST_TOKEN) return null;
  const tokenHash = hashToken(token);
  const session = facts.sessions.find(
    ({ tokenSha256: known }) => Buffer.compare(known, tokenHash) === 0,
  );
  if (session === undefined) return null;
  const now = platform.clock();
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
 * Admits users who see the envelope and guests with a confirmed code; once signed, the token alone
 * (specification §6).
 */
export function documentAccess(platform: Platform): DocumentAccess {
  const bySession = sessionDocumentAccess(platform);
  return async (request) => {
    if (request.token === null) return bySession(request);
    const access = await openGuestAccess(
      platform.db,
      { envelopeId: request.envelopeId, token: request.token, cookies: request.cookies },
      platform.clock(),
    );
    if (!access.ok) return access;
    const { recipient, aggregate } = access.value;
    const grant = success({ reader: "guest", recipientId: recipient.id } as const);
    if (request.purpose === "download" && recipient.status === "signed") return grant;
    const resumed = await resumeGuestSession(platform, access.value, request.cookies);
    const isConfirmed =
      resumed !== null &&
      Buffer.compare(resumed.session.documentsSha256, documentsDigest(aggregate.documents)) === 0;
    return isConfirmed ? grant : failure(problem("otp_required"));
  };
}
