import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../server/testing/app.ts";
import type { TestBrowser } from "../../../server/testing/browser.ts";
import { createDraft, createSent, ENVELOPES, PAUL } from "../../../server/testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../server/testing/guest.ts";
import { createMember, signIn } from "../../../server/testing/member.ts";
import { makePdf } from "../../../server/testing/pdf.ts";
import { storageFolder } from "../../../server/testing/stored-file.ts";
import { openStore } from "../../../server/src/platform/files/open-store.ts";
import { findStoreFaults, type StoreFault } from "./find-store-faults.ts";

let service: TestApp;
let anne: TestBrowser;
let folder: string;

beforeAll(async () => {
  service = await createTestApp();
  anne = await signIn(service, await createMember(service.platform));
  folder = await mkdtemp(join(tmpdir(), "paraphe-backup-"));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const copyFiles = (to: string) => cp(storageFolder(service.platform.settings), join(folder, to), { recursive: true });

/** One more signed envelope, and one draft less, files included. */
async function goOn(draftId: string): Promise<void> {
  const sent = await createSent(anne, { recipients: [PAUL] });
  const guest = await openMailedGuest(service, sent.id, PAUL.email);
  await guest.confirm();
  expect((await guest.post("sign/", TYPED)).status).toBe(200);
  await anne.post(`${ENVELOPES}${draftId}/cancel/`, {});
  expect((await anne.send("DELETE", `${ENVELOPES}${draftId}/purge/`)).status).toBe(204);
  await service.settle();
}

/** Copies in this order while the service goes on between any two steps, and gives what a restored copy has broken. */
async function faultsOfBackup(name: string, order: readonly ("files" | "dump")[]): Promise<StoreFault[]> {
  const { owner, clock, db } = service.platform;
  let dump: Awaited<ReturnType<ReturnType<typeof begin>["execute"]>> | null = null;
  const begin = () => owner.startTransaction().setIsolationLevel("repeatable read");
  const drafts = [];
  for (const step of order)
    drafts.push(await createDraft(anne, { files: [{ name: "projet.pdf", bytes: makePdf({ text: `${name} ${step} ${drafts.length}` }) }] }));
  try {
    for (const [index, step] of order.entries()) {
      if (step === "files") await copyFiles(name);
      else {
        // What pg_dump reads by: one snapshot, taken with its first statement.
        dump = await begin().execute();
        await sql`select count(*) from envelopes`.execute(dump);
      }
      await goOn(drafts[index]?.id ?? "");
    }
    if (dump === null) throw new Error("Expected a dump");
    const files = await openStore(db, { storage: { kind: "folder", folder: join(folder, name) }, storageFallback: null }, service.platform);
    return await findStoreFaults({ db: dump as never, files, clock });
  } finally {
    await dump?.rollback().execute();
  }
}

test("files, dump, files again: what was copied while the service ran misses nothing", async () => {
  expect(await faultsOfBackup("documented", ["files", "dump", "files"])).toEqual([]);
}, 60_000);

test("files, then dump: what was signed between misses its file", async () => {
  expect(await faultsOfBackup("wrong", ["files", "dump"])).not.toEqual([]);
}, 60_000);

test("dump, then files: what was removed between misses its file", async () => {
  expect(await faultsOfBackup("short", ["dump", "files"])).not.toEqual([]);
}, 60_000);
