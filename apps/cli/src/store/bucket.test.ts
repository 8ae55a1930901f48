import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../server/testing/app.ts";
import { refusal, type TestBrowser } from "../../../server/testing/browser.ts";
import { createSent, envelopeForm, ENVELOPES, PAUL } from "../../../server/testing/envelope.ts";
import { openMailedGuest, signAsGuest, TYPED } from "../../../server/testing/guest.ts";
import { createMember, signIn } from "../../../server/testing/member.ts";
import {
  type FaultyProxy,
  openFaultyProxy,
} from "../../../server/testing/object-store/faulty-proxy.ts";
import {
  missingObjectStore,
  openObjectStore,
  type TestObjectStore,
} from "../../../server/testing/object-store/open-object-store.ts";
import { makePdf } from "../../../server/testing/pdf.ts";
import { hashOf } from "../../../server/src/platform/content-hash.ts";
import {
  AlteredFileError,
  type FileStore,
  StorageFullError,
  StoreAwayError,
} from "../../../server/src/platform/files/file-store.ts";
import { openKnownStore, openStore } from "../../../server/src/platform/files/open-store.ts";
import type { BucketPlace } from "../../../server/src/platform/settings/settings.ts";
import { openBucket } from "../../../server/src/platform/object-store/s3-bucket.ts";
import { findStoreFaults } from "../../testing/find-store-faults.ts";
import { runMoveStore, USAGE } from "./run-move-store.ts";

describe.skipIf(missingObjectStore())("a service that keeps its files in a bucket", () => {
  let objects: TestObjectStore;
  let proxy: FaultyProxy;
  let place: BucketPlace;
  let service: TestApp;
  let files: FileStore;
  let anne: TestBrowser;
  let signed: { readonly id: string; readonly documentId: string };
  const text = (words: string) => new TextEncoder().encode(words);
  const large = new Uint8Array(1.5 * 1024 * 1024).map((_, index) => index % 251);

  beforeAll(async () => {
    objects = await openObjectStore();
    Object.assign(process.env, objects.keys.files);
    proxy = await openFaultyProxy(objects.files.endpoint ?? "");
    place = { ...objects.files, prefix: "paraphe/essai/", endpoint: proxy.endpoint };
    service = await createTestApp({ settings: { storage: place, rateLimits: "off" } });
    files = service.platform.files;
    anne = await signIn(service, await createMember(service.platform));
    const sent = await createSent(anne, { recipients: [PAUL] });
    await signAsGuest(service, sent.id, PAUL.email);
    await service.settle({ deferred: "run" });
    signed = { id: sent.id, documentId: sent.documents[0]?.id ?? "" };
  }, 60_000);
  afterEach(() => proxy?.meet(null));
  afterAll(async () => {
    await service?.close();
    await proxy?.close();
    await objects?.close();
  });

  const download = () => anne.get(`${ENVELOPES}${signed.id}/documents/${signed.documentId}/file/`);
  const upload = (words: string) =>
    anne.send(
      "POST",
      ENVELOPES,
      envelopeForm({
        title: words,
        files: [{ name: "bail.pdf", bytes: makePdf({ text: words }) }],
      }),
    );

  const isStoreReady = async () =>
    !((await anne.get("/api/health/ready")).body.missing ?? []).includes("store");

  test("signs and completes an envelope whose files are all in the bucket", async () => {
    expect((await anne.get(`${ENVELOPES}${signed.id}/`)).body.status).toBe("completed");
    const { status, headers } = await download();
    expect([status, headers["location"]]).toEqual([200, undefined]);
    expect(await findStoreFaults(service.platform)).toEqual([]);
    expect(
      proxy.seen().every((call) => /^[A-Z]+ \/fichiers(\/?$|\/paraphe\/essai\/)/.test(call)),
    ).toBe(true);
  });

  test("answers 503 within ten seconds while the store does not answer, and recovers with it", async () => {
    const sha256 = await files.put(text("avant"));
    (await files.stream(sha256)).resume();
    const other = await openStore(service.platform.db, service.platform.settings, service.platform);
    proxy.meet("silent");
    const started = performance.now();
    const asked = await Promise.all([
      download().then(refusal),
      upload("Pendant").then(refusal),
      isStoreReady(),
      ...[
        files.get(sha256),
        files.size(sha256),
        files.stream(sha256, { start: 0, end: 1 }),
        other.put(text("autre")),
        other.remove(sha256),
        other.check(),
        collect(files.list()),
      ].map((call) =>
        call.then(
          () => "done",
          (error: unknown) => error instanceof StoreAwayError,
        ),
      ),
    ]);
    expect(performance.now() - started).toBeLessThan(10_000);
    const unavailable = [503, "service_unavailable"];
    expect(asked).toEqual([
      unavailable,
      unavailable,
      false,
      ...Array.from({ length: 7 }, () => true),
    ]);
    proxy.meet(null);
    expect((await download()).status).toBe(200);
    expect((await upload("Après")).status).toBe(201);
    expect(await files.get(sha256)).toEqual(text("avant"));
    await other.check();
    // The last answer is valid for a second.
    await expect.poll(isStoreReady, { timeout: 10_000 }).toBe(true);
  }, 30_000);

  test("loses no acknowledged signature while the store is down, and accepts the repeated call once it is back", async () => {
    const sent = await createSent(anne, { recipients: [PAUL] });
    await service.settle();
    const guest = await openMailedGuest(service, sent.id, PAUL.email);
    await guest.confirm();
    proxy.meet("down");
    const during = await guest.post("sign/", TYPED);
    expect([202, 503]).toContain(during.status);
    expect((await upload("Pendant")).status).toBe(503);
    await service.settle({ failures: "keep" });
    proxy.meet(null);
    if (during.status === 503)
      expect([200, 202, 409]).toContain((await guest.post("sign/", TYPED)).status);
    service.platform.clock.advance({ minutes: 10 });
    await service.settle({ deferred: "run" });
    expect((await anne.get(`${ENVELOPES}${sent.id}/`)).body.status).toBe("completed");
    expect(await findStoreFaults(service.platform)).toEqual([]);
  });

  test.each([
    ["says 500 of what it has stored", "stored, then 500", "PUT"],
    ["breaks the connection", "down", "PUT"],
    ["breaks it while it is looked at", "down", "HEAD"],
  ] as const)(
    "stores a file all the same when the store %s, and it is there once",
    async (_what, fault, method) => {
      proxy.meet(fault, { times: 1, method });
      const bytes = text(`${fault} ${method}`);
      const sha256 = await files.put(bytes);
      expect([await files.size(sha256), await files.get(sha256)]).toEqual([bytes.length, bytes]);
    },
  );

  test("acknowledges nothing while a store that has stored answers 500", async () => {
    proxy.meet("stored, then 500", { method: "PUT" });
    await expect(files.put(text("toujours 500"))).rejects.toBeInstanceOf(StoreAwayError);
    proxy.meet(null);
    expect(await files.get(await files.put(text("toujours 500")))).toEqual(text("toujours 500"));
  });

  test.each([
    ["small", text("un contrat")],
    ["large", large],
  ])(
    "asks once more for what came cut short or wrong (%s), and gives no wrong byte",
    async (_size, bytes) => {
      const sha256 = await files.put(bytes);
      const reopen = () =>
        openStore(service.platform.db, service.platform.settings, service.platform);
      const read = async (store: FileStore) => Buffer.from(await store.get(sha256)).equals(bytes);
      const streamed = async (store: FileStore) =>
        (await buffer(await store.stream(sha256, { start: 2, end: bytes.length - 2 }))).equals(
          bytes.subarray(2, -1),
        );
      for (const fault of ["cut short", "wrong bytes"] as const) {
        for (const look of [read, streamed]) {
          // This store has not hashed the file yet.
          const fresh = await reopen();
          proxy.meet(fault, { times: 1, method: "GET" });
          expect(await look(fresh)).toBe(true);
          proxy.meet(null);
        }
        const fresh = await reopen();
        proxy.meet(fault, { method: "GET" });
        await expect(read(fresh)).rejects.toBeInstanceOf(
          fault === "cut short" ? StoreAwayError : AlteredFileError,
        );
        proxy.meet(null);
        expect(await read(fresh)).toBe(true);
      }
      // A broken download of a known file resumes.
      expect(await streamed(files)).toBe(true);
      proxy.seen();
      proxy.meet("cut short", { times: 1, method: "GET" });
      expect(await streamed(files)).toBe(true);
      expect(proxy.seen()).toHaveLength(2);
    },
  );

  test("reports a full store, and accepts files again once there is room", async () => {
    proxy.meet("full", { method: "PUT" });
    await expect(files.put(text("trop"))).rejects.toBeInstanceOf(StorageFullError);
    await expect(files.check()).rejects.toBeInstanceOf(StorageFullError);
    expect(refusal(await upload("Trop"))).toEqual([507, "storage_full"]);
    proxy.meet(null);
    await files.check();
    expect((await upload("Trop")).status).toBe(201);
  });

  describe("moving files to another store", () => {
    let folder: string;
    let moved: FileStore;
    let lines: string[];
    const source = () =>
      `s3://${place.bucket}/${place.prefix}?endpoint=${place.endpoint}&region=${place.region}`;
    const move = (
      words: readonly string[],
      wait: (ms: number) => Promise<unknown> = async () => {},
    ) =>
      runMoveStore(service.platform, words, {
        environment: {},
        wait,
        progress: (line) => lines.push(line),
      });
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "paraphe-moved-"));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));
    const openMoved = (storageFallback: BucketPlace | null) =>
      openStore(
        service.platform.db,
        { storage: { kind: "folder", folder }, storageFallback },
        service.platform,
      );

    test("needs a service that was started with both, and exactly two words", async () => {
      lines = [];
      await expect(move([source(), folder])).rejects.toThrow(
        "VERS ne mène à aucun stockage de cette base",
      );
      moved = await openMoved(place);
      for (const words of [
        [],
        [folder],
        [folder, folder],
        [folder, source(), "encore"],
        ["--help"],
      ])
        expect(await move(words)).toEqual({ code: 64, lines: USAGE });
    });

    test("can be interrupted and repeated; a file damaged in both is named and leaves the old store open", async () => {
      const sha256 = await files.put(text("abîmé"));
      const sound = await files.put(text("sain"));
      await (await openBucket(objects.files)).write(altered(sha256), AbortSignal.timeout(5_000));
      const name = Buffer.from(sha256).toString("hex");
      expect(await move([source(), folder])).toEqual({
        code: 1,
        lines: [expect.stringContaining("1 fichiers n’ont leur empreinte"), name],
      });
      expect(await files.get(await files.put(text("encore ouvert")))).toEqual(
        text("encore ouvert"),
      );
      // The first store's file is damaged after the copy.
      await writeFile(join(folder, pathOf(sound)), "SAIN");
      await files.remove(sha256);
      await files.put(text("abîmé"));
      proxy.meet("down", { times: 40, method: "GET" });
      await expect(move([source(), folder])).rejects.toThrow(StoreAwayError);
      proxy.meet(null);
      expect(await moved.get(sound).catch((error: unknown) => error)).toBeInstanceOf(
        AlteredFileError,
      );
    });

    test("works while the service runs: late writes to the old store are moved, then none is made there", async () => {
      const late = text("écrit pendant la fermeture");
      const raw = (await openKnownStore(service.platform.db, place, "DEPUIS")).files;
      const purged = await files.put(text("effacé pendant la fermeture"));
      const outcome = await move([source(), folder], async (ms) => {
        expect(ms).toBeGreaterThan(30_000);
        await raw.put(late);
        await moved.remove(purged);
        expect(await moved.get(await moved.put(text("nouveau")))).toEqual(text("nouveau"));
      });
      expect(outcome).toEqual({
        code: 0,
        lines: [
          expect.stringMatching(/^Fichiers vérifiés\u00a0: \d+, dont \d+ copiés\.$/),
          expect.stringContaining("a quitté l’ancien stockage"),
        ],
      });
      await expect(
        openStore(service.platform.db, service.platform.settings, service.platform),
      ).rejects.toThrow("que cette base a quitté");
      const other = await openKnownStore(service.platform.db, place, "DEPUIS");
      expect(await other.files.get(await moved.put(late))).toEqual(late);
      await expect(files.put(text("trop tard"))).rejects.toBeInstanceOf(StoreAwayError);

      const alone = await openMoved(null);
      expect([await alone.get(hashOf(late)), await alone.size(purged)]).toEqual([late, null]);
      expect(await findStoreFaults({ ...service.platform, files: alone })).toEqual([]);
      expect(await move([source(), folder])).toMatchObject({ code: 0 });
    });
  });

  const altered = (sha256: Uint8Array) => {
    const bytes = text("ABÎMÉ");
    return {
      name: `${place.prefix}${pathOf(sha256)}`,
      bytes,
      sha256: hashOf(bytes),
      onlyNew: false,
    };
  };
});

function pathOf(sha256: Uint8Array): string {
  const name = Buffer.from(sha256).toString("hex");
  return join(name.slice(0, 2), name.slice(2, 4), name);
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
