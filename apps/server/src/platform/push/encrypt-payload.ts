import { createCipheriv, createECDH, hkdfSync } from "node:crypto";
import type { PushTarget } from "./push-transport.ts";

const RECORD_SIZE = 4_096;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 16 + 4 + 1 + 65;
/** RFC 8291 §4: a push service need not take a body of more than 4 096 bytes; one of them is the padding's delimiter. */
const MAXIMUM_PLAINTEXT = RECORD_SIZE - HEADER_LENGTH - TAG_LENGTH - 1;
/** RFC 8188 §2: the delimiter of the last record. */
const LAST_RECORD = 2;

/**
 * Encrypts a message for one browser: `aes128gcm`, in one record.
 * `salt` (16 bytes) and `senderPrivateKey` (32) must be drawn afresh for each message.
 * Errors: throws when the receiver's key is no point of the curve, or the text is too long.
 * Source: RFC 8291 §3.4; RFC 8188 §2.1.
 */
export function encryptPayload(
  plaintext: Uint8Array,
  target: Pick<PushTarget, "publicKey" | "authSecret">,
  fresh: { readonly salt: Uint8Array; readonly senderPrivateKey: Uint8Array },
): Uint8Array {
  if (plaintext.length > MAXIMUM_PLAINTEXT) throw new RangeError("The message is too long for a push service");
  const sender = createECDH("prime256v1");
  sender.setPrivateKey(fresh.senderPrivateKey);
  const senderPublicKey = sender.getPublicKey();
  const shared = sender.computeSecret(target.publicKey);
  const ikm = derive(shared, target.authSecret, { info: [text("WebPush: info\0"), target.publicKey, senderPublicKey], length: 32 });
  const key = derive(ikm, fresh.salt, { info: [text("Content-Encoding: aes128gcm\0")], length: 16 });
  const nonce = derive(ikm, fresh.salt, { info: [text("Content-Encoding: nonce\0")], length: 12 });
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const record = [cipher.update(plaintext), cipher.update(Uint8Array.of(LAST_RECORD)), cipher.final(), cipher.getAuthTag()];
  return new Uint8Array(Buffer.concat([header(fresh.salt, senderPublicKey), ...record]));
}

/** RFC 8188 §2.1: salt ‖ record size ‖ length of the key's name ‖ its name, which is the sender's public key (RFC 8291 §4). */
function header(salt: Uint8Array, senderPublicKey: Uint8Array): Uint8Array {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_SIZE);
  return Buffer.concat([salt, size, Uint8Array.of(senderPublicKey.length), senderPublicKey]);
}

function derive(
  secret: Uint8Array,
  salt: Uint8Array,
  output: { readonly info: readonly Uint8Array[]; readonly length: number },
): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, salt, Buffer.concat(output.info), output.length));
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}
