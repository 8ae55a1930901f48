import { sha256 } from "@noble/hashes/sha2.js";
import type { Checkpoint, CheckpointPayload } from "@paraphe/contracts";
import { fromBase64, toHex } from "@paraphe/kernel/bytes";
import {
  type Certificate,
  keyIdentifier,
  parseCertificate,
  type TimestampFacts,
  verifyTimestampToken,
} from "@paraphe/pades/parts";
import { readJwsHeader } from "../jws-header.ts";

/**
 * What a checkpoint's own word is worth. `form`: it cannot be read; `key`: not the key that it
 * names; `content`: what is signed is not what it says.
 */
export type CheckpointFault = "form" | "key" | "signature" | "content" | "timestamp";

/**
 * A checkpoint whose signature and time-stamp hold. Whose they are is for the caller to find out:
 * `certificates` (DER) is the seal's own first, then
 * its issuers; the time-stamp carries its authority's.
 */
export type CheckpointFacts = {
  readonly log: CheckpointPayload["log"];
  readonly previous: CheckpointPayload["previous"];
  readonly seal: Certificate;
  readonly certificates: readonly Uint8Array[];
  readonly timestamp: TimestampFacts;
};
export type CheckpointVerdict =
  | { readonly ok: true; readonly facts: CheckpointFacts }
  | { readonly ok: false; readonly fault: CheckpointFault };

/**
 * Checks a checkpoint by itself: the seal's signature, that what is signed says this size, root and
 * moment, and the time-stamp over the signature.
 * Source: RFC 7515 §5.2, RFC 7518 §3.4, RFC 8785, RFC 3161 §2.2.
 */
export async function verifyCheckpoint(checkpoint: Checkpoint): Promise<CheckpointVerdict> {
  try {
    return await verify(checkpoint);
  } catch {
    // A file that somebody brings may be anything: what cannot be read is no checkpoint.
    return { ok: false, fault: "form" };
  }
}

async function verify(checkpoint: Checkpoint): Promise<CheckpointVerdict> {
  const [header = "", payload = "", value = "", ...more] = checkpoint.signature.split(".");
  const read = readJwsHeader(textOf(header));
  if (read === null || more.length > 0) return { ok: false, fault: "form" };
  const certificates = read.x5c.map((text) => bytesOf(String(text)));
  const seal = parseCertificate(certificates[0] ?? new Uint8Array());
  if (toHex(await keyIdentifier(seal.subjectPublicKey)) !== checkpoint.key_id)
    return { ok: false, fault: "key" };
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const key = await crypto.subtle.importKey(
    "spki",
    copyOf(seal.subjectPublicKey),
    algorithm,
    false,
    ["verify"],
  );
  const signed = new TextEncoder().encode(`${header}.${payload}`);
  if (
    !(await crypto.subtle.verify(
      { name: "ECDSA", hash: "SHA-256" },
      key,
      copyOf(bytesOf(value)),
      signed,
    ))
  )
    return { ok: false, fault: "signature" };
  const stated = JSON.parse(textOf(payload)) as CheckpointPayload;
  if (canonical(checkpoint, stated) !== textOf(payload)) return { ok: false, fault: "content" };
  const imprint = sha256(new TextEncoder().encode(checkpoint.signature));
  try {
    const timestamp = await verifyTimestampToken(bytesOf(checkpoint.timestamp), { imprint });
    return {
      ok: true,
      facts: { log: stated.log, previous: stated.previous, seal, certificates, timestamp },
    };
  } catch {
    // Whatever is wrong with the token, it proves no time.
    return { ok: false, fault: "timestamp" };
  }
}

/**
 * What the seal must have signed: strings and whole numbers alone, their names in order, are
 * written by JSON as RFC 8785 has them.
 */
function canonical({ at, root, size }: Checkpoint, { log, previous }: CheckpointPayload): string {
  const before =
    previous === null ? null : { root: String(previous.root), size: Number(previous.size) };
  return JSON.stringify({ at, log: String(log), previous: before, root, size });
}

function textOf(base64: string): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(base64));
}

/** Base64 or base64url, padded or not. */
function bytesOf(base64: string): Uint8Array {
  return fromBase64(base64.replaceAll("-", "+").replaceAll("_", "/"));
}

/** WebCrypto takes bytes of a buffer of their own. */
function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
