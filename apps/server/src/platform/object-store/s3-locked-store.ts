import { createHash } from "node:crypto";
import { AwsClient } from "aws4fetch";
import { type LockedObject, type LockedStore, ObjectStoreError } from "./locked-store.ts";

/** `endpoint`: an origin. The bucket is named in the path, which every store of this kind takes. */
export type S3StoreOptions = {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly keyId: string;
  readonly secret: string;
  /** A store that is silent for longer is away. */
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 15_000;
/** Enough of an answer to find the word for what is wrong. */
const READ_BYTES = 4_096;

/** Gives the store behind an S3 address (AWS Signature Version 4), whose bucket has Object Lock. */
export function createS3LockedStore(options: S3StoreOptions): LockedStore {
  // The queue tries again, and says so: a client that does it by itself hides for how long.
  const client = new AwsClient({
    accessKeyId: options.keyId,
    secretAccessKey: options.secret,
    region: options.region,
    service: "s3",
    retries: 0,
  });
  const call = (method: "PUT" | "HEAD", name: string, more: { headers: Record<string, string>; body?: Uint8Array<ArrayBuffer> }) =>
    client.fetch(`${options.endpoint}/${options.bucket}/${name}`, {
      method,
      redirect: "error",
      signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
      ...more,
    });
  return {
    async put(object) {
      const answer = await call("PUT", object.name, { headers: lockHeaders(object), body: new Uint8Array(object.bytes) });
      if (!answer.ok) throw new ObjectStoreError(`PUT ${answer.status} ${await codeOf(answer)}`);
      await answer.body?.cancel();
      const seen = await call("HEAD", object.name, { headers: { "x-amz-content-sha256": sha256("").toString("hex") } });
      if (!seen.ok) throw new ObjectStoreError(`HEAD ${seen.status}: the lock cannot be looked at`);
      if (!isLocked(seen.headers, object)) throw new ObjectStoreError("the object was stored, and is not locked");
    },
  };
}

/** What the store must keep and for how long, what the bytes must be on arrival, twice: some stores know MD5 alone, others ask for it of a locked object. */
function lockHeaders({ bytes, contentType, until }: LockedObject): Record<string, string> {
  return {
    "content-type": contentType,
    "content-md5": createHash("md5").update(bytes).digest("base64"),
    "x-amz-content-sha256": sha256(bytes).toString("hex"),
    "x-amz-checksum-sha256": sha256(bytes).toString("base64"),
    "x-amz-object-lock-mode": "COMPLIANCE",
    "x-amz-object-lock-retain-until-date": wholeSeconds(until),
  };
}

/** A store that knows no locks takes the headers all the same, and says nothing. */
function isLocked(headers: Headers, { bytes, until }: LockedObject): boolean {
  const kept = new Date(headers.get("x-amz-object-lock-retain-until-date") ?? Number.NaN);
  return (
    headers.get("x-amz-object-lock-mode") === "COMPLIANCE" &&
    kept >= new Date(wholeSeconds(until)) &&
    headers.get("content-length") === String(bytes.length)
  );
}

async function codeOf(answer: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of answer.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length >= READ_BYTES) break;
  }
  return /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(text)?.[1] ?? "";
}

function sha256(bytes: Uint8Array | string): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function wholeSeconds(moment: Date): string {
  return moment.toISOString().replace(/\.\d{3}Z$/, "Z");
}
