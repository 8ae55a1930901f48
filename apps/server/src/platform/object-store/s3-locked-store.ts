import { createHash } from "node:crypto";
import type { HeadObjectCommandOutput } from "@aws-sdk/client-s3";
import { openS3, refusalOf, type S3 } from "./s3-bucket.ts";

/** An object that nobody may change or remove before a moment. `name`: of letters, digits, `.`, `-`, `_` and `/`. */
type LockedObject = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly until: Date;
};

/** A store of objects that locks them (S3 Object Lock). */
type LockedStore = {
  /**
   * Puts an object, and looks that it is locked. Put again it is another version of the same name: the first stays as it is.
   * Errors: throws `ObjectStoreError` when the store says no or did not lock it, and what `fetch` throws when it cannot be reached in time.
   */
  put(object: LockedObject): Promise<void>;
};

/** The store said no. The message is for the log: the call, the status and the store's own word for it (`AccessDenied`). */
export class ObjectStoreError extends Error {
  override readonly name = "ObjectStoreError";
}

/** `endpoint`: an origin. The bucket is named in the path, which every store of this kind takes. */
type S3StoreOptions = {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly keyId: string;
  readonly secret: string;
  /** A store that is silent for longer is away. */
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 15_000;

/** Gives the store behind an S3 address, whose bucket has Object Lock. */
export function createS3LockedStore(options: S3StoreOptions): LockedStore {
  let opened: Promise<S3> | null = null;
  const open = () => {
    opened ??= openS3({
      endpoint: options.endpoint,
      region: options.region,
      pathStyle: true,
      credentials: { accessKeyId: options.keyId, secretAccessKey: options.secret },
      attemptMs: options.timeoutMs ?? TIMEOUT_MS,
      // The queue tries again, and says so: a client that does it by itself hides for how long.
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
        // Twice what the bytes must be on arrival: some stores know MD5 alone, others ask for it of a locked object.
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
    // An answer that says nothing of a lock where it should.
    if (status === 200) throw new ObjectStoreError(NOT_LOCKED, { cause: error });
    throw new ObjectStoreError(
      call === "PUT" ? `PUT ${status} ${code}` : `HEAD ${status}: the lock cannot be looked at`,
      { cause: error },
    );
  };
}

/** Stores keep no others. */
function wholeSeconds(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / 1_000) * 1_000);
}

/** A store that knows no locks takes the demand all the same, and says nothing. */
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
