import { createHash } from "node:crypto";
import type { HeadObjectCommandOutput } from "@aws-sdk/client-s3";
import { openS3, refusalOf, type S3 } from "./s3-bucket.ts";

/** Immutable until a moment. `name`: letters, digits, `.`, `-`, `_`, `/`. */
type LockedObject = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly until: Date;
};

type LockedStore = {
  /**
   * Puts an object and verifies its lock. A second put adds a version; the first stays.
   * Errors: `ObjectStoreError` for a refusal or a missing lock; `fetch`'s when the store is away.
   */
  put(object: LockedObject): Promise<void>;
};

/** The message is for the log: call, status and the store's code (`AccessDenied`). */
export class ObjectStoreError extends Error {
  override readonly name = "ObjectStoreError";
}

/** `endpoint`: an origin. Path-style, which every such store supports. */
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
      // The queue retries and logs; a retrying client would hide an outage.
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
        // Both: some stores know MD5 only, others require it of locked objects.
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
    // The answer lacks the lock.
    if (status === 200) throw new ObjectStoreError(NOT_LOCKED, { cause: error });
    throw new ObjectStoreError(
      call === "PUT" ? `PUT ${status} ${code}` : `HEAD ${status}: the lock cannot be looked at`,
      { cause: error },
    );
  };
}

/** Stores round to seconds. */
function wholeSeconds(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / 1_000) * 1_000);
}

/** A store without locks accepts the call silently. */
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
