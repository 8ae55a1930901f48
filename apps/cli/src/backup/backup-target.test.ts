import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type FaultyProxy,
  openFaultyProxy,
} from "../../../server/testing/object-store/faulty-proxy.ts";
import {
  missingObjectStore,
  openObjectStore,
  type TestObjectStore,
} from "../../../server/testing/object-store/open-object-store.ts";
import { faultOf } from "../outcome.ts";
import { listBackups, NOTHING, openTarget, readParts, writeParts } from "./backup-target.ts";

const SERVICE = "0190a5a0-0000-7000-8000-00000000abcd";

describe.skipIf(missingObjectStore())("a bucket for backups", () => {
  let objects: TestObjectStore;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    objects = await openObjectStore();
    proxy = await openFaultyProxy(objects.files.endpoint ?? "");
  }, 60_000);
  afterEach(() => {
    proxy?.meet(null);
    Object.assign(process.env, objects.keys.files);
  });
  afterAll(async () => {
    await proxy?.close();
    await objects?.close();
  });

  const open = (name: string, key: keyof TestObjectStore["keys"], endpoint = proxy.endpoint) => {
    Object.assign(process.env, objects.keys[key]);
    const place = `s3://${objects.files.bucket}/${name}?endpoint=${endpoint}&region=${objects.files.region}&path_style=1`;
    return openTarget(place, { environment: {}, folder: "/", service: SERVICE });
  };
  const said = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => faultOf(error),
    );

  test("returns stored parts unchanged and notes in order", async () => {
    const target = await open(randomUUID(), "files");
    const bytes = new Uint8Array(9 * 1024 * 1024).map((_, index) => index % 251);
    const names = await writeParts(
      target.files,
      NOTHING,
      (async function* () {
        for (let start = 0; start < bytes.length; start += 1024 * 1024)
          yield bytes.subarray(start, start + 1024 * 1024);
      })(),
    );
    expect(names).toHaveLength(2);
    const read: Uint8Array[] = [];
    for await (const part of readParts(target.files, NOTHING.unwrap, names)) read.push(part);
    expect(Buffer.concat(read).equals(bytes)).toBe(true);
    await target.notes.write("b.begun", "");
    await target.notes.write("a.json", "{}\n");
    expect([await target.notes.read("a.json"), await target.notes.read("c.json")]).toEqual([
      "{}",
      null,
    ]);
    expect(await listBackups(target)).toEqual({ whole: ["a"], cut: ["b"] });
    await target.notes.remove("b.begun");
    expect(await listBackups(target)).toEqual({ whole: ["a"], cut: [] });
  });

  test.each([
    [
      "may do nothing there",
      "powerless",
      "ne permet pas de lire, d’écrire et de supprimer les objets",
    ],
    ["may not list", "blind", "ne permet pas de lister les objets"],
    ["may only read", "reader", "ne permet pas de lire, d’écrire et de supprimer les objets"],
  ] as const)("refuses in one line a key that %s", async (_what, key, why) => {
    const fault = await said(open(randomUUID(), key));
    expect(fault).toEqual({
      code: 78,
      line: expect.stringMatching(/^Réglage refusé\u00a0: SAUVEGARDE [^\n]+$/),
    });
    expect(fault?.line).toContain(why);
  });

  test("reports in one line that it is full or unavailable", async () => {
    const name = randomUUID();
    const target = await open(name, "files");
    const shown = `s3://${objects.files.bucket}/${name}/`;
    proxy.meet("full", { method: "PUT" });
    expect(await said(target.files.put(new Uint8Array(8)))).toEqual({
      code: 1,
      line: `${shown} est plein\u00a0: faites-y de la place, puis relancez la commande.`,
    });
    proxy.meet("down");
    expect(await said(open(name, "files"))).toEqual({
      code: 1,
      line: expect.stringMatching(/^s3:[^\n]+ ne répond pas, ou refuse l’écriture/),
    });
  });
});
