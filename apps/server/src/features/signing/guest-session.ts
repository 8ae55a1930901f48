import { createHash } from "node:crypto";
import { GUEST_SESSION_S } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { extendGuestSession, findGuestSession, type GuestSession, insertGuestSession } from "./store.ts";

const TOKEN_BYTES = 32;
/** A session that was extended less than this ago is not written again: reading a page makes many calls. */
const EXTEND_AFTER_S = 300;

/** What the browser keeps of a confirmed code: HttpOnly, for this recipient's calls only. `value` is never stored here, only its hash. */
export type GuestCookie = { readonly name: string; readonly value: string; readonly maxAgeS: number };

/** One cookie per recipient: two people of one envelope may share a browser. `__Host-`: no sibling site can write one. */
export function guestCookieName(recipientId: string): string {
  return `__Host-guest_${recipientId.replaceAll("-", "")}`;
}

/** Opens a session bound to this recipient, to the documents as they are now and to the code that was entered. */
export async function openGuestSession(
  trx: Transaction,
  platform: Pick<Platform, "random" | "clock">,
  guest: { readonly envelopeId: string; readonly recipientId: string; readonly documentsSha256: Uint8Array; readonly codeId: string },
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
  const session = await findGuestSession(platform.db, { tokenSha256: hashToken(token), recipientId, now });
  if (session === null) return null;
  if (session.expiresAt.getTime() - now.getTime() > (GUEST_SESSION_S - EXTEND_AFTER_S) * 1_000) return { session, cookie: null };
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
