import { createECDH, createPrivateKey, sign } from "node:crypto";

/** The service's own key for push services (RFC 8292). Shape: `publicKey` is an uncompressed P-256 point, `privateKey` its 32-byte scalar. */
export type VapidKeys = { readonly publicKey: Uint8Array; readonly privateKey: Uint8Array };

/** RFC 8292 §2: 24 hours at most; half of it leaves room for clocks that disagree. */
const LIFETIME_S = 12 * 3_600;

/** Makes a key pair of these 32 random bytes. */
export function makeVapidKeys(random: Uint8Array): VapidKeys {
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(random);
  return { publicKey: new Uint8Array(ecdh.getPublicKey()), privateKey: random };
}

/**
 * Gives the `Authorization` header with which a push service knows who sends: a JWT signed with ES256, and the key.
 * Source: RFC 8292 §2 (claims), §3 (the `vapid` scheme); RFC 7518 §3.4 (r ‖ s).
 */
export function vapidAuthorization(
  keys: VapidKeys,
  request: { readonly endpoint: string; readonly subject: string; readonly now: Date },
): string {
  const claims = {
    aud: new URL(request.endpoint).origin,
    exp: Math.floor(request.now.getTime() / 1_000) + LIFETIME_S,
    sub: request.subject,
  };
  const signed = `${base64url(JSON.stringify({ typ: "JWT", alg: "ES256" }))}.${base64url(JSON.stringify(claims))}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKeyOf(keys), dsaEncoding: "ieee-p1363" });
  return `vapid t=${signed}.${signature.toString("base64url")}, k=${Buffer.from(keys.publicKey).toString("base64url")}`;
}

function privateKeyOf(keys: VapidKeys) {
  const [x, y] = [keys.publicKey.subarray(1, 33), keys.publicKey.subarray(33, 65)].map((part) => Buffer.from(part).toString("base64url"));
  return createPrivateKey({
    key: { kty: "EC", crv: "P-256", x, y, d: Buffer.from(keys.privateKey).toString("base64url") } as never,
    format: "jwk",
  });
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
