export type Statement = {
  /** UUID of the print, in the address's path. */
  readonly printId: string;
  /** From 1; 0 for an added page, which speaks for the whole document. */
  readonly pageNumber: number;
  readonly pageCount: number;
  /** First 16 bytes of the signed file's SHA-256. */
  readonly hashPrefix: Uint8Array;
  /** Day of the copy, UTC: `AAAA-MM-JJ`. */
  readonly madeOn: string;
};

/**
 * A parsed statement, not verified. `keyId`: first 4 bytes of the SHA-256 of SubjectPublicKeyInfo.
 */
export type SignedStatement = {
  readonly statement: Statement;
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
};

/** ECDSA on P-256 with SHA-256. `sign` gives r‖s (64 bytes); `subjectPublicKey` is DER. */
export type StatementKey = {
  readonly subjectPublicKey: Uint8Array;
  sign(data: Uint8Array): Promise<Uint8Array>;
};

export const HASH_PREFIX_BYTES = 16;
const VERSION = 1;
const KEY_ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
/** Version, key, day, page, pages, hash: big-endian. */
const HEAD_BYTES = 1 + KEY_ID_BYTES + 2 + 2 + 2 + HASH_PREFIX_BYTES;
const DAY_MS = 86_400_000;
/** Domain separation from other signatures of this key. */
const DOMAIN = new TextEncoder().encode("paraphe-print-statement\0");
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** `HEAD_BYTES + SIGNATURE_BYTES` in base64url. */
const WRITTEN = /^[A-Za-z0-9_-]{122}$/;

/**
 * The fragment of a page's QR code: 122 base64url characters.
 * Shape: version (1 byte) ‖ key id (4) ‖ day since 1970 (2) ‖ page (2) ‖ pages (2) ‖ hash prefix
 * (16) ‖ r‖s (64), over the domain, the print's id (16 bytes) and all before the signature.
 * Errors: RangeError for a value that does not fit; TypeError for an id that is no UUID.
 */
export async function signStatement(statement: Statement, key: StatementKey): Promise<string> {
  const head = writeHead(statement, await keyIdOf(key.subjectPublicKey));
  const signature = await key.sign(signedBytes(statement.printId, head));
  if (signature.length !== SIGNATURE_BYTES)
    throw new TypeError("Expected an ECDSA value of two halves of 32 bytes");
  return toBase64Url(Uint8Array.of(...head, ...signature));
}

/** Verifies nothing; null for an unknown version or form. */
export function readStatement(printId: string, fragment: string): SignedStatement | null {
  if (!UUID.test(printId) || !WRITTEN.test(fragment)) return null;
  const bytes = fromBase64Url(fragment);
  // The last base64url character has unused bits.
  if (toBase64Url(bytes) !== fragment || bytes[0] !== VERSION) return null;
  const view = new DataView(bytes.buffer);
  const pageNumber = view.getUint16(1 + KEY_ID_BYTES + 2);
  const pageCount = view.getUint16(1 + KEY_ID_BYTES + 4);
  if (pageCount === 0 || pageNumber > pageCount) return null;
  return {
    statement: {
      printId: printId.toLowerCase(),
      pageNumber,
      pageCount,
      hashPrefix: bytes.slice(HEAD_BYTES - HASH_PREFIX_BYTES, HEAD_BYTES),
      madeOn: new Date(view.getUint16(1 + KEY_ID_BYTES) * DAY_MS).toISOString().slice(0, 10),
    },
    keyId: bytes.slice(1, 1 + KEY_ID_BYTES),
    signature: bytes.slice(HEAD_BYTES),
  };
}

/**
 * Gives the key that verifies it, null when none does. `keys` are DER SubjectPublicKeyInfo; only
 * P-256 counts.
 */
export async function verifyStatement(
  signed: SignedStatement,
  keys: readonly Uint8Array[],
): Promise<Uint8Array | null> {
  const data = signedBytes(signed.statement.printId, writeHead(signed.statement, signed.keyId));
  for (const subjectPublicKey of keys) {
    if (!isSame(await keyIdOf(subjectPublicKey), signed.keyId)) continue;
    if (await isSignedBy(subjectPublicKey, signed.signature, data)) return subjectPublicKey;
  }
  return null;
}

async function isSignedBy(
  subjectPublicKey: Uint8Array,
  signature: Uint8Array,
  data: Uint8Array,
): Promise<boolean> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const key = await crypto.subtle
    .importKey("spki", subjectPublicKey as BufferSource, algorithm, false, ["verify"])
    .catch(() => null);
  return (
    key !== null &&
    crypto.subtle.verify(
      { name: "ECDSA", hash: "SHA-256" },
      key,
      signature as BufferSource,
      data as BufferSource,
    )
  );
}

/** WebCrypto: the public page then loads no hash library. */
async function keyIdOf(subjectPublicKey: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.digest("SHA-256", subjectPublicKey as BufferSource),
  ).slice(0, KEY_ID_BYTES);
}

const isSame = (left: Uint8Array, right: Uint8Array): boolean =>
  left.every((byte, index) => byte === right[index]);

function writeHead(statement: Statement, keyId: Uint8Array): Uint8Array {
  const { pageNumber, pageCount, hashPrefix, madeOn } = statement;
  const day = Date.parse(`${madeOn}T00:00:00Z`) / DAY_MS;
  const isNumbered = [day, pageNumber, pageCount].every(
    (value) => Number.isInteger(value) && value >= 0 && value <= 0xffff,
  );
  if (!isNumbered || pageCount === 0 || pageNumber > pageCount)
    throw new RangeError("Expected a page of at most 65 535, and a day from 1970 on");
  if (hashPrefix.length !== HASH_PREFIX_BYTES)
    throw new RangeError(`Expected ${HASH_PREFIX_BYTES} bytes of the hash`);
  const head = new Uint8Array(HEAD_BYTES);
  const view = new DataView(head.buffer);
  head[0] = VERSION;
  head.set(keyId, 1);
  view.setUint16(1 + KEY_ID_BYTES, day);
  view.setUint16(1 + KEY_ID_BYTES + 2, pageNumber);
  view.setUint16(1 + KEY_ID_BYTES + 4, pageCount);
  head.set(hashPrefix, HEAD_BYTES - HASH_PREFIX_BYTES);
  return head;
}

function signedBytes(printId: string, head: Uint8Array): Uint8Array {
  if (!UUID.test(printId)) throw new TypeError("Expected a UUID");
  const id = printId.replaceAll("-", "").match(/../g) ?? [];
  return Uint8Array.of(...DOMAIN, ...id.map((byte) => Number.parseInt(byte, 16)), ...head);
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );
}
