import { setMaxListeners } from "node:events";
import type { Readable } from "node:stream";
import type * as Sdk from "@aws-sdk/client-s3";
import { toBase64 } from "@paraphe/kernel/bytes";
import { MissingFileError, StorageFullError, StoreAwayError } from "../files/file-store.ts";
import type { BucketPlace } from "../settings/settings.ts";
import { createHash } from "node:crypto";
import type { HeadObjectCommandOutput } from "@aws-sdk/client-s3";

/** `endpoint` null: Amazon; `credentials` null: the SDK's sources. */
type S3Address = {
  readonly endpoint: string | null;
  readonly region: string;
  readonly pathStyle: boolean;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  readonly attemptMs: number;
  readonly attempts: number;
};

type S3 = { readonly sdk: typeof Sdk; readonly client: Sdk.S3Client };

const CONNECT_MS = 2_000;

/** Loaded on demand, as folders need no SDK. */
async function openS3({
  endpoint,
  region,
  pathStyle,
  credentials,
  attemptMs,
  attempts,
}: S3Address): Promise<S3> {
  const sdk = await import("@aws-sdk/client-s3");
  const client = new sdk.S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === null ? {} : { credentials }),
    maxAttempts: attempts,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Stores that ignore it cost six seconds.
    expectContinueHeader: false,
    followRegionRedirects: false,
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_MS, attemptMs),
      requestTimeout: attemptMs,
      throwOnRequestTimeout: true,
      socketTimeout: 0,
    },
  });
  return { sdk, client };
}

/** `status` null: no answer; `code`: the store's. */
type S3Refusal = {
  readonly status: number | null;
  readonly code: string;
  readonly message: string;
};

export function refusalOf(error: unknown): S3Refusal {
  const { name = "", message = "", $metadata } = error as Partial<Sdk.S3ServiceException>;
  return { status: $metadata?.httpStatusCode ?? null, code: name, message };
}

/** `sha256`: base64, or null; `tag`: the ETag. */
type StoredObject = {
  readonly sizeBytes: number;
  readonly tag: string;
  readonly sha256: string | null;
};
export type OpenObject = Pick<StoredObject, "sizeBytes" | "tag"> & { readonly body: Readable };
export type Part = { readonly start: number; readonly end: number; readonly tag: string };

/**
 * Objects below a prefix, consistent for a read after a write.
 * Errors: `StoreAwayError` on a refusal or the signal, which also ends a read; `StorageFullError`.
 */
export type S3Bucket = {
  look(name: string, signal: AbortSignal): Promise<StoredObject | null>;
  read(
    name: string,
    part: Part | null,
    signal: AbortSignal,
  ): Promise<OpenObject | "absent" | "changed">;
  /** `onlyNew` works where the store honours conditions. */
  write(
    object: { name: string; bytes: Uint8Array; sha256: Uint8Array; onlyNew: boolean },
    signal: AbortSignal,
  ): Promise<"written" | "there">;
  remove(name: string, signal: AbortSignal): Promise<void>;
  list(after: string | null, signal: AbortSignal): Promise<ListedPage>;
};
type ListedPage = {
  readonly objects: readonly { readonly name: string; readonly writtenAt: Date }[];
  readonly next: string | null;
};

/** A call's nine seconds have room for two tries. */
const ATTEMPT_MS = 4_300;
const ATTEMPTS = 3;

export async function openBucket(place: BucketPlace): Promise<S3Bucket> {
  const s3 = await openS3({
    ...place,
    credentials: null,
    attemptMs: ATTEMPT_MS,
    attempts: ATTEMPTS,
  });
  const { sdk, client } = s3;
  const at = (name: string) => ({ Bucket: place.bucket, Key: `${place.prefix}${name}` });
  return {
    async look(name, signal) {
      const seen = await unless404(
        within(signal, (options) =>
          client.send(new sdk.HeadObjectCommand({ ...at(name), ChecksumMode: "ENABLED" }), options),
        ),
      );
      if (seen === null) return null;
      return {
        sizeBytes: seen.ContentLength ?? -1,
        tag: seen.ETag ?? "",
        sha256: seen.ChecksumSHA256 ?? null,
      };
    },
    read: (name, part, signal) => read({ ...s3, at: at(name) }, part, signal),
    write: (object, signal) => write({ ...s3, at: at(object.name) }, object, signal),
    async remove(name, signal) {
      await unless404(
        within(signal, (options) => client.send(new sdk.DeleteObjectCommand(at(name)), options)),
      );
    },
    async list(after, signal) {
      const asked = {
        Bucket: place.bucket,
        Prefix: place.prefix,
        ...(after === null ? {} : { ContinuationToken: after }),
      };
      const page = await within(signal, (options) =>
        client.send(new sdk.ListObjectsV2Command(asked), options),
      );
      const objects = (page.Contents ?? []).map(({ Key = "", LastModified = new Date(0) }) => ({
        name: Key.slice(place.prefix.length),
        writtenAt: LastModified,
      }));
      return { objects, next: page.NextContinuationToken ?? null };
    },
  };
}

type S3Object = S3 & { readonly at: { Bucket: string; Key: string } };

async function read(
  { sdk, client, at }: S3Object,
  part: Part | null,
  signal: AbortSignal,
): Promise<OpenObject | "absent" | "changed"> {
  const asked =
    part === null ? {} : { Range: `bytes=${part.start}-${part.end}`, IfMatch: part.tag };
  try {
    const answer = await unless404(
      within(signal, (options) =>
        client.send(new sdk.GetObjectCommand({ ...at, ...asked }), options),
      ),
    );
    if (answer === null) return "absent";
    return {
      sizeBytes: answer.ContentLength ?? -1,
      tag: answer.ETag ?? "",
      body: answer.Body as Readable,
    };
  } catch (error) {
    if (part !== null && [412, 416].includes(refusalOf((error as Error).cause).status ?? 0))
      return "changed";
    throw error;
  }
}

async function write(
  { sdk, client, at }: S3Object,
  { bytes, sha256, onlyNew }: Parameters<S3Bucket["write"]>[0],
  signal: AbortSignal,
): Promise<"written" | "there"> {
  const put = (condition: { IfNoneMatch?: string }) =>
    within(signal, (options) =>
      client.send(
        new sdk.PutObjectCommand({
          ...at,
          ...condition,
          Body: bytes,
          ContentType: "application/octet-stream",
          ChecksumAlgorithm: "SHA256",
          ChecksumSHA256: toBase64(sha256),
        }),
        options,
      ),
    );
  try {
    await put(onlyNew ? { IfNoneMatch: "*" } : {});
    return "written";
  } catch (error) {
    const { status } = refusalOf((error as Error).cause);
    // 409: somebody else writes it at this moment.
    if (onlyNew && (status === 412 || status === 409)) return "there";
    // Tolerance: stores that answer 501 to conditions.
    if (!onlyNew || status !== 501) throw error;
    await put({});
    return "written";
  }
}

async function within<T>(
  signal: AbortSignal,
  call: (options: { abortSignal: AbortSignal }) => Promise<T>,
): Promise<T> {
  setMaxListeners(0, signal);
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error("No answer in time"));
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([call({ abortSignal: signal }), late]);
  } catch (error) {
    throw storeError(error);
  }
}

const FULL = /quota|insufficient.?storage|storage.?full|no space left/i;

/** Stores say « full » by many codes, some by a refusal of rights. */
function storeError(error: unknown): Error {
  const { status, code, message } = refusalOf(error);
  if (status === 404 && code !== "NoSuchBucket")
    return new MissingFileError("There is no such object", { cause: error });
  if (status === 507 || (status !== null && FULL.test(`${code} ${message}`)))
    return new StorageFullError("The bucket of STORAGE_URL has no room left", { cause: error });
  return new StoreAwayError(
    `The bucket of STORAGE_URL does not do it: ${status ?? "no answer"} ${code}`,
    { cause: error },
  );
}

async function unless404<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof MissingFileError) return null;
    throw error;
  });
}

/** Locked until a moment. `name`: letters, digits, `.`, `-`, `_`, `/`. */
type LockedObject = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly until: Date;
};

type LockedStore = {
  /**
   * Verifies the lock. A second put adds a version.
   * Errors: `ObjectStoreError` for a refusal or a missing lock; `fetch`'s when away.
   */
  put(object: LockedObject): Promise<void>;
};

/** The log shows call, status and the store's code (`AccessDenied`). */
export class ObjectStoreError extends Error {
  override readonly name = "ObjectStoreError";
}

/** `endpoint` is an origin. Path-style, as all stores support it. */
type S3StoreOptions = {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly keyId: string;
  readonly secret: string;
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 15_000;

export function createS3LockedStore(options: S3StoreOptions): LockedStore {
  let opened: Promise<S3> | null = null;
  const open = () => {
    opened ??= openS3({
      endpoint: options.endpoint,
      region: options.region,
      pathStyle: true,
      credentials: { accessKeyId: options.keyId, secretAccessKey: options.secret },
      attemptMs: options.timeoutMs ?? TIMEOUT_MS,
      // The queue retries; a retrying client would hide an outage.
      attempts: 1,
    });
    return opened;
  };
  return {
    async put({ name, bytes, contentType, until }) {
      const { sdk, client } = await open();
      const at = { Bucket: options.bucket, Key: name };
      const put = new sdk.PutObjectCommand({
        ...at,
        Body: bytes,
        ContentType: contentType,
        // Some stores know MD5 only, others require it of locked objects.
        ContentMD5: createHash("md5").update(bytes).digest("base64"),
        ChecksumSHA256: createHash("sha256").update(bytes).digest("base64"),
        ObjectLockMode: "COMPLIANCE",
        ObjectLockRetainUntilDate: wholeSeconds(until),
      });
      await client.send(put).catch(refused("PUT"));
      const seen = await client.send(new sdk.HeadObjectCommand(at)).catch(refused("HEAD"));
      if (!isLocked(seen, { bytes, until })) throw new ObjectStoreError(NOT_LOCKED);
    },
  };
}

const NOT_LOCKED = "the object was stored, and is not locked";

function refused(call: "PUT" | "HEAD"): (error: unknown) => never {
  return (error) => {
    const { status, code } = refusalOf(error);
    if (status === null) throw error;
    if (status === 200) throw new ObjectStoreError(NOT_LOCKED, { cause: error });
    throw new ObjectStoreError(
      call === "PUT" ? `PUT ${status} ${code}` : `HEAD ${status}: the lock cannot be looked at`,
      { cause: error },
    );
  };
}

/** Stores round times to seconds. */
function wholeSeconds(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / 1_000) * 1_000);
}

/** Asks for the lock itself, as stores without locks accept the call. */
function isLocked(
  seen: HeadObjectCommandOutput,
  { bytes, until }: Pick<LockedObject, "bytes" | "until">,
): boolean {
  const kept = seen.ObjectLockRetainUntilDate?.getTime() ?? Number.NaN;
  return (
    seen.ObjectLockMode === "COMPLIANCE" &&
    kept >= wholeSeconds(until).getTime() &&
    seen.ContentLength === bytes.length
  );
}
