import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIdMaker } from "@paraphe/kernel/bytes";
import type { Database } from "../src/platform/database/database.ts";
import { createListen, createPresence } from "../src/platform/database/lasting-connection.ts";
import { openStore } from "../src/platform/files/open-store.ts";
import {
  type ImageSandbox,
  createImageSandbox,
} from "../src/platform/images/create-image-sandbox.ts";
import type { Log } from "../src/platform/logs/log.ts";
import { createMailTransport } from "../src/platform/mail/create-mail-transport.ts";
import { createPdfSandbox } from "../src/platform/pdf-sandbox/create-pdf-sandbox.ts";
import type { PdfSandbox } from "../src/platform/pdf-sandbox/pdf-sandbox.ts";
import type { Clock, Platform } from "../src/platform/platform.ts";
import { createPrecedence } from "../src/platform/concurrency.ts";
import { createPushTransport } from "../src/platform/push/create-push-transport.ts";
import {
  createQueue,
  type DrainableQueue,
  type Queue,
} from "../src/platform/queue/create-queue.ts";
import { createSecretBox } from "../src/platform/secrets/secret-box.ts";
import { readSettings } from "../src/platform/settings/read-settings.ts";
import type { Settings } from "../src/platform/settings/settings.ts";
import { createSmsTransport } from "../src/platform/sms/create-sms-transport.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import type { TrustPlatform } from "../src/features/trust/create-trust.ts";

type LogLine = {
  readonly level: "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
};

export type TestPlatform = Platform & {
  readonly clock: TestClock;
  /** The database's owner, a superuser. */
  readonly owner: Database;
  /** Oldest first. */
  readonly logged: readonly LogLine[];
  /**
   * Runs every due job with those they enqueue (`deferred: "run"`: future ones too); throws what a
   * handler threw, unless `failures` is "keep".
   */
  settle(options?: { deferred?: "run" | "leave"; failures?: "throw" | "keep" }): Promise<void>;
  close(): Promise<void>;
};

export type TestOverrides = {
  readonly settings?: Partial<Settings>;
  readonly now?: Date;
  /** Replacements of real parts. */
  readonly platform?: Partial<Omit<Platform, "settings" | "clock" | "queue">>;
};

/**
 * A real platform: its own database and folder, the local mailbox, a shared sandbox, a clock that
 * stands still.
 */
export async function createTestPlatform(overrides: TestOverrides = {}): Promise<TestPlatform> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), "paraphe-test-"));
  const settings: Settings = {
    ...readSettings({ DATA_DIR: folder, DATABASE_URL: database.url }, folder),
    ...overrides.settings,
  };
  const clock = testClock(overrides.now);
  const random = (length: number) => new Uint8Array(randomBytes(length));
  const newId = createIdMaker(clock, random);
  const logged: LogLine[] = [];
  const log = memoryLog(logged);
  const drainable = createQueue({ url: database.url, log });
  let settled: Promise<unknown> = Promise.resolve();
  const deps = { db: database.db, clock, newId };
  const secrets = createSecretBox(random(32), random);
  const platform: Platform = {
    settings,
    db: database.db,
    reads: (work) => work(database.db),
    listen: createListen({ url: database.url, log }),
    presence: createPresence({ url: database.url, log }),
    files: await openStore(database.db, settings, { newId, clock }),
    sandbox: testSandbox,
    images: testImages,
    mail: createMailTransport(settings, deps),
    sms: createSmsTransport(settings, deps),
    push: createPushTransport(settings, { ...deps, random, secrets }),
    secrets,
    hsm: null,
    random,
    newId,
    log,
    ...overrides.platform,
    queue: withoutWorkers(drainable),
    precedence: createPrecedence(),
    clock,
  };
  return {
    ...platform,
    clock,
    owner: database.owner,
    logged,
    async settle({ deferred = "leave", failures = "throw" } = {}) {
      await platform.queue.start("enqueue");
      // A second call would not wait for a job that the first one runs.
      const drained = settled.then(() => drainable.drain({ deferred }));
      settled = drained.catch(() => {});
      const thrown = await drained;
      if (thrown.length > 0 && failures === "throw")
        throw new AggregateError(thrown, `Jobs failed: ${thrown.map(String).join("; ")}`);
    },
    async close() {
      await drainable.stop();
      await platform.presence.close();
      await platform.mail.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The real queue without workers: `settle` runs the jobs. Unregistered jobs count as done. */
function withoutWorkers(queue: DrainableQueue): Queue {
  let started: Promise<void> | null = null;
  const start = () => {
    started ??= queue.start("enqueue");
    return started;
  };
  const enqueueAll: Queue["enqueueAll"] = async (trx, name, jobs) => {
    if (!queue.knows(name))
      queue.handle(
        name,
        { concurrency: 1, retryLimit: 0, retryDelayS: 1, retryDelayMaxS: 1, expireInS: 60 },
        async () => {},
      );
    await start();
    await queue.enqueueAll(trx, name, jobs);
  };
  return {
    ...queue,
    start,
    enqueue: (trx, name, ...[payload, rules]) => enqueueAll(trx, name, [{ ...rules, payload }]),
    enqueueAll,
    async withdraw(trx, name, id) {
      await start();
      await queue.withdraw(trx, name, id);
    },
  };
}

function memoryLog(lines: LogLine[]): Log {
  const at =
    (level: LogLine["level"]) => (fields: Readonly<Record<string, unknown>>, message: string) => {
      lines.push({ level, fields, message });
    };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

type TestClock = Clock & {
  set(moment: Date): void;
  advance(by: { seconds?: number; minutes?: number; hours?: number; days?: number }): void;
};

/** Stands still until moved. */
function testClock(start = new Date("2026-11-21T10:00:00.000Z")): TestClock {
  let now = start.getTime();
  return Object.assign(() => new Date(now), {
    set(moment: Date) {
      now = moment.getTime();
    },
    advance(by: { seconds?: number; minutes?: number; hours?: number; days?: number }) {
      const hours = (by.days ?? 0) * 24 + (by.hours ?? 0);
      now += ((hours * 60 + (by.minutes ?? 0)) * 60 + (by.seconds ?? 0)) * 1_000;
    },
  });
}

/**
 * Shared by all platforms of a process: a child costs 1.2 s of CPU. A test that harms a sandbox
 * makes its own.
 */
export const testSandbox: PdfSandbox = createPdfSandbox({ size: 1 });
const testImages: ImageSandbox = createImageSandbox();

/**
 * The part of a platform that the PKI needs. `masterKey`: shared by two processes of one service.
 */
export function testTrustPlatform(
  database: TestDatabase,
  options: { settings?: Partial<Settings>; masterKey?: Uint8Array; now?: Date } = {},
): TrustPlatform & { readonly clock: TestClock } {
  const random = (length: number) => new Uint8Array(randomBytes(length));
  const clock = testClock(options.now);
  return {
    db: database.db,
    hsm: null,
    clock,
    random,
    newId: createIdMaker(clock, random),
    secrets: createSecretBox(options.masterKey ?? random(32), random),
    settings: { ...readSettings({ DATABASE_URL: database.url }, "/tmp"), ...options.settings },
  };
}
