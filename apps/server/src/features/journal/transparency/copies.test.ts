import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkpointSchema } from "@paraphe/contracts";
import { verifyCheckpoint } from "@paraphe/proof";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import { writeJournals } from "../../../../testing/journals.ts";
import {
  missingObjectStore,
  openObjectStore,
  type TestObjectStore,
} from "../../../../testing/object-store/open-object-store.ts";
import { createTestPlatform, type TestPlatform } from "../../../../testing/platform.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../../testing/smtp-server.ts";
import type { Settings } from "../../../platform/settings/settings.ts";
import { registerNoticeJobs } from "../../notices/run-outbox.ts";
import { createTrust, type Trust } from "../../trust/public.ts";
import { readCopyProgress } from "./copies.ts";
import {
  createTransparency,
  readLogHealth,
  registerTransparencyJobs,
} from "./create-transparency.ts";
import { makeCheckpoint, requestCheckpoint } from "./make-checkpoint.ts";

let platform: TestPlatform;
let folder: string;

afterEach(async () => {
  await platform.close();
  await rm(folder, { recursive: true, force: true });
});

describe("copies outside", () => {
  let trust: Trust;
  let mailServer: TestSmtpServer;
  const WITNESS = "greffe@exemple.fr";
  const SECRET = "un-secret-jamais-dit";

  beforeAll(async () => {
    mailServer = await startSmtpServer();
  });
  afterAll(() => mailServer.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "paraphe-checkpoints-"));
    mailServer.received.length = 0;
    mailServer.answers.length = 0;
  });

  /** Opens a service that copies to these places; `settle` runs its jobs. */
  async function open(settings: Partial<Settings>): Promise<void> {
    platform = await createTestPlatform({ settings: { smtpUrl: mailServer.url, ...settings } });
    trust = await createTrust(platform);
    registerNoticeJobs(platform);
    registerTransparencyJobs(createTransparency({ platform, trust }));
  }

  /** Completes an envelope and runs the jobs that follow. */
  async function complete(): Promise<void> {
    await writeJournals(platform, 1);
    await platform.db.transaction().execute((trx) => requestCheckpoint(trx, platform));
    platform.clock.advance({ seconds: 3 });
    await platform.settle({ deferred: "run" });
  }
  const copyAgain = () => createTransparency({ platform, trust }).copy();
  const healthOf = async () =>
    (await readLogHealth(platform)).flatMap(({ name, values }) =>
      values.map(
        ({ labels, value }) =>
          `${name}${labels === undefined ? "" : `{place="${labels["place"]}"}`} ${value}`,
      ),
    );

  describe("by mail,", () => {
    beforeEach(() => open({ checkpointMail: WITNESS }));

    test("a mailed checkpoint is whole, with instructions in French", async () => {
      await complete();
      const [{ envelope, mail } = expect.fail("nothing arrived")] = mailServer.received;
      expect(envelope.to).toEqual([WITNESS]);
      expect(mail.text).toContain("Conservez ce message");
      expect(mail.text).toContain("paraphe log checkpoint-000000000001.json");
      const [file] = mail.attachments;
      expect([file?.filename, file?.mimeType]).toEqual([
        "checkpoint-000000000001.json",
        "application/json",
      ]);
      const checkpoint = checkpointSchema.parse(
        JSON.parse(Buffer.from(file?.content as ArrayBuffer).toString("utf8")),
      );
      expect(await verifyCheckpoint(checkpoint)).toMatchObject({ ok: true });
      expect(mail.text).toContain(checkpoint.root);
    });

    test("the newest checkpoint is mailed hourly at most, and none while nothing is new", async () => {
      for (let completed = 0; completed < 3; completed += 1) await complete();
      expect(mailServer.received).toHaveLength(1);
      platform.clock.advance({ hours: 1 });
      await copyAgain();
      await platform.settle();
      expect(mailServer.received.map(({ mail }) => mail.attachments[0]?.filename)).toEqual([
        "checkpoint-000000000001.json",
        "checkpoint-000000000003.json",
      ]);
      platform.clock.advance({ hours: 2 });
      await copyAgain();
      await platform.settle();
      expect(mailServer.received).toHaveLength(2);
    });

    test("two processes mail one checkpoint at once", async () => {
      await writeJournals(platform, 1);
      await createTransparency({ platform, trust }).checkpoint();
      await Promise.all([copyAgain(), copyAgain(), copyAgain()]);
      await platform.settle();
      expect(mailServer.received).toHaveLength(1);
    });

    test("a refused message is reported, and sent anew an hour later", async () => {
      mailServer.answers.push({ at: "rcpt", code: 550, words: "5.1.1 inconnu" });
      await complete();
      platform.clock.advance({ minutes: 5 });
      await copyAgain();
      expect(await healthOf()).toContain('paraphe_checkpoint_copy_failing{place="mail"} 1');
      platform.clock.advance({ hours: 1 });
      await copyAgain();
      await platform.settle();
      expect(mailServer.received).toHaveLength(1);
      platform.clock.advance({ minutes: 5 });
      await copyAgain();
      expect(await healthOf()).toContain('paraphe_checkpoint_copy_failing{place="mail"} 0');
    });

    test("a message not accepted for a quarter of an hour is reported, and sent once", async () => {
      mailServer.answers.push(
        ...Array.from(
          { length: 20 },
          () => ({ at: "rcpt", code: 451, words: "plus tard" }) as const,
        ),
      );
      await writeJournals(platform, 1);
      await createTransparency({ platform, trust }).checkpoint();
      await copyAgain();
      await platform.settle({ failures: "keep" });
      platform.clock.advance({ hours: 2 });
      await writeJournals(platform, 1);
      await createTransparency({ platform, trust }).checkpoint();
      await copyAgain();
      expect(await healthOf()).toContain('paraphe_checkpoint_copy_failing{place="mail"} 1');
      const { rows } = await sql<{
        count: number;
      }>`select count(*)::int as count from notices where kind = 'checkpoint'`.execute(platform.db);
      expect(rows).toEqual([{ count: 1 }]);
    });
  });

  describe.skipIf(missingObjectStore())("in a store that locks,", () => {
    let store: TestObjectStore;
    beforeAll(async () => {
      store = await openObjectStore();
    }, 60_000);
    afterAll(() => store.close());

    test("a locked store keeps each checkpoint as an object that nobody can remove", async () => {
      await open({ checkpointStore: store.settings.locked });
      await complete();
      await complete();
      const kept = await store.versions();
      expect(kept.map(({ name }) => name)).toEqual([
        expect.stringMatching(/^journal\/checkpoint-000000000001-[0-9a-f]{16}\.json$/),
        expect.stringMatching(/^journal\/checkpoint-000000000002-[0-9a-f]{16}\.json$/),
      ]);
      for (const { name, version } of kept) {
        const path = `/temoin/${name}?versionId=${version}`;
        await expectStatus(store.asOwner("DELETE", path), 403);
        const checkpoint = checkpointSchema.parse(await (await store.asOwner("GET", path)).json());
        expect(name).toContain(checkpoint.root.slice(0, 16));
        expect(await verifyCheckpoint(checkpoint)).toMatchObject({ ok: true });
      }
      const until = (await store.asOwner("HEAD", `/temoin/${kept[0]?.name}`)).headers.get(
        "x-amz-object-lock-retain-until-date",
      );
      expect(Date.parse(until ?? "") - platform.clock().getTime()).toBeGreaterThan(
        3_652 * 86_400_000,
      );
      expect(await readCopyProgress(platform)).toMatchObject([
        { kind: "s3", missing: 0, failingSince: null, fault: null },
      ]);
    });

    test("a store that was absent or away gets all checkpoints it lacks", async () => {
      await open({});
      await complete();
      await complete();
      const before = (await store.versions()).length;
      platform = {
        ...platform,
        settings: {
          ...platform.settings,
          checkpointStore: { ...store.settings.locked, folder: "tard/" },
        },
      };
      await copyAgain();
      await copyAgain();
      expect(await store.versions()).toHaveLength(before + 2);
    });
  });

  test("a failing place delays nothing else, and is reported without a secret", async () => {
    const gone = createServer();
    await new Promise<void>((listening) => gone.listen(0, "127.0.0.1", listening));
    const { port } = gone.address() as AddressInfo;
    await new Promise((closed) => gone.close(closed));
    const away = {
      endpoint: `http://127.0.0.1:${port}`,
      region: "r",
      bucket: "seau",
      folder: "",
      keyId: "k",
      secret: SECRET,
      days: 10,
    };
    await open({ checkpointStore: away, checkpointDir: folder, checkpointMail: WITNESS });
    await complete();
    expect(await readdir(folder)).toEqual(["checkpoint-000000000001.json"]);
    expect(mailServer.received).toHaveLength(1);
    expect(await healthOf()).toEqual([
      "paraphe_log_waiting_heads 0",
      expect.stringMatching(/^paraphe_checkpoint_timestamp_seconds \d{10}$/),
      'paraphe_checkpoint_copy_failing{place="folder"} 0',
      'paraphe_checkpoint_copy_failing{place="s3"} 1',
      'paraphe_checkpoint_copy_failing{place="mail"} 0',
      'paraphe_checkpoint_copy_missing{place="folder"} 0',
      'paraphe_checkpoint_copy_missing{place="s3"} 1',
      'paraphe_checkpoint_copy_missing{place="mail"} 0',
      expect.stringMatching(/place="folder"} \d{10}$/),
      'paraphe_checkpoint_copy_timestamp_seconds{place="s3"} 0',
      expect.stringMatching(/place="mail"} \d{10}$/),
    ]);
    expect(
      platform.logged.filter(({ message }) => message.startsWith("checkpoints could not")),
    ).toMatchObject([
      { level: "warn", fields: { place: "s3", failing_since: expect.any(String) } },
    ]);
    expect(JSON.stringify(platform.logged)).not.toContain(SECRET);
    const { rows } =
      await sql`select target, fault from transparency_copies where fault is not null`.execute(
        platform.db,
      );
    expect(rows).toEqual([{ target: `s3 ${away.endpoint}/seau/`, fault: "ECONNREFUSED" }]);
  });

  test("a failing place is tried again after a pause, and its failure ends with the first copy", async () => {
    await open({ checkpointDir: join(folder, "absent") });
    const tried = () =>
      platform.logged.filter(({ message }) => message.startsWith("checkpoints could not")).length;
    for (let completed = 0; completed < 3; completed += 1) await complete();
    expect(tried()).toBe(1);
    platform.clock.advance({ minutes: 5 });
    await copyAgain();
    expect(tried()).toBe(2);
    const [{ failingSince } = expect.fail("no place")] = await readCopyProgress(platform);
    platform = { ...platform, settings: { ...platform.settings, checkpointDir: folder } };
    await copyAgain();
    expect(failingSince).not.toBeNull();
    expect(await readCopyProgress(platform)).toMatchObject([
      { missing: 0, failingSince: null, fault: null },
    ]);
    const [name = ""] = await readdir(folder);
    expect(
      await verifyCheckpoint(
        checkpointSchema.parse(JSON.parse(await readFile(join(folder, name), "utf8"))),
      ),
    ).toMatchObject({
      ok: true,
    });
  });

  test("a recovered place is reported once", async () => {
    const late = join(folder, "tard");
    await open({ checkpointDir: late });
    await complete();
    await mkdir(late);
    platform.clock.advance({ minutes: 5 });
    await copyAgain();
    await copyAgain();
    expect(
      platform.logged.filter(({ message }) => message === "checkpoints are copied outside again"),
    ).toHaveLength(1);
    expect(await readCopyProgress(platform)).toMatchObject([
      { kind: "folder", missing: 0, failingSince: null },
    ]);
  });
});

describe("a folder of copies", () => {
  let trust: Trust;

  beforeEach(async () => {
    platform = await createTestPlatform();
    trust = await createTrust(platform);
    folder = await mkdtemp(join(tmpdir(), "paraphe-checkpoints-"));
  });

  const copies = () =>
    createTransparency({
      platform: { ...platform, settings: { ...platform.settings, checkpointDir: folder } },
      trust,
    }).copy();
  const names = async () => (await readdir(folder)).toSorted();
  async function grow(count = 1): Promise<void> {
    await writeJournals(platform, count);
    await makeCheckpoint({ platform, trust });
  }

  test("a folder has one whole file per checkpoint, and nothing else", async () => {
    await grow(2);
    await copies();
    await grow();
    await copies();
    await copies();
    expect(await names()).toEqual(["checkpoint-000000000002.json", "checkpoint-000000000003.json"]);
    const inclusionOf = JSON.parse(
      await readFile(join(folder, "checkpoint-000000000003.json"), "utf8"),
    );
    const { rows } = await sql<{
      root: string;
    }>`select encode(root, 'hex') as root from transparency_checkpoints where size = 3`.execute(
      platform.db,
    );
    expect(inclusionOf.root).toBe(rows[0]?.root);
  });

  test("a folder that was away catches up, and a removed file does no harm", async () => {
    await grow();
    await grow();
    await copies();
    expect(await names()).toHaveLength(2);
    await rm(join(folder, "checkpoint-000000000001.json"));
    await grow();
    await copies();
    expect(await names()).toEqual(["checkpoint-000000000002.json", "checkpoint-000000000003.json"]);
  });

  test("copies that cannot be written are reported, and written later", async () => {
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
});
