import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  missingObjectStore,
  openObjectStore,
  type TestObjectStore,
} from "../../apps/server/testing/object-store/open-object-store.ts";
import type { CheckpointStoreSettings } from "../../apps/server/src/platform/settings/settings.ts";
import type { ApiClient } from "../support/api-client.ts";
import { runHere } from "../support/run-here.ts";
import { findFreePort, type RunningServer, startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";
import { personOf } from "../support/of-this-worker.ts";

const OWNER = personOf("maelle", "Maëlle Ÿs");
const WITHIN = { timeout: 60_000, interval: 500 };
const SECRET = "jamais-dans-un-journal";
let away: CheckpointStoreSettings;

let server: RunningServer;
let owner: ApiClient;
let copies: string;
let metricsPort: number;
let env: Record<string, string>;

const storeSettings = ({ endpoint, region, bucket, keyId, secret }: CheckpointStoreSettings) => ({
  CHECKPOINT_S3_ENDPOINT: endpoint,
  CHECKPOINT_S3_REGION: region,
  CHECKPOINT_S3_BUCKET: bucket,
  CHECKPOINT_S3_KEY_ID: keyId,
  CHECKPOINT_S3_SECRET: secret,
});

beforeAll(async () => {
  copies = await mkdtemp(join(tmpdir(), "paraphe-copies-"));
  metricsPort = await findFreePort();
  // Nothing listens there.
  const endpoint = `http://127.0.0.1:${await findFreePort()}`;
  away = {
    endpoint,
    region: "r",
    bucket: "seau",
    folder: "",
    keyId: "cle",
    secret: SECRET,
    days: 10,
  };
  env = { RATE_LIMITS: "off", CHECKPOINT_DIR: copies, METRICS_LISTEN: `127.0.0.1:${metricsPort}` };
  server = await startServer({
    env: { ...env, ...storeSettings(away) },
    port: await findFreePort(),
  });
  owner = await story.signUp(server.url, OWNER);
}, 240_000);
afterAll(async () => {
  owner?.close();
  await server?.close();
  await rm(copies, { recursive: true, force: true });
});

const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/api/metrics`)).text();
const audit = () =>
  runHere(["audit", "check"], {
    DATA_DIR: server.dataDir,
    ...env,
    METRICS_LISTEN: "",
    ...storeSettings(away),
  });

test("an absent store delays no completion: the folder has its copy, and metrics and audit report the failure", async () => {
  await story.selfSign(owner, "Maëlle Ÿs");
  await expect.poll(() => readdir(copies), WITHIN).toEqual(["checkpoint-000000000001.json"]);
  await expect.poll(metrics, WITHIN).toContain('paraphe_checkpoint_copy_failing{place="s3"} 1');
  const said = await metrics();
  for (const line of [
    'paraphe_checkpoint_copy_failing{place="folder"} 0',
    'paraphe_checkpoint_copy_missing{place="s3"} 1',
    "paraphe_log_waiting_heads 0",
  ])
    expect(said).toContain(line);
  const { code, output } = await audit();
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/- stockage verrouillé .*en échec depuis le .*ECONNREFUSED/),
  ]);
  expect(said + output).not.toContain(SECRET);
});

test.skipIf(missingObjectStore())(
  "a store back at the next start gets the missing copies, which nobody can delete",
  async () => {
    const store: TestObjectStore = await openObjectStore();
    try {
      await server.stop();
      server = await startServer({
        env: { ...env, ...storeSettings(store.settings.locked) },
        dataDir: server.dataDir,
        port: Number(new URL(server.localUrl).port),
      });
      // The copy runs every five minutes; a completion asks for it at once.
      await story.selfSign(owner, "Maëlle Ÿs");
      await expect.poll(async () => (await store.versions()).length, WITHIN).toBe(2);
      for (const { name, version } of await store.versions())
        expect((await store.asOwner("DELETE", `/temoin/${name}?versionId=${version}`)).status).toBe(
          403,
        );
    } finally {
      await store.close();
    }
  },
  120_000,
);
