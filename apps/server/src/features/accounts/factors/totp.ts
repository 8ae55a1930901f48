import { Secret, TOTP } from "otpauth";
import type { Platform } from "../../../platform/platform.ts";

/** RFC 4226 §4, R6: 160 bits. */
const SECRET_LENGTH = 20;
const PERIOD_S = 30;
/** One step before and after: a phone's clock is rarely right (RFC 6238 §5.2). */
const WINDOW = 1;
const ISSUER = "Paraphe";

export function drawTotpSecret(platform: Pick<Platform, "random">): Uint8Array {
  return platform.random(SECRET_LENGTH);
}

export function presentTotpSecret(
  secret: Uint8Array,
  label: string,
): { readonly secret: string; readonly uri: string } {
  const totp = totpOf(secret, label);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/**
 * The step whose code it is, or null. A caller accepts a step once only.
 * Source: RFC 6238 §4.2 and §5.2.
 */
export function findTotpStep(secret: Uint8Array, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const delta = totpOf(secret, "").validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : Math.floor(timestamp / (PERIOD_S * 1_000)) + delta;
}

function totpOf(secret: Uint8Array, label: string): TOTP {
  return new TOTP({
    issuer: ISSUER,
    label,
    // The algorithm and length that every application knows.
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_S,
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
  });
}
