import { createHash } from "node:crypto";
import type { Platform } from "../../platform/platform.ts";

/** Makes a token of 256 random bits; only its hash is ever stored. */
export function mintToken(platform: Pick<Platform, "random">): { readonly token: string; readonly sha256: Uint8Array } {
  const token = Buffer.from(platform.random(32)).toString("base64url");
  return { token, sha256: hashToken(token) };
}

/** Gives the form under which a token is stored and looked up. */
export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token, "utf8").digest();
}
