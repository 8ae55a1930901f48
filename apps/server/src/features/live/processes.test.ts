import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { createDraft, ENVELOPES } from "../../../testing/envelope.ts";
import { openStream } from "../../../testing/live-stream.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { findFreePort, type MainProcess, runMain } from "../../../testing/run-main.ts";
import { EVERYTHING } from "../../platform/database/announce-changes.ts";
import type { Listening } from "../../platform/database/listen.ts";
import { createSecretBox } from "../../platform/secrets/create-secret-box.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let service: TestApp;
let folder: string;
let other: MainProcess;
let url: string;
const heard: string[] = [];
let listening: Listening;

beforeAll(async () => {
  const masterKey = new Uint8Array(randomBytes(32));
  const secrets = createSecretBox(masterKey, (length) => new Uint8Array(randomBytes(length)));
  service = await createTestApp({ now: new Date(), platform: { secrets } });
  folder = await mkdtemp(join(tmpdir(), "paraphe-live-"));
  listening = service.platform.listen("envelope_changed", { onMessage: (change) => void heard.push(change), onGap() {} });
  await listening.arrives(5_000);
  const port = await findFreePort();
  const { database } = service.platform.settings;
  if (database.kind !== "external") throw new Error("Expected the tests' database");
  const settings = { DATA_DIR: folder, PORT: String(port), MASTER_KEY: Buffer.from(masterKey).toString("base64") };
  other = runMain({ ...settings, DATABASE_URL: database.url, ROLE: "web" }, folder);
  await other.ready;
  url = `https://127.0.0.1:${port}`;
});
afterAll(async () => {
  other.child.kill("SIGTERM");
  await other.exit;
  await listening.close();
  await service.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

test("a process that starts has every page ask again", async () => {
  await expect.poll(() => heard).toContain(EVERYTHING);
});

test("what one process does is told by another, over HTTP/2; the stop ends the streams at once", async () => {
  const browser = await signIn(service, await createMember(service.platform));
  const stream = await openStream(url, browser);
  expect([stream.status, stream.headers["x-accel-buffering"], stream.headers["connection"]]).toEqual([200, "no", undefined]);
  await expect.poll(() => stream.events.map(({ name }) => name)).toEqual(["counts"]);
  const draft = await createDraft(browser);
  await expect.poll(() => stream.events.at(-1)).toMatchObject({ name: "counts", data: { draft: 1 } });
  expect(stream.events).toContainEqual({ name: "envelope", data: { id: draft.id, version: 1, status: "draft" } });
  const changed = performance.now();
  await browser.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { message: "Bonjour" } });
  await expect.poll(() => stream.events.at(-1), { interval: 10 }).toMatchObject({ name: "envelope", data: { version: 2 } });
  expect(performance.now() - changed).toBeLessThan(1_000);

  const stopped = performance.now();
  other.child.kill("SIGTERM");
  await expect.poll(() => stream.hasEnded(), { interval: 10 }).toBe(true);
  // Not what the requests that run are left (5 s): the browser goes to another process meanwhile.
  expect(performance.now() - stopped).toBeLessThan(1_500);
  expect(await other.exit).toBe(0);
  expect(performance.now() - stopped).toBeLessThan(5_000);
  expect(stream.text()).not.toContain("event: end");
});
