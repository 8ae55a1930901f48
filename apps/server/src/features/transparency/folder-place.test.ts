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

const copies = () =>
  createTransparency({ platform: { ...platform, settings: { ...platform.settings, checkpointDir: folder } }, trust }).copy();
const names = async () => (await readdir(folder)).toSorted();
async function grow(count = 1): Promise<void> {
  await writeJournals(platform, count);
  await makeCheckpoint({ platform, trust });
}

test("copies are one file for each checkpoint, whole, and nothing else", async () => {
  await grow(2);
  await copies();
  await grow();
  await copies();
  await copies();
  expect(await names()).toEqual(["checkpoint-000000000002.json", "checkpoint-000000000003.json"]);
  const inclusionOf = JSON.parse(await readFile(join(folder, "checkpoint-000000000003.json"), "utf8"));
  const { rows } = await sql<{ root: string }>`select encode(root, 'hex') as root from transparency_checkpoints where size = 3`.execute(
    platform.db,
  );
  expect(inclusionOf.root).toBe(rows[0]?.root);
});

test("copies catch up with what a folder that was away missed; one taken away does no harm", async () => {
  await grow();
  await grow();
  await copies();
  expect(await names()).toHaveLength(2);
  await rm(join(folder, "checkpoint-000000000001.json"));
  await grow();
  await copies();
  expect(await names()).toEqual(["checkpoint-000000000002.json", "checkpoint-000000000003.json"]);
});

test("copies that cannot be written are told, and written once they can be", async () => {
  await grow();
  await rm(folder, { recursive: true });
  await copies();
  expect(platform.logged.at(-1)).toMatchObject({ level: "warn", fields: { place: "folder" } });
  platform.clock.advance({ minutes: 5 });
  await rm(folder, { recursive: true, force: true });
  folder = await mkdtemp(join(tmpdir(), "paraphe-checkpoints-"));
  await copies();
  expect(await names()).toEqual(["checkpoint-000000000001.json"]);
});
