import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeJournals } from "../../../testing/journals.ts";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { createTrust, type Trust } from "../trust/index.ts";
import { createTransparency, makeCheckpoint } from "./index.ts";

let platform: TestPlatform;
let trust: Trust;
let folder: string;

beforeEach(async () => {
  platform = await createTestPlatform();
  trust = await createTrust(platform);
  folder = await mkdtemp(join(tmpdir(), "paraphe-checkpoints-"));
});
afterEach(async () => {
  await platform.close();
  await rm(folder, { recursive: true, force: true });
});

const witnessed = () => createTransparency({ platform: { ...platform, settings: { ...platform.settings, checkpointDir: folder } }, trust });
const names = async () => (await readdir(folder)).toSorted();

test("copies are one file for each checkpoint, whole, and nothing else", async () => {
  const { checkpoint } = witnessed();
  await writeJournals(platform, 2);
  await checkpoint();
  await writeJournals(platform, 1);
  await checkpoint();
  await checkpoint();
  expect(await names()).toEqual(["checkpoint-000000000002.json", "checkpoint-000000000003.json"]);
  const inclusionOf = JSON.parse(await readFile(join(folder, "checkpoint-000000000003.json"), "utf8"));
  const { rows } = await sql<{ root: string }>`select encode(root, 'hex') as root from transparency_checkpoints where size = 3`.execute(
    platform.db,
  );
  expect(inclusionOf.root).toBe(rows[0]?.root);
});

test("copies catch up with what a folder that was away missed; one taken away does no harm", async () => {
  await writeJournals(platform, 1);
  await makeCheckpoint({ platform, trust });
  await writeJournals(platform, 1);
  const { checkpoint } = witnessed();
  await checkpoint();
  expect(await names()).toHaveLength(2);
  await rm(join(folder, "checkpoint-000000000001.json"));
  await writeJournals(platform, 1);
  await checkpoint();
  expect(await names()).toEqual(["checkpoint-000000000002.json", "checkpoint-000000000003.json"]);
});

test("copies that cannot be written are written at the next try", async () => {
  const { checkpoint } = witnessed();
  await writeJournals(platform, 1);
  await rm(folder, { recursive: true });
  await expect(checkpoint()).rejects.toThrow("ENOENT");
  folder = await mkdtemp(join(tmpdir(), "paraphe-checkpoints-"));
  await witnessed().checkpoint();
  expect(await names()).toEqual(["checkpoint-000000000001.json"]);
});
