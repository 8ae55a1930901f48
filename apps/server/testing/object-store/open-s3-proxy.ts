import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { TEST_JVM } from "../../../../packages/pades/interop/tool.ts";
import type { BucketPlace } from "../../src/platform/settings/settings.ts";
import { findFreePort } from "../run-main.ts";
import type { AccessKey } from "./open-object-store.ts";

const LIBRARIES = fileURLToPath(new URL("../../../../.cache/interop/s3proxy/lib", import.meta.url));
const REGION = "us-east-1";

/** A second maker's store (S3Proxy), in memory, on loopback; it verifies signatures. */
export type TestS3Proxy = { readonly files: BucketPlace; close(): Promise<void> };

/** Why it cannot be opened, or false. An error under CI. */
export function missingS3Proxy(): string | false {
  if (existsSync(LIBRARIES)) return false;
  const why = "S3Proxy is not installed: npm test -- tools";
  if (process.env["CI"]) throw new Error(`${why}, and CI is set`);
  return why;
}

export async function openS3Proxy(key: AccessKey): Promise<TestS3Proxy> {
  const endpoint = `http://127.0.0.1:${await findFreePort()}`;
  const folder = await mkdtemp(join(tmpdir(), "paraphe-s3proxy-"));
  const settings = {
    "s3proxy.authorization": "aws-v2-or-v4",
    "s3proxy.endpoint": endpoint,
    "s3proxy.identity": key.AWS_ACCESS_KEY_ID,
    "s3proxy.credential": key.AWS_SECRET_ACCESS_KEY,
    "jclouds.provider": "transient-nio2",
    "jclouds.identity": "",
    "jclouds.credential": "",
    "jclouds.endpoint": "",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, "s3proxy.properties"), lines.join(""));
  await writeFile(
    join(folder, "logback.xml"),
    '<configuration><root level="OFF"/></configuration>',
  );
  const words = ["-Dlogback.configurationFile=logback.xml", ...TEST_JVM, "-cp", `${LIBRARIES}/*`];
  const child = spawn(
    "java",
    [...words, "org.gaul.s3proxy.Main", "--properties", "s3proxy.properties"],
    { cwd: folder, stdio: "ignore" },
  );
  let ended = false;
  child.once("exit", () => {
    ended = true;
  });
  const client = new AwsClient({
    accessKeyId: key.AWS_ACCESS_KEY_ID,
    secretAccessKey: key.AWS_SECRET_ACCESS_KEY,
    region: REGION,
    service: "s3",
    retries: 0,
  });
  const makeBucket = () =>
    client.fetch(`${endpoint}/fichiers`, { method: "PUT" }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await makeBucket())) {
    if (ended) throw new Error("S3Proxy ended as it started");
    await sleep(50);
  }
  return {
    files: {
      kind: "s3",
      bucket: "fichiers",
      prefix: "",
      endpoint,
      region: REGION,
      pathStyle: true,
    },
    async close() {
      if (!ended)
        await new Promise((resolve) => void (child.once("exit", resolve), child.kill("SIGKILL")));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
