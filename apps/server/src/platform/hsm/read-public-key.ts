import { createPublicKey, type JsonWebKey } from "node:crypto";
import type { PKCS11 } from "pkcs11js";
import { refuse } from "../settings/read-variable.ts";
import type { Hsm } from "./hsm.ts";
import type { Pkcs11Library, TokenSession } from "./token-session.ts";

/** DER of the named curve that documents are signed with: the profile's digest is SHA-256. Source: SEC 2; RFC 5480 §2.1.1. */
const CURVES = {
  "06082a8648ce3d030107": { crv: "P-256", bytes: 32, algorithm: "ecdsa-p256-sha256" },
} as const;

/** Gives the key's public half as a SubjectPublicKeyInfo, and what it signs with. Errors: `SettingsError` for another kind of key. */
export function readPublicKey(library: Pkcs11Library, module: PKCS11, session: TokenSession): Pick<Hsm, "subjectPublicKey" | "algorithm"> {
  const read = (type: number): Buffer => {
    const [attribute] = module.C_GetAttributeValue(session.handle, session.publicKey, [{ type }]);
    if (!Buffer.isBuffer(attribute?.value)) throw new Error("The token gives no such attribute of its key");
    return attribute.value;
  };
  const type = read(library.CKA_KEY_TYPE).readUInt32LE(0);
  if (type === library.CKK_RSA) {
    const jwk = {
      kty: "RSA",
      n: read(library.CKA_MODULUS).toString("base64url"),
      e: read(library.CKA_PUBLIC_EXPONENT).toString("base64url"),
    };
    return { subjectPublicKey: spkiOf(jwk), algorithm: "rsa-pkcs1-sha256" };
  }
  const name = type === library.CKK_EC ? read(library.CKA_EC_PARAMS).toString("hex") : "";
  const curve = Object.hasOwn(CURVES, name) ? CURVES[name as keyof typeof CURVES] : null;
  if (curve === null) return refuse("PKCS11_KEY", "nomme une clé d’un autre genre que P-256 ou RSA", "cachet");
  // The point is an OCTET STRING; some tokens give it bare. Its two coordinates are at its end either way.
  const point = read(library.CKA_EC_POINT).subarray(-2 * curve.bytes);
  const [x, y] = [point.subarray(0, curve.bytes), point.subarray(curve.bytes)].map((coordinate) => coordinate.toString("base64url"));
  return { subjectPublicKey: spkiOf({ kty: "EC", crv: curve.crv, x, y } as JsonWebKey), algorithm: curve.algorithm };
}

function spkiOf(key: JsonWebKey): Uint8Array {
  return new Uint8Array(createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "der" }));
}
