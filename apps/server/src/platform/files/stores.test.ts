import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { missingObjectStore, openObjectStore, type TestObjectStore } from "../../../testing/object-store/open-object-store.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { CAN_MOUNT, openSmallMedium } from "../../../testing/small-medium.ts";
import { SettingsError } from "../settings/settings.ts";
import { openStore } from "./open-store.ts";
import { createS3LockedStore } from "../object-store/s3-locked-store.ts";
import { AlteredFileError, type FileStore, MissingFileError, StorageFullError, StoreAwayError } from "./file-store.ts";
import { openFolderFileStore, STORE_ID } from "./folder-file-store.ts";

describe("the store of a database", () => {
  let database: TestDatabase;
  let folder: string;
  const bytes = new TextEncoder().encode("un contrat");
  const open = (place: string) => openStore(database.db, { folder: place, newId: randomUUID });
  beforeEach(async () => {
    database = await createTestDatabase();
    folder = join(await mkdtemp(join(tmpdir(), "paraphe-store-")), "fichiers");
  });
  afterEach(async () => {
    await database.drop();
    await rm(dirname(folder), { recursive: true, force: true });
  });

  test("is made the first time, by one of several that start together, and known again", async () => {
    const [one, other] = await Promise.all([open(folder), open(folder)]);
    const sha256 = await one.put(bytes);
    expect([await other.get(sha256), await (await open(folder)).get(sha256)]).toEqual([bytes, bytes]);
  });

  test("that is not there is a disk that is not mounted: the start is refused, and nothing is made in its place", async () => {
    await open(folder);
    await rename(folder, `${folder}-away`);
    await expect(open(folder)).rejects.toThrow(
      "STORAGE_URL ne mène pas aux fichiers de cette base, peut-être parce que le disque n’est pas monté",
    );
    expect(existsSync(folder)).toBe(false);
    await mkdir(folder);
    await expect(open(folder)).rejects.toThrow(SettingsError);
  });

  test("of another database is refused, before it holds anything too", async () => {
    await open(folder);
    const other = await createTestDatabase();
    await expect(openStore(other.db, { folder, newId: randomUUID })).rejects.toThrow("STORAGE_URL mène aux fichiers d’une autre base");
    await openStore(other.db, { folder: join(dirname(folder), "ailleurs"), newId: randomUUID });
    await other.drop();
    await expect(open(join(dirname(folder), "ailleurs"))).rejects.toThrow(SettingsError);
  });

  test("whose first start was cut short is made by the next one", async () => {
    await open(folder);
    // Cut once the database knew it.
    await rename(join(folder, STORE_ID), join(folder, `${STORE_ID}.draft`));
    const [one, other] = await Promise.all([open(folder), open(folder)]);
    expect(await one.get(await other.put(bytes))).toEqual(bytes);
    // Cut before.
    await rename(join(folder, STORE_ID), join(folder, `${STORE_ID}.draft`));
    const next = await createTestDatabase();
    const store = await openStore(next.db, { folder, newId: randomUUID });
    await store.check();
    await next.drop();
  });

  test("that goes away while it is used takes nothing more", async () => {
    const store = await open(folder);
    await rename(folder, `${folder}-away`);
    await mkdir(folder);
    await expect(store.put(bytes)).rejects.toThrow(StoreAwayError);
    await expect(store.check()).rejects.toThrow(StoreAwayError);
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
    await rename(`${folder}-away`, folder);
    expect(await store.get(await store.put(bytes))).toEqual(bytes);
  });
});

describe("the folder of files", () => {
  let folder: string;
  let files: FileStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "paraphe-files-"));
    await writeFile(join(folder, STORE_ID), "essai");
    files = await openFolderFileStore(folder, "essai");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const bytes = new TextEncoder().encode("un contrat");
  const nothing = new Uint8Array(32);

  test("keeps bytes under their SHA-256 and gives them back", async () => {
    const sha256 = await files.put(bytes);
    expect(sha256).toEqual(new Uint8Array(createHash("sha256").update(bytes).digest()));
    expect(await files.get(sha256)).toEqual(bytes);
    expect(await files.size(sha256)).toBe(bytes.length);
  });

  test("streams a range of a file", async () => {
    const sha256 = await files.put(bytes);
    const stream = (await files.stream(sha256, { start: 3, end: 9 })) as NodeJS.ReadableStream & AsyncIterable<Buffer>;
    expect((await buffer(stream)).toString()).toBe("contrat");
  });

  test("stores the same bytes once, whoever asks at the same time, and leaves no draft", async () => {
    await Promise.all(Array.from({ length: 10 }, () => files.put(bytes)));
    expect(await collect(files.list())).toHaveLength(1);
    expect(await readdir(join(folder, "drafts"))).toEqual([]);
  });

  test("writes again a file that a crash of the medium left short", async () => {
    const sha256 = await files.put(bytes);
    await writeFile(pathOf(sha256), "un");
    await files.put(bytes);
    expect(await files.get(sha256)).toEqual(bytes);
  });

  test("writes again a file that was altered without changing its length", async () => {
    const sha256 = await files.put(bytes);
    await writeFile(pathOf(sha256), "un CONTRAT");
    await files.put(bytes);
    expect(await files.get(sha256)).toEqual(bytes);
    expect(await readdir(join(folder, "drafts"))).toEqual([]);
  });

  test("refuses to give a file whose bytes were changed", async () => {
    const sha256 = await files.put(bytes);
    await writeFile(pathOf(sha256), "un CONTRAT");
    await expect(files.get(sha256)).rejects.toThrow("no longer has its hash");
  });

  test("streams no byte of a file that was changed, whatever part is asked for, even after it was sound", async () => {
    const sha256 = await files.put(bytes);
    (await files.stream(sha256)).resume();
    await writeFile(pathOf(sha256), "un CONTRAT");
    await expect(files.stream(sha256)).rejects.toBeInstanceOf(AlteredFileError);
    await expect(files.stream(sha256, { start: 0, end: 1 })).rejects.toBeInstanceOf(AlteredFileError);
    await files.put(bytes);
    expect(Buffer.concat(await (await files.stream(sha256)).toArray()).equals(bytes)).toBe(true);
  });

  test("says that a file is missing", async () => {
    await expect(files.get(nothing)).rejects.toBeInstanceOf(MissingFileError);
    await expect(files.stream(nothing)).rejects.toBeInstanceOf(MissingFileError);
    // Not lost: the disk of the store is away.
    await rename(folder, `${folder}-away`);
    await expect(files.get(nothing)).rejects.toBeInstanceOf(StoreAwayError);
    await expect(files.stream(nothing)).rejects.toBeInstanceOf(StoreAwayError);
    await expect(files.size(nothing)).rejects.toBeInstanceOf(StoreAwayError);
    await rename(`${folder}-away`, folder);
    expect(await files.size(nothing)).toBeNull();
  });

  test("removes a file, and forgives one that is absent", async () => {
    const sha256 = await files.put(bytes);
    await files.remove(sha256);
    await files.remove(sha256);
    expect(await files.size(sha256)).toBeNull();
  });

  test("removes nothing where another store stands in its place", async () => {
    const sha256 = await files.put(bytes);
    await writeFile(join(folder, STORE_ID), "autre");
    await expect(files.remove(sha256)).rejects.toBeInstanceOf(StoreAwayError);
    await writeFile(join(folder, STORE_ID), "essai");
    expect(await files.get(sha256)).toEqual(bytes);
  });

  test.runIf(CAN_MOUNT)(
    "says that the medium is full, or takes no writes, keeps nothing of the file, and goes on once it can",
    async () => {
      const medium = openSmallMedium(256);
      try {
        await writeFile(join(medium.folder, STORE_ID), "essai");
        const store = await openFolderFileStore(medium.folder, "essai");
        await expect(store.put(new Uint8Array(1024 * 1024))).rejects.toBeInstanceOf(StorageFullError);
        expect(await readdir(join(medium.folder, "drafts"))).toEqual([]);
        await store.check();
        medium.fill();
        await expect(store.check()).rejects.toBeInstanceOf(StorageFullError);
        medium.makeRoom();
        medium.takeWrites(false);
        await expect(store.check()).rejects.toBeInstanceOf(StoreAwayError);
        await expect(store.put(bytes)).rejects.toBeInstanceOf(StoreAwayError);
        medium.takeWrites(true);
        expect(await store.get(await store.put(bytes))).toEqual(bytes);
      } finally {
        medium.close();
      }
    },
  );

  function pathOf(sha256: Uint8Array): string {
    const name = Buffer.from(sha256).toString("hex");
    return join(folder, name.slice(0, 2), name.slice(2, 4), name);
  }

  async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
    const found: T[] = [];
    for await (const item of items) found.push(item);
    return found;
  }
});

describe("a store of objects", () => {
  const OBJECT = {
    name: "journal/checkpoint-1.json",
    bytes: new TextEncoder().encode('{"size":1}'),
    contentType: "application/json",
    until: new Date("2036-11-23T03:04:05.678Z"),
  };

  describe.skipIf(missingObjectStore())("on somebody else's store, which judges signatures, grants and locks,", () => {
    let store: TestObjectStore;
    beforeAll(async () => {
      store = await openObjectStore();
    }, 60_000);
    afterAll(() => store.close());
    const put = (changed: Partial<TestObjectStore["settings"]["locked"]> = {}) =>
      createS3LockedStore({ ...store.settings.locked, ...changed }).put(OBJECT);

    test("an object is stored, byte for byte, and nobody removes it before its day, whatever they may do else", async () => {
      await put();
      const [kept = { name: "", version: "" }] = await store.versions();
      expect(kept.name).toBe(OBJECT.name);
      const path = `/temoin/${kept.name}?versionId=${kept.version}`;
      for (const headers of [{}, { "x-amz-bypass-governance-retention": "true" }])
        expect((await store.asOwner("DELETE", path, headers)).status).toBe(403);
      // Without a version a mark alone is put before it.
      expect((await store.asOwner("DELETE", `/temoin/${kept.name}`)).status).toBe(204);
      const read = await store.asOwner("GET", path);
      expect([read.status, await read.text(), read.headers.get("content-type")]).toEqual([200, '{"size":1}', "application/json"]);
      expect(read.headers.get("x-amz-object-lock-mode")).toBe("COMPLIANCE");
      expect(read.headers.get("x-amz-object-lock-retain-until-date")).toBe("2036-11-23T03:04:05Z");
    });

    test("what is put again stands beside the first", async () => {
      const before = await store.versions();
      await put();
      expect(await store.versions()).toHaveLength(before.length + 1);
    });

    test.each([
      ["a wrong secret", { secret: "autre" }, "PUT 403 SignatureDoesNotMatch"],
      ["a key that there is not", { keyId: "personne" }, "PUT 403 InvalidAccessKeyId"],
      ["a bucket that there is not", { bucket: "absent" }, "PUT 404 NoSuchBucket"],
    ])("%s is told by the store's own word, and never by the secret", async (_what, changed, said) => {
      await expect(put(changed)).rejects.toThrow(said);
    });

    test("a bucket without locks is no place", async () => {
      await expect(createS3LockedStore(store.settings.plain).put(OBJECT)).rejects.toThrow(/^PUT 4|not locked/);
    });
  });

  describe("a store that", () => {
    let server: Server;
    const SILENCE = () => ({ status: 0 });
    let answer: (method: string) => { readonly status: number; readonly headers?: Record<string, string> };
    let asked: { readonly method: string; readonly headers: Readonly<Record<string, unknown>> }[] = [];
    beforeAll(async () => {
      server = createServer((request, response) => {
        asked.push({ method: request.method ?? "", headers: request.headers });
        request.resume().on("end", () => {
          if (answer === SILENCE) return;
          const { status, headers = {} } = answer(request.method ?? "");
          response.writeHead(status, headers).end();
        });
      });
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    });
    afterAll(() => new Promise((closed) => server.close(closed)));
    const put = () => {
      asked = [];
      const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      return createS3LockedStore({ endpoint, region: "r", bucket: "seau", keyId: "k", secret: "s", timeoutMs: 300 }).put(OBJECT);
    };
    const lock = (changed: Record<string, string> = {}) => ({
      "content-length": "10",
      "x-amz-object-lock-mode": "COMPLIANCE",
      "x-amz-object-lock-retain-until-date": "2036-11-23T03:04:05.000Z",
      ...changed,
    });

    test("is told what the bytes are, so that it takes no others", async () => {
      answer = (method) => ({ status: 200, headers: method === "HEAD" ? lock() : {} });
      await put();
      expect(asked.map(({ method }) => method)).toEqual(["PUT", "HEAD"]);
      // As `openssl dgst -md5` and `-sha256` have it.
      expect(asked[0]?.headers).toMatchObject({
        "content-length": "10",
        "content-md5": "GG7V0qd+mRecctVczcwysQ==",
        "x-amz-checksum-sha256": "/jaSPhX+3UmiQfdiGWIKRue9i/tvF93v/hiwKZuLECg=",
        "x-amz-content-sha256": "fe36923e15fedd49a241f76219620a46e7bd8bfb6f17ddeffe18b0299b8b1028",
      });
    });

    test.each([
      ["says nothing of a lock", { "x-amz-object-lock-mode": "" }],
      ["locks so that an administrator may unlock", { "x-amz-object-lock-mode": "GOVERNANCE" }],
      ["locks for a shorter time", { "x-amz-object-lock-retain-until-date": "2036-11-23T03:04:04Z" }],
      ["does not say until when", { "x-amz-object-lock-retain-until-date": "" }],
      ["has other bytes", { "content-length": "9" }],
    ])("%s has not got it", async (_what, changed) => {
      answer = (method) => ({ status: 200, headers: method === "HEAD" ? lock(changed) : {} });
      await expect(put()).rejects.toThrow("the object was stored, and is not locked");
    });

    test.each([
      ["is overloaded", () => ({ status: 503 }), "PUT 503"],
      ["lets nobody look", (method: string) => ({ status: method === "HEAD" ? 403 : 200 }), "HEAD 403: the lock cannot be looked at"],
      ["sends elsewhere", () => ({ status: 307, headers: { location: "http://192.0.2.1/" } }), "fetch failed"],
      ["says nothing at all", SILENCE, "timeout"],
    ])("%s is a failure that is told", async (_what, how, said) => {
      answer = how;
      await expect(put()).rejects.toThrow(said);
    });
  });
});
