import { createECDH } from "node:crypto";
import { describe, expect, test } from "vitest";
import { decrypt } from "../../../testing/push-receiver.ts";
import { encryptPayload } from "./encrypt-payload.ts";

const bytes = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));

/** RFC 8291, appendix A. */
const VECTOR = {
  plaintext: "When I grow up, I want to be a watermelon",
  receiverPublicKey: bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
  receiverPrivateKey: bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"),
  senderPrivateKey: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
  salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"),
  authSecret: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
  body:
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml" +
    "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT" +
    "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};
const target = { publicKey: VECTOR.receiverPublicKey, authSecret: VECTOR.authSecret };
const receiver = { privateKey: VECTOR.receiverPrivateKey, authSecret: VECTOR.authSecret };
const encode = (text: string) => new TextEncoder().encode(text);

describe("the encryption of a push message", () => {
  test("is that of RFC 8291, appendix A, to the byte", () => {
    expect(Buffer.from(encryptPayload(encode(VECTOR.plaintext), target, VECTOR)).toString("base64url")).toBe(VECTOR.body);
  });

  test("is undone by the receiver alone, up to the longest message", () => {
    const longest = "é".repeat(1_996) + "x";
    expect(decrypt(encryptPayload(encode(longest), target, VECTOR), receiver)).toBe(longest);
    expect(encryptPayload(encode(longest), target, VECTOR)).toHaveLength(4_096);
    const other = createECDH("prime256v1");
    other.generateKeys();
    expect(() => decrypt(encryptPayload(encode("x"), target, VECTOR), { ...receiver, privateKey: other.getPrivateKey() })).toThrow();
    expect(() => decrypt(encryptPayload(encode("x"), target, VECTOR), { ...receiver, authSecret: new Uint8Array(16) })).toThrow();
  });

  test("takes no longer message, and no key that is none", () => {
    expect(() => encryptPayload(new Uint8Array(3_994), target, VECTOR)).toThrow(RangeError);
    const offCurve = VECTOR.receiverPublicKey.slice();
    offCurve[64] = (offCurve[64] ?? 0) ^ 1;
    expect(() => encryptPayload(encode("x"), { ...target, publicKey: offCurve }, VECTOR)).toThrow();
  });
});
