import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { toBase64, toHex } from "@paraphe/kernel/bytes";
import type { OpenObject, Part, S3Bucket } from "../object-store/s3-bucket.ts";
import {
  AlteredFileError,
  createCheckedFiles,
  type FileStore,
  MissingFileError,
  STORE_ID,
  StoreAwayError,
  type StoreLedger,
} from "./file-store.ts";
import { hashOf } from "../content-hash.ts";

/** An answer has ten seconds. */
const DEADLINE_MS = 9_000;
const ID_FRESH_MS = 5_000;
/** Bytes: a verified file up to this size is served from memory, a larger one read again. */
const FROM_MEMORY = 1024 * 1024;
const PROBE = "probe";

/** Objects stand under `ab/cd/<SHA-256>`. */
export function openS3FileStore(bucket: S3Bucket, id: string, ledger: StoreLedger): FileStore {
  const store = {
    bucket,
    checked: createCheckedFiles<Omit<OpenObject, "body">>(),
    assertStore: idChecker(bucket, id),
  };
  return {
    async put(bytes) {
      const sha256 = hashOf(bytes);
      const signal = deadline();
      // Files of one tick share a statement.
      await Promise.all([store.assertStore(signal), ledger.admit(sha256)]);
      await putObject(bucket, { name: nameOf(sha256), bytes, sha256 }, signal);
      return sha256;
    },
    async get(sha256) {
      const { parts } = await readWhole(store, sha256, Number.POSITIVE_INFINITY);
      const bytes = Buffer.concat(parts ?? []);
      return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    },
    async stream(sha256, range) {
      const known = store.checked.get(nameOf(sha256));
      const streamed = known && (await streamPart(store, sha256, { known, range }));
      if (streamed) return streamed;
      const { seen, parts } = await readWhole(store, sha256, FROM_MEMORY);
      if (parts !== null)
        return Readable.from([
          Buffer.concat(parts).subarray(
            range?.start ?? 0,
            range === undefined ? undefined : range.end + 1,
          ),
        ]);
      return (await streamPart(store, sha256, { known: seen, range })) ?? altered(sha256);
    },
    async size(sha256) {
      const signal = deadline();
      const seen = await bucket.look(nameOf(sha256), signal);
      // Where the place is not the store, no file is lost.
      if (seen === null) await store.assertStore(signal);
      return seen?.sizeBytes ?? null;
    },
    async remove(sha256) {
      const signal = deadline();
      await store.assertStore(signal);
      await bucket.remove(nameOf(sha256), signal);
    },
    list: () => listFiles(bucket),
    async check() {
      const signal = deadline();
      await idChecker(bucket, id)(signal);
      await ledger.assertOpen();
      const bytes = new Uint8Array(1);
      await bucket.write({ name: PROBE, bytes, sha256: hashOf(bytes), onlyNew: false }, signal);
      await bucket.remove(PROBE, signal);
    },
  };
}

type Store = {
  readonly bucket: S3Bucket;
  readonly checked: ReturnType<typeof createCheckedFiles<Omit<OpenObject, "body">>>;
  assertStore(signal: AbortSignal): Promise<void>;
};

const deadline = (): AbortSignal => AbortSignal.timeout(DEADLINE_MS);

function nameOf(sha256: Uint8Array): string {
  const name = toHex(sha256);
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
}

function idChecker(bucket: S3Bucket, id: string): (signal: AbortSignal) => Promise<void> {
  let seenAt = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    if (performance.now() - seenAt < ID_FRESH_MS) return;
    if ((await readText(bucket, STORE_ID, signal)) !== id)
      throw new StoreAwayError("The bucket of STORAGE_URL is not the store of this database");
    seenAt = performance.now();
  };
}

export async function readText(
  bucket: S3Bucket,
  name: string,
  signal: AbortSignal = deadline(),
): Promise<string | null> {
  const opened = await bucket.read(name, null, signal);
  if (typeof opened === "string") return null;
  const parts: Uint8Array[] = [];
  for await (const part of partsOf({ bucket, name }, opened, { ...allOf(opened), signal }))
    parts.push(part);
  return Buffer.concat(parts).toString("utf8").trim();
}

/** An object of the same hash stays; an altered one is overwritten. */
async function putObject(
  bucket: S3Bucket,
  object: { name: string; bytes: Uint8Array; sha256: Uint8Array },
  signal: AbortSignal,
): Promise<void> {
  if ((await bucket.write({ ...object, onlyNew: true }, signal)) === "written") return;
  if (await isStored(bucket, object, signal)) return;
  await bucket.write({ ...object, onlyNew: false }, signal);
}

async function isStored(
  bucket: S3Bucket,
  { name, bytes, sha256 }: Parameters<typeof putObject>[1],
  signal: AbortSignal,
): Promise<boolean> {
  const seen = await bucket.look(name, signal);
  if (seen?.sizeBytes !== bytes.length) return false;
  if (seen.sha256 !== null) return seen.sha256 === toBase64(sha256);
  const opened = await bucket.read(name, null, signal);
  if (typeof opened === "string") return false;
  const hash = createHash("sha256");
  for await (const part of partsOf({ bucket, name }, opened, { ...allOf(opened), signal }))
    hash.update(part);
  return Buffer.compare(hash.digest(), sha256) === 0;
}

type Whole = {
  readonly seen: Omit<OpenObject, "body">;
  readonly parts: readonly Uint8Array[] | null;
};

/**
 * Reads again after a wrong hash, as damage in transit passes. Gives the bytes of files up to
 * `most`.
 */
async function readWhole(store: Store, sha256: Uint8Array, most: number): Promise<Whole> {
  const signal = deadline();
  for (let tries = 0; tries < 2; tries += 1) {
    const opened = await store.bucket.read(nameOf(sha256), null, signal);
    if (typeof opened === "string") return missing(store, sha256, signal);
    const hash = createHash("sha256");
    const parts: Uint8Array[] = [];
    for await (const part of partsOf({ bucket: store.bucket, name: nameOf(sha256) }, opened, {
      ...allOf(opened),
      signal,
    })) {
      hash.update(part);
      if (opened.sizeBytes <= most) parts.push(part);
    }
    if (Buffer.compare(hash.digest(), sha256) !== 0) continue;
    const seen = { sizeBytes: opened.sizeBytes, tag: opened.tag };
    store.checked.set(nameOf(sha256), seen);
    return { seen, parts: opened.sizeBytes <= most ? parts : null };
  }
  return altered(sha256);
}

type Range = { readonly start: number; readonly end: number };

/** Reads the object whose hash was verified; null once replaced. */
async function streamPart(
  store: Store,
  sha256: Uint8Array,
  { known, range }: { readonly known: Omit<OpenObject, "body">; readonly range: Range | undefined },
): Promise<Readable | null> {
  const part = {
    start: range?.start ?? 0,
    end: Math.min(range?.end ?? Number.POSITIVE_INFINITY, known.sizeBytes - 1),
    tag: known.tag,
  };
  if (part.end < part.start) return Readable.from([]);
  // The time ends at the first byte; then the reader sets the pace.
  const reading = new AbortController();
  const late = setTimeout(() => reading.abort(), DEADLINE_MS);
  try {
    const opened = await store.bucket.read(nameOf(sha256), part, reading.signal);
    if (opened === "changed") return null;
    if (opened === "absent") return await missing(store, sha256, reading.signal);
    const stream = Readable.from(
      partsOf({ bucket: store.bucket, name: nameOf(sha256) }, opened, {
        part,
        signal: reading.signal,
      }),
      {
        objectMode: false,
      },
    );
    return stream.once("close", () => reading.abort());
  } finally {
    clearTimeout(late);
  }
}

const allOf = ({ sizeBytes, tag }: OpenObject) => ({ part: { start: 0, end: sizeBytes - 1, tag } });

/** Resumes once, on the same object. */
async function* partsOf(
  { bucket, name }: { readonly bucket: S3Bucket; readonly name: string },
  first: OpenObject,
  { part, signal }: { readonly part: Part; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  let { start } = part;
  let opened: OpenObject | "absent" | "changed" = first;
  for (let tries = 1; ; tries += 1) {
    let fault: unknown = null;
    try {
      if (typeof opened === "string") throw new Error(`The object is ${opened}`);
      for await (const bytes of moving(opened.body)) {
        start += bytes.length;
        yield bytes;
      }
    } catch (error) {
      fault = error;
    }
    if (start === part.end + 1) return;
    if (tries === 2 || start > part.end || signal.aborted)
      throw new StoreAwayError("A file breaks off while it is read", { cause: fault });
    opened = await bucket.read(name, { ...part, start }, signal);
  }
}

/** Fails when the store sends nothing for a while; a slow reader is no fault. */
async function* moving(body: Readable): AsyncGenerator<Uint8Array> {
  const stop = () => body.destroy(new Error("The store stands still"));
  let late = setTimeout(stop, DEADLINE_MS);
  try {
    for await (const bytes of body) {
      clearTimeout(late);
      yield bytes;
      late = setTimeout(stop, DEADLINE_MS);
    }
  } finally {
    clearTimeout(late);
  }
}

async function missing(
  { assertStore }: Store,
  sha256: Uint8Array,
  signal: AbortSignal,
): Promise<never> {
  await assertStore(signal);
  throw new MissingFileError(`Nothing is stored under ${toHex(sha256)}`);
}

function altered(sha256: Uint8Array): never {
  throw new AlteredFileError(`The stored file ${toHex(sha256)} no longer has its hash`);
}

async function* listFiles(
  bucket: S3Bucket,
): AsyncIterable<{ sha256: Uint8Array; writtenAt: Date }> {
  for (let after: string | null = null; ; ) {
    const { objects, next }: Awaited<ReturnType<S3Bucket["list"]>> = await bucket.list(
      after,
      deadline(),
    );
    for (const { name, writtenAt } of objects) {
      const [, hex] = /^[0-9a-f]{2}\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name) ?? [];
      if (hex !== undefined) yield { sha256: new Uint8Array(Buffer.from(hex, "hex")), writtenAt };
    }
    if (next === null) return;
    after = next;
  }
}
