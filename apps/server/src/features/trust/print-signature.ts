import { timingSafeEqual } from "node:crypto";
import type { Platform } from "../../platform/platform.ts";

/** What a print's `sig` binds together (security line 56). */
export type PrintIdentity = { readonly id: string; readonly envelopeId: string; readonly qrType: string; readonly keyId: string };

/** Names the key that new prints are signed with; printed paper outlives keys, so the name is part of what is signed. */
export const PRINT_KEY_ID = "1";

/** Gives a print's `sig`: HMAC-SHA-256, base64url, 43 characters. */
export function signPrint(platform: Pick<Platform, "secrets">, print: PrintIdentity): string {
  return Buffer.from(macOf(platform, print)).toString("base64url");
}

/** Says whether `sig` is this print's, in constant time. */
export function verifyPrintSignature(platform: Pick<Platform, "secrets">, print: PrintIdentity, sig: string): boolean {
  const given = Buffer.from(sig, "base64url");
  const expected = macOf(platform, print);
  // The text is compared too: base64url lets the last character vary without changing a byte.
  return given.length === expected.length && timingSafeEqual(given, expected) && given.toString("base64url") === sig;
}

function macOf(platform: Pick<Platform, "secrets">, print: PrintIdentity): Uint8Array {
  return platform.secrets.hmac(
    `print-signature:${print.keyId}`,
    Buffer.from(JSON.stringify([print.id, print.envelopeId, print.qrType, print.keyId])),
  );
}
