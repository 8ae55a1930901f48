import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { AwsClient } from "aws4fetch";
import type { BucketPlace, CheckpointStoreSettings } from "../../src/platform/settings/settings.ts";

const PROGRAM = fileURLToPath(
  new URL("../../../../.cache/interop/moto/bin/moto_server", import.meta.url),
);
const REGION = "eu-west-3";
/** docs/operations/settings.md grants these rights. */
const MAY_KEEP = ["s3:ListBucket", "s3:GetObject", "s3:PutObject", "s3:DeleteObject"];
const MAY_LOCK = ["s3:PutObject", "s3:PutObjectRetention", "s3:GetObject", "s3:GetObjectRetention"];

/**
 * An independent store of objects (Moto), on loopback: it verifies signatures, rights and locks.
 */
export type TestObjectStore = {
  /** Settings with a minimal key. `locked`: a bucket with Object Lock; `plain`: without. */
  readonly settings: Readonly<Record<"locked" | "plain", CheckpointStoreSettings>>;
  /** Each test has its own prefix. */
  readonly files: BucketPlace;
  /**
   * A sufficient key, one for reading, one without lists, one without rights, and an unknown one.
   */
  readonly keys: Readonly<
    Record<"files" | "reader" | "blind" | "powerless" | "unknown", AccessKey>
  >;
  /** Calls with every right, on a path below the endpoint. */
  asOwner(
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** The locked bucket's versions. */
  versions(): Promise<readonly { readonly name: string; readonly version: string }[]>;
  close(): Promise<void>;
};

export type AccessKey = {
  readonly AWS_ACCESS_KEY_ID: string;
  readonly AWS_SECRET_ACCESS_KEY: string;
};

/** Why no store can be opened, or false. An error under CI. */
export function missingObjectStore(): string | false {
  if (existsSync(PROGRAM)) return false;
  const why = "Moto is not installed: npm test -- tools";
  if (process.env["CI"]) throw new Error(`${why}, and CI is set`);
  return why;
}

export async function openObjectStore(): Promise<TestObjectStore> {
  const child = spawn(PROGRAM, ["-H", "127.0.0.1", "-p", "0"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, PYTHONUNBUFFERED: "1", NO_COLOR: "1" },
  });
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`Moto ended with code ${code}`)));
    createInterface({ input: child.stderr }).on("line", (line) => {
      const [, url] = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const owner = await makeKey(endpoint, "owner", ["s3:*"]);
  const service = await makeKey(endpoint, "service", MAY_LOCK);
  const keys = {
    files: asVariables(await makeKey(endpoint, "files", MAY_KEEP)),
    reader: asVariables(await makeKey(endpoint, "reader", ["s3:ListBucket", "s3:GetObject"])),
    blind: asVariables(
      await makeKey(
        endpoint,
        "blind",
        MAY_KEEP.filter((action) => action !== "s3:ListBucket"),
      ),
    ),
    powerless: asVariables(await makeKey(endpoint, "powerless", ["s3:ListAllMyBuckets"])),
    unknown: { AWS_ACCESS_KEY_ID: "AKIAPERSONNE", AWS_SECRET_ACCESS_KEY: "rien" },
  };
  const client = new AwsClient({ ...owner, region: REGION, service: "s3", retries: 0 });
  const asOwner: TestObjectStore["asOwner"] = (method, path, headers = {}) =>
    client.fetch(`${endpoint}${path}`, { method, headers });
  for (const [bucket, lock] of [
    ["temoin", "true"],
    ["ordinaire", "false"],
    ["fichiers", "false"],
  ] as const) {
    const body = `<CreateBucketConfiguration><LocationConstraint>${REGION}</LocationConstraint></CreateBucketConfiguration>`;
    const made = await client.fetch(`${endpoint}/${bucket}`, {
      method: "PUT",
      headers: { "x-amz-bucket-object-lock-enabled": lock },
      body,
    });
    if (!made.ok) throw new Error(`Moto made no bucket: ${made.status}`);
  }
  // From here on signatures and rights are verified.
  await fetch(`${endpoint}/moto-api/reset-auth`, { method: "POST", body: "0" });
  const settingsOf = (bucket: string) => ({
    endpoint,
    region: REGION,
    bucket,
    folder: "journal/",
    keyId: service.accessKeyId,
    secret: service.secretAccessKey,
    days: 3_653,
  });
  return {
    settings: { locked: settingsOf("temoin"), plain: settingsOf("ordinaire") },
    files: {
      kind: "s3",
      bucket: "fichiers",
      prefix: "",
      endpoint,
      region: REGION,
      pathStyle: true,
    },
    keys,
    asOwner,
    async versions() {
      const listed = await (await asOwner("GET", "/temoin?versions=")).text();
      return [...listed.matchAll(/<Version>.*?<\/Version>/gs)].map(([part]) => ({
        name: inside(part, "Key"),
        version: inside(part, "VersionId"),
      }));
    },
    close: () =>
      new Promise((resolve) => {
        child.removeAllListeners("exit").once("exit", () => resolve());
        child.kill("SIGKILL");
      }),
  };
}

/** Before the store verifies callers. */
async function makeKey(endpoint: string, name: string, actions: readonly string[]) {
  const nobody = new AwsClient({
    accessKeyId: "nobody",
    secretAccessKey: "nobody",
    region: "us-east-1",
    service: "iam",
    retries: 0,
  });
  const ask = async (values: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({
      Version: "2010-05-08",
      UserName: name,
      ...values,
    }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return (await nobody.fetch(`${endpoint}/`, { method: "POST", headers, body })).text();
  };
  await ask({ Action: "CreateUser" });
  const policy = {
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: actions, Resource: "*" }],
  };
  await ask({ Action: "PutUserPolicy", PolicyName: name, PolicyDocument: JSON.stringify(policy) });
  const key = await ask({ Action: "CreateAccessKey" });
  return {
    accessKeyId: inside(key, "AccessKeyId"),
    secretAccessKey: inside(key, "SecretAccessKey"),
  };
}

function asVariables({
  accessKeyId,
  secretAccessKey,
}: {
  accessKeyId: string;
  secretAccessKey: string;
}): AccessKey {
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
}

function inside(text: string, tag: string): string {
  return new RegExp(`<${tag}>([^<]+)<`).exec(text)?.[1] ?? "";
}
