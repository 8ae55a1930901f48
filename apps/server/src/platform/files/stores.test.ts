import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdtempSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type AccessKey,
  missingObjectStore,
  openObjectStore,
  type TestObjectStore,
} from "../../../testing/object-store/open-object-store.ts";
import {
  missingS3Proxy,
  openS3Proxy,
  type TestS3Proxy,
} from "../../../testing/object-store/open-s3-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { findFreePort } from "../../../testing/run-main.ts";
import { CAN_MOUNT, openSmallMedium } from "../../../testing/servers/small-medium.ts";
import { startFault } from "../../start-fault.ts";
import { openBucket, createS3LockedStore } from "../object-store/s3-bucket.ts";
import { type BucketPlace, SettingsError, type StoragePlace } from "../settings/settings.ts";
import {
  AlteredFileError,
  type FileStore,
  MissingFileError,
  NO_LEDGER,
  StorageFullError,
  STORE_ID,
  StoreAwayError,
} from "./file-store.ts";
import { hashOf } from "../content-hash.ts";
import { openFolderFileStore } from "./folder-file-store.ts";
import { openStore } from "./open-store.ts";
import { openS3FileStore, readText } from "./s3-file-store.ts";

const bytes = new TextEncoder().encode("un contrat");
const MORE = new TextEncoder().encode("un avenant");
const LARGE = new Uint8Array(1.5 * 1024 * 1024).map((_, index) => index % 251);
const nothing = new Uint8Array(32);
const DRAFT = `${STORE_ID}.draft`;
const DEPS = { newId: randomUUID, clock: () => new Date() };

let objects: TestObjectStore;
let s3proxy: TestS3Proxy;
beforeAll(async () => {
  if (missingObjectStore()) return;
  objects = await openObjectStore();
  Object.assign(process.env, objects.keys.files);
  if (!missingS3Proxy()) s3proxy = await openS3Proxy(objects.keys.files);
}, 60_000);
afterAll(async () => {
  await objects?.close();
  await s3proxy?.close();
});

const KINDS: readonly (readonly [string, () => TestStore, string | false])[] = [
  ["in a folder", folderStore, false],
  ["in a bucket of Moto's", () => bucketStore(objects.files), missingObjectStore()],
  [
    "in a bucket of S3Proxy's",
    () => bucketStore(s3proxy.files),
    missingObjectStore() || missingS3Proxy(),
  ],
];

describe.each(KINDS)("the store of a database, %s,", (_kind, make, missing) => {
  let database: TestDatabase;
  let store: TestStore;
  const open = (storage: StoragePlace, storageFallback: StoragePlace | null = null) =>
    openStore(database.db, { storage, storageFallback }, DEPS);
  beforeEach(async ({ skip }) => {
    if (missing) skip(missing);
    database = await createTestDatabase();
    store = make();
  });
  afterEach(async () => {
    await database?.drop();
    await store?.close();
  });

  test("a store is created the first time, by one of several starts, and recognised later", async () => {
    const [one, other] = await Promise.all([open(store.place), open(store.place)]);
    const sha256 = await one.put(bytes);
    expect([await other.get(sha256), await (await open(store.place)).get(sha256)]).toEqual([
      bytes,
      bytes,
    ]);
  });

  test("an empty place is an unmounted disk: the start is refused, and creates nothing", async () => {
    await open(store.place);
    await store.setId(null);
    await expect(open(store.place)).rejects.toThrow(
      "STORAGE_URL ne mène pas aux fichiers de cette base, peut-être parce que le disque n’est pas monté",
    );
    await expect(open(store.place)).rejects.toThrow(SettingsError);
    expect(await store.names()).toEqual([]);
  });

  test("another database's store is refused, even an empty one", async () => {
    await open(store.place);
    const before = await store.names();
    const other = await createTestDatabase();
    const elsewhere = make();
    await expect(
      openStore(other.db, { storage: store.place, storageFallback: null }, DEPS),
    ).rejects.toThrow("STORAGE_URL mène aux fichiers d’une autre base");
    await openStore(other.db, { storage: elsewhere.place, storageFallback: null }, DEPS);
    await other.drop();
    await expect(open(elsewhere.place)).rejects.toThrow(SettingsError);
    expect(await store.names()).toEqual(before);
    await elsewhere.close();
  });

  test("a first start that was cut short is completed by the next one", async () => {
    await open(store.place);
    // The start was cut after the database knew the store.
    await store.makeDraft();
    const [one, other] = await Promise.all([open(store.place), open(store.place)]);
    expect(await one.get(await other.put(bytes))).toEqual(bytes);
    // The start was cut before the database knew the store.
    await store.makeDraft();
    const next = await createTestDatabase();
    const opened = await openStore(next.db, { storage: store.place, storageFallback: null }, DEPS);
    await opened.check();
    await next.drop();
  });

  test("a second store joins, both are required from then on, until the database leaves one", async () => {
    const before = await (await open(store.place)).put(bytes);
    const next = make();
    const alone = () => open(next.place);
    await expect(alone()).rejects.toThrow("STORAGE_URL ne mène pas aux fichiers de cette base");
    const both = await open(next.place, store.place);
    const since = await both.put(MORE);
    expect([await both.get(before), await both.get(since), await both.size(before)]).toEqual([
      bytes,
      MORE,
      bytes.length,
    ]);
    expect(
      Buffer.concat(await (await both.stream(before, { start: 3, end: 9 })).toArray()).toString(),
    ).toBe("contrat");
    expect(await collect(both.list())).toHaveLength(2);
    for (const place of [next.place, store.place])
      await expect(open(place)).rejects.toThrow("ne mène pas à tous les fichiers de cette base");
    // An old node may still read from the old store, or write to it.
    const other = await open(store.place, next.place);
    expect(await other.get(since)).toEqual(MORE);
    const third = make();
    await expect(open(next.place, third.place)).rejects.toThrow(
      "STORAGE_FALLBACK_URL ne mène pas aux fichiers de cette base",
    );
    await both.remove(before);
    await expect(other.get(before)).rejects.toBeInstanceOf(MissingFileError);

    await database.db
      .updateTable("store_identity")
      .set({ closed_at: new Date() })
      .where("id", "=", await store.id())
      .execute();
    await expect(other.put(new Uint8Array([1]))).rejects.toThrow(StoreAwayError);
    await expect(other.check()).rejects.toThrow(StoreAwayError);
    await expect(open(store.place)).rejects.toThrow(
      "STORAGE_URL mène à un stockage que cette base a quitté",
    );
    expect(await (await open(next.place, store.place)).get(since)).toEqual(MORE);
    expect(await (await alone()).get(since)).toEqual(MORE);
    for (const place of [next, third]) await place.close();
  });

  test("each file is recorded before it is stored, in one statement for those of one call", async () => {
    const opened = await open(store.place);
    const sha256s = await Promise.all([bytes, LARGE, bytes].map((given) => opened.put(given)));
    const rows = await database.db.selectFrom("loose_files").select("sha256").execute();
    const hex = (sha256: Uint8Array) => Buffer.from(sha256).toString("hex");
    expect(rows.map(({ sha256 }) => hex(sha256)).sort()).toEqual(
      [...new Set(sha256s.map(hex))].sort(),
    );
  });
});

test("a folder that disappears in use accepts nothing more", async () => {
  const database = await createTestDatabase();
  const { folder, ...place } = folderStore();
  const store = await openStore(database.db, { storage: place.place, storageFallback: null }, DEPS);
  await rename(folder, `${folder}-away`);
  await expect(
    openStore(database.db, { storage: place.place, storageFallback: null }, DEPS),
  ).rejects.toThrow("n’est pas monté");
  expect(existsSync(folder)).toBe(false);
  await mkdir(folder);
  await expect(store.put(bytes)).rejects.toThrow(StoreAwayError);
  await expect(store.check()).rejects.toThrow(StoreAwayError);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
  await rename(`${folder}-away`, folder);
  expect(await store.get(await store.put(bytes))).toEqual(bytes);
  await database.drop();
  await place.close();
});

describe.skipIf(missingObjectStore())("a bucket is refused at the start,", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.drop();
    Object.assign(process.env, objects.keys.files);
  });
  const open = (changed: Partial<BucketPlace>, key: AccessKey) => {
    Object.assign(process.env, key);
    const storage = { ...objects.files, prefix: `${randomUUID()}/`, ...changed };
    return openStore(database.db, { storage, storageFallback: null }, DEPS);
  };

  test.each([
    ["that does not exist", { bucket: "absent" }, "files", "nomme un seau qui n’existe pas"],
    ["by a key that there is not", {}, "unknown", "dont la clé d’accès est refusée"],
    [
      "by a key that may do nothing there",
      {},
      "powerless",
      "dont la clé d’accès est refusée, ou ne permet pas de lire, d’écrire et de supprimer les objets",
    ],
    ["by a key that may not list", {}, "blind", "ne permet pas de lister les objets"],
    [
      "by a key that may only read",
      {},
      "reader",
      "ne permet pas de lire, d’écrire et de supprimer les objets",
    ],
  ] as const)("%s, in one French line, and nothing is made", async (_what, changed, key, said) => {
    const refused = await open(changed, objects.keys[key]).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SettingsError);
    expect((refused as Error).message).toMatch(
      /^Réglage refusé\u00a0: STORAGE_URL [^\n]+Exemple\u00a0: STORAGE_URL=s3:/,
    );
    expect((refused as Error).message).toContain(said);
    expect(await database.db.selectFrom("store_identity").select("id").execute()).toEqual([]);
  });

  test("a bucket that does not answer is an outage, not a bad setting", async () => {
    const refused = await open(
      { endpoint: `http://127.0.0.1:${await findFreePort()}` },
      objects.keys.files,
    ).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreAwayError);
    expect(startFault(refused)).toEqual({
      line: expect.stringMatching(
        /^Démarrage impossible\u00a0: le stockage de STORAGE_URL ne répond pas\./,
      ),
      exitCode: 1,
    });
  });
});

describe.each(KINDS)("files %s", (_kind, make, missing) => {
  let store: TestStore;
  let files: FileStore;
  beforeEach(async ({ skip }) => {
    if (missing) skip(missing);
    store = make();
    await store.setId("essai");
    files = await store.open();
  });
  afterEach(() => store?.close());

  test("files are stored under their SHA-256 and read back", async () => {
    const sha256 = await files.put(bytes);
    expect(sha256).toEqual(new Uint8Array(createHash("sha256").update(bytes).digest()));
    expect(await files.get(sha256)).toEqual(bytes);
    expect(await files.size(sha256)).toBe(bytes.length);
  });

  test.each([
    ["small", bytes],
    ["larger than what is given from memory", LARGE],
  ])(
    "files are streamed by ranges, %s, before and after their hash is verified",
    async (_size, given) => {
      const sha256 = await files.put(given);
      for (const range of [
        { start: 3, end: 9 },
        undefined,
        { start: 0, end: 0 },
        { start: given.length - 4, end: given.length - 1 },
      ]) {
        const expected = range === undefined ? given : given.subarray(range.start, range.end + 1);
        const reader = await store.open();
        expect((await buffer(await files.stream(sha256, range))).equals(expected)).toBe(true);
        expect((await buffer(await reader.stream(sha256, range))).equals(expected)).toBe(true);
      }
    },
  );

  test("an empty file is stored as well", async () => {
    const sha256 = await files.put(new Uint8Array());
    expect([await files.get(sha256), await files.size(sha256)]).toEqual([new Uint8Array(), 0]);
    expect(await buffer(await files.stream(sha256))).toHaveLength(0);
    expect(await buffer(await files.stream(sha256))).toHaveLength(0);
  });

  test("equal bytes are stored once, even by simultaneous callers, without a draft left", async () => {
    await Promise.all(Array.from({ length: 10 }, () => files.put(bytes)));
    expect(await collect(files.list())).toHaveLength(1);
    expect(await store.names()).toEqual([pathOf(hashOf(bytes)), STORE_ID].sort());
  });

  test.each(["un", "un CONTRAT"])("that were altered (%s) are written again", async (other) => {
    const sha256 = await files.put(bytes);
    await store.alter(sha256, other);
    await files.put(bytes);
    expect(await files.get(sha256)).toEqual(bytes);
    expect(await store.names()).toEqual([pathOf(sha256), STORE_ID].sort());
  });

  test("a file with changed bytes is never served", async () => {
    const sha256 = await files.put(bytes);
    await store.alter(sha256, "un CONTRAT");
    await expect(files.get(sha256)).rejects.toThrow(AlteredFileError);
  });

  test.each([
    ["small", bytes],
    ["large", LARGE],
  ])(
    "that were changed are not streamed, %s, whatever part is asked for, even after they were sound",
    async (_size, given) => {
      const sha256 = await files.put(given);
      (await files.stream(sha256)).resume();
      await store.alter(sha256, "un CONTRAT");
      await expect(files.stream(sha256)).rejects.toBeInstanceOf(AlteredFileError);
      await expect(files.stream(sha256, { start: 0, end: 1 })).rejects.toBeInstanceOf(
        AlteredFileError,
      );
      await files.put(given);
      expect(Buffer.concat(await (await files.stream(sha256)).toArray()).equals(given)).toBe(true);
    },
  );

  test("a missing file differs from a store that is away", async () => {
    await expect(files.get(nothing)).rejects.toBeInstanceOf(MissingFileError);
    await expect(files.stream(nothing)).rejects.toBeInstanceOf(MissingFileError);
    expect(await files.size(nothing)).toBeNull();
    // The place is another store, so nothing is lost.
    await store.setId(null);
    const blind = await store.open();
    await expect(blind.get(nothing)).rejects.toBeInstanceOf(StoreAwayError);
    await expect(blind.stream(nothing)).rejects.toBeInstanceOf(StoreAwayError);
    await expect(blind.size(nothing)).rejects.toBeInstanceOf(StoreAwayError);
    await store.setId("essai");
    expect(await blind.size(nothing)).toBeNull();
  });

  test("files are removed, and absent ones are no error", async () => {
    const sha256 = await files.put(bytes);
    await files.remove(sha256);
    await files.remove(sha256);
    expect(await files.size(sha256)).toBeNull();
    await expect(files.get(sha256)).rejects.toBeInstanceOf(MissingFileError);
  });

  test("nothing is removed or written where another store stands in its place", async () => {
    const sha256 = await files.put(bytes);
    await store.setId("autre");
    const other = await store.open();
    await expect(other.remove(sha256)).rejects.toBeInstanceOf(StoreAwayError);
    await expect(other.put(LARGE)).rejects.toBeInstanceOf(StoreAwayError);
    await expect(files.check()).rejects.toBeInstanceOf(StoreAwayError);
    await store.setId("essai");
    await files.check();
    expect(await files.get(sha256)).toEqual(bytes);
    expect(await store.names()).toEqual([pathOf(sha256), STORE_ID].sort());
  });

  test("files are listed with their times", async () => {
    const sha256s = await Promise.all([bytes, LARGE].map((given) => files.put(given)));
    const listed = await collect(files.list());
    const hex = (sha256: Uint8Array) => Buffer.from(sha256).toString("hex");
    expect(listed.map(({ sha256 }) => hex(sha256)).sort()).toEqual(sha256s.map(hex).sort());
    for (const { writtenAt } of listed)
      expect(Math.abs(Date.now() - writtenAt.getTime())).toBeLessThan(600_000);
  });
});

test.runIf(CAN_MOUNT)(
  "a folder reports a full or read-only medium, stores nothing of the file, and goes on afterwards",
  async () => {
    const medium = openSmallMedium(256);
    try {
      await writeFile(join(medium.folder, STORE_ID), "essai");
      const store = await openFolderFileStore(medium.folder, "essai", NO_LEDGER);
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

/** A store under test, with what others may do to it. */
type TestStore = {
  readonly place: StoragePlace;
  /** Opens it as another process does. */
  open(): Promise<FileStore>;
  setId(id: string | null): Promise<void>;
  id(): Promise<string>;
  /** Makes the draft of a start cut short. */
  makeDraft(): Promise<void>;
  alter(sha256: Uint8Array, text: string): Promise<void>;
  names(): Promise<readonly string[]>;
  close(): Promise<void>;
};

function folderStore(): TestStore & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-files-"));
  return {
    folder,
    place: { kind: "folder", folder },
    id: async () => (await readFile(join(folder, STORE_ID), "utf8")).trim(),
    makeDraft: () => rename(join(folder, STORE_ID), join(folder, DRAFT)),
    open: () => openFolderFileStore(folder, "essai", NO_LEDGER),
    setId: (id) =>
      id === null ? rm(join(folder, STORE_ID)) : writeFile(join(folder, STORE_ID), id),
    alter: (sha256, text) => writeFile(join(folder, pathOf(sha256)), text),
    async names() {
      const found = await readdir(folder, { recursive: true, withFileTypes: true });
      return found
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .sort();
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function bucketStore(place: BucketPlace): TestStore {
  const own = { ...place, prefix: `${randomUUID()}/` };
  const opened = openBucket(own);
  const signal = () => AbortSignal.timeout(10_000);
  const write = async (name: string, text: string) => {
    const written = new TextEncoder().encode(text);
    await (await opened).write(
      { name, bytes: written, sha256: hashOf(written), onlyNew: false },
      signal(),
    );
  };
  const id = async () => (await readText(await opened, STORE_ID)) ?? "";
  return {
    place: own,
    id,
    async makeDraft() {
      await write(DRAFT, await id());
      await (await opened).remove(STORE_ID, signal());
    },
    open: async () => openS3FileStore(await openBucket(own), "essai", NO_LEDGER),
    setId: async (id) =>
      id === null ? (await opened).remove(STORE_ID, signal()) : write(STORE_ID, id),
    alter: (sha256, text) => write(pathOf(sha256), text),
    names: async () =>
      (await (await opened).list(null, signal())).objects.map(({ name }) => name).sort(),
    close: async () => {},
  };
}

function pathOf(sha256: Uint8Array): string {
  const name = Buffer.from(sha256).toString("hex");
  return join(name.slice(0, 2), name.slice(2, 4), name);
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("a store of objects", () => {
  const OBJECT = {
    name: "journal/checkpoint-1.json",
    bytes: new TextEncoder().encode('{"size":1}'),
    contentType: "application/json",
    until: new Date("2036-11-23T03:04:05.678Z"),
  };

  describe.skipIf(missingObjectStore())(
    "on an independent store, which verifies signatures, rights and locks,",
    () => {
      const put = (changed: Partial<TestObjectStore["settings"]["locked"]> = {}) =>
        createS3LockedStore({ ...objects.settings.locked, ...changed }).put(OBJECT);

      test("a locked object is stored byte for byte, and nobody removes it before its day, even with all rights", async () => {
        await put();
        const [kept = { name: "", version: "" }] = await objects.versions();
        expect(kept.name).toBe(OBJECT.name);
        const path = `/temoin/${kept.name}?versionId=${kept.version}`;
        for (const headers of [{}, { "x-amz-bypass-governance-retention": "true" }])
          expect((await objects.asOwner("DELETE", path, headers)).status).toBe(403);
        // Without a version S3 only adds a delete marker.
        expect((await objects.asOwner("DELETE", `/temoin/${kept.name}`)).status).toBe(204);
        const read = await objects.asOwner("GET", path);
        expect([read.status, await read.text(), read.headers.get("content-type")]).toEqual([
          200,
          '{"size":1}',
          "application/json",
        ]);
        expect(read.headers.get("x-amz-object-lock-mode")).toBe("COMPLIANCE");
        expect(read.headers.get("x-amz-object-lock-retain-until-date")).toBe(
          "2036-11-23T03:04:05Z",
        );
      });

      test("a second put adds a version beside the first", async () => {
        const before = await objects.versions();
        await put();
        expect(await objects.versions()).toHaveLength(before.length + 1);
      });

      test.each([
        ["a wrong secret", { secret: "autre" }, "PUT 403 SignatureDoesNotMatch"],
        ["a key that there is not", { keyId: "personne" }, "PUT 403 InvalidAccessKeyId"],
        ["a bucket that there is not", { bucket: "absent" }, "PUT 404 NoSuchBucket"],
      ])(
        "%s is reported by the store's code, never with the secret",
        async (_what, changed, said) => {
          await expect(put(changed)).rejects.toThrow(said);
        },
      );

      test("a bucket without locks is refused", async () => {
        await expect(createS3LockedStore(objects.settings.plain).put(OBJECT)).rejects.toThrow(
          /^PUT 4|not locked/,
        );
      });
    },
  );

  describe("a store that", () => {
    let server: Server;
    const SILENCE = () => ({ status: 0 });
    let answer: (method: string) => {
      readonly status: number;
      readonly headers?: Record<string, string>;
    };
    let asked: { readonly method: string; readonly headers: Readonly<Record<string, unknown>> }[] =
      [];
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
      return createS3LockedStore({
        endpoint,
        region: "r",
        bucket: "seau",
        keyId: "k",
        secret: "s",
        timeoutMs: 300,
      }).put(OBJECT);
    };
    const lock = (changed: Record<string, string> = {}) => ({
      "content-length": "10",
      "x-amz-object-lock-mode": "COMPLIANCE",
      "x-amz-object-lock-retain-until-date": "2036-11-23T03:04:05.000Z",
      ...changed,
    });

    test("a store receives the digests of the bytes, so that it accepts no others", async () => {
      answer = (method) => ({ status: 200, headers: method === "HEAD" ? lock() : {} });
      await put();
      expect(asked.map(({ method }) => method)).toEqual(["PUT", "HEAD"]);
      // `openssl dgst -md5` and `-sha256` computed these.
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
      [
        "locks for a shorter time",
        { "x-amz-object-lock-retain-until-date": "2036-11-23T03:04:04Z" },
      ],
      ["does not say until when", { "x-amz-object-lock-retain-until-date": "" }],
      ["has other bytes", { "content-length": "9" }],
    ])("a store that %s has not locked it", async (_what, changed) => {
      answer = (method) => ({ status: 200, headers: method === "HEAD" ? lock(changed) : {} });
      await expect(put()).rejects.toThrow("the object was stored, and is not locked");
    });

    test.each([
      ["is overloaded", () => ({ status: 503 }), "PUT 503"],
      [
        "lets nobody look",
        (method: string) => ({ status: method === "HEAD" ? 403 : 200 }),
        "HEAD 403: the lock cannot be looked at",
      ],
      [
        "sends elsewhere",
        () => ({ status: 307, headers: { location: "http://192.0.2.1/" } }),
        "PUT 307",
      ],
      ["says nothing at all", SILENCE, "exceeded"],
    ])("a store that %s has failed", async (_what, how, said) => {
      answer = how;
      await expect(put()).rejects.toThrow(said);
    });
  });
});
