import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findStoreFaults } from "../../../../../scripts/store/find-store-faults.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { multipart, type TestBrowser } from "../../../testing/browser.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { openTestTsa, type TestTsa } from "../../../testing/tsa-server.ts";
import { StorageFullError } from "../../platform/files/file-store.ts";
import { createSealing } from "../sealing/index.ts";
import { createTrust } from "../trust/index.ts";
import { type BatchDeps, createBatches } from "./create-batches.ts";
import { endBatches, resumeBatches } from "./register-jobs.ts";
import { eraseOwnedBatches } from "./remove-batch.ts";
import { runBatch } from "./run-batch.ts";
import { claimItems } from "./run-store.ts";

const JOBS = "/api/signature/batch-jobs/";
const PLACE = { page: -1, x: 0.55, y: 0.75, width: 0.3, height: 0.08 };

let test: TestApp;
let tsa: TestTsa;
let member: Member;
let camille: TestBrowser;
let number = 0;

beforeAll(async () => {
  tsa = await openTestTsa();
  test = await createTestApp({ settings: { rateLimits: "off", tsaUrl: tsa.url } });
  member = await createMember(test.platform);
  camille = await signIn(test, member);
}, 60_000);
afterAll(async () => {
  await test.close();
  await tsa.close();
});
beforeEach(() => tsa.behave({}));

async function send(count: number, { title, bad }: { readonly title?: string; readonly bad?: number } = {}): Promise<string> {
  const files = Array.from({ length: count }, (_, index) => ({
    field: "files",
    name: `Acte ${++number}.pdf`,
    bytes: index === bad ? new TextEncoder().encode("rien") : makePdf({ text: `Acte ${number}` }),
    type: "application/pdf",
  }));
  const form = multipart(
    {
      placement: JSON.stringify(PLACE),
      signature: JSON.stringify({ kind: "typed", text: "Camille", font: "caveat" }),
      ...(title === undefined ? {} : { title }),
    },
    files,
  );
  const sent = await camille.post("/api/signature/batch-sign/", form.body, { headers: form.headers });
  expect(sent.status).toBe(202);
  return sent.body.id;
}
const read = async (id: string) => (await camille.get(`${JOBS}${id}/`)).body;
/** Another process of the service, on the same database and files. */
const elsewhere = async (platform: Partial<BatchDeps["platform"]> = {}): Promise<BatchDeps> => {
  const joined = { ...test.platform, ...platform };
  return createBatches(joined, createSealing(joined, await createTrust(joined)));
};
const toldOf = (id: string) =>
  test.platform.db.selectFrom("notices").select(["channel"]).where("dedupe_key", "like", `batch_ended:${id}:%`).execute();
const actsOf = async (id: string) =>
  test.platform.db
    .selectFrom("signing_acts as a")
    .innerJoin("batch_items as i", "i.id", "a.id")
    .select("a.id")
    .where("i.job_id", "=", id)
    .execute();

describe("a batch", () => {
  it("is signed once by two processes that work at it together", async () => {
    const id = await send(5);
    const [one, other] = [await elsewhere(), await elsewhere()];
    await Promise.all([runBatch(one, id), runBatch(other, id)]);
    await runBatch(one, id);
    expect(await read(id)).toMatchObject({ status: "completed", done: 5 });
    expect(await actsOf(id)).toHaveLength(5);
    expect(await findStoreFaults(test.platform)).toEqual([]);
  });

  it("gives back at once what a process that died had begun", async () => {
    const id = await send(2);
    const dying = await test.platform.db.startTransaction().execute();
    expect(await claimItems(dying, { batchId: id, most: 1 })).toMatchObject([{ name: expect.stringContaining("Acte") }]);
    const works = await elsewhere();
    // The other file only: the first is held by whoever is about to die.
    expect(await runBatch(works, id)).toBe("later");
    expect(await read(id)).toMatchObject({ status: "running", done: 1, items: [{ status: "running" }, { status: "done" }] });
    await dying.rollback().execute();
    await resumeBatches(works);
    await test.settle({ deferred: "run" });
    expect(await read(id)).toMatchObject({ status: "completed", done: 2 });
  });

  it("tells its owner once how it ended, whoever comes to its end: by the channels they chose, with the counts and what failed", async () => {
    const { db } = test.platform;
    const verified = { notify_sms: true, phone_number: "+33639980001", phone_verified_at: test.platform.clock() };
    await db.updateTable("users").set(verified).where("id", "=", member.id).execute();
    const id = await send(3, { title: "Attestations", bad: 1 });
    const [one, other] = [await elsewhere(), await elsewhere()];
    await Promise.all([runBatch(one, id), runBatch(other, id)]);
    await Promise.all([runBatch(one, id), runBatch(other, id)]);
    await resumeBatches(one);
    const told = await toldOf(id);
    expect(told.map(({ channel }) => channel).sort()).toEqual(["email", "sms"]);
    await test.settle({ deferred: "run", failures: "keep" });
    const mails = (await mailFor(test.platform, member.email)).filter(({ subject }) => subject.startsWith("Lot «"));
    expect(mails.map(({ subject }) => subject)).toEqual(["Lot «\u00a0Attestations\u00a0»\u00a0: 2 documents signés sur 3, 1 en échec"]);
    // Tried again, it ends again: that end is told too.
    expect((await camille.post(`${JOBS}${id}/retry/`, {})).status).toBe(202);
    test.platform.clock.advance({ minutes: 1 });
    await test.settle({ deferred: "run", failures: "keep" });
    expect(await toldOf(id)).toHaveLength(4);
  });

  it("is told of by no message when its owner stopped it", async () => {
    const id = await send(2);
    expect((await camille.send("DELETE", `${JOBS}${id}/`)).status).toBe(200);
    await test.settle({ deferred: "run" });
    expect(await toldOf(id)).toEqual([]);
  });

  it("is said in the journal of each of its documents: one consent, for a batch", async () => {
    const id = await send(1);
    await test.settle({ deferred: "run" });
    const { envelope_id } = (await read(id)).items[0];
    const { results } = (await camille.get(`/api/signature/envelopes/${envelope_id}/events/`)).body;
    expect(results.find((event: { action: string }) => event.action === "consent_given").detail).toMatchObject({
      method: "bulk",
      batch: id,
    });
  });

  it("waits for the time-stamping authority, and loses nothing", async () => {
    const id = await send(2);
    tsa.behave({ away: true });
    await expect(runBatch(await elsewhere(), id)).rejects.toThrow();
    expect(await read(id)).toMatchObject({ status: "running", done: 0, failed: 0 });
    tsa.behave({});
    await test.settle({ deferred: "run", failures: "keep" });
    expect(await read(id)).toMatchObject({ status: "completed", done: 2 });
  });

  it("says that the storage is full, file by file, and signs at another try", async () => {
    const id = await send(2);
    const put = () => Promise.reject(new StorageFullError("full"));
    await runBatch(await elsewhere({ files: { ...test.platform.files, put } }), id);
    expect(await read(id)).toMatchObject({ status: "failed", failed: 2, items: [{ detail: "Espace de stockage insuffisant" }, {}] });
    expect((await camille.post(`${JOBS}${id}/retry/`, {})).status).toBe(202);
    await test.settle({ deferred: "run" });
    expect(await read(id)).toMatchObject({ status: "completed", done: 2 });
    expect(await findStoreFaults(test.platform)).toEqual([]);
  });

  it("gives up a file that fails for no known reason after three tries, and that file alone", async () => {
    const id = await send(2);
    await test.platform.db.updateTable("batch_items").set({ failed_tries: 2 }).where("job_id", "=", id).execute();
    const { sandbox } = test.platform;
    let spoilt = 0;
    const spoiling = {
      ...sandbox,
      askedBy: (caller: Parameters<typeof sandbox.askedBy>[0]) => ({
        call: (async (task: string, ...args: unknown[]) => {
          const answer = await (sandbox.askedBy(caller).call as (...all: unknown[]) => Promise<object>)(task, ...args);
          // One document's validation says that something is wrong with it.
          return task === "validate" && spoilt++ === 0 ? { ...answer, problems: ["trailing_bytes"] } : answer;
        }) as never,
      }),
    };
    await runBatch(await elsewhere({ sandbox: spoiling as never }), id);
    const job = await read(id);
    expect(job).toMatchObject({ status: "partial", done: 1, failed: 1 });
    expect(job.items.map((item: { detail: string | null }) => item.detail)).toContain(
      "Ce document n’a pas pu être signé. Réessayez-le, ou exportez-le à nouveau depuis le logiciel d’origine.",
    );
  });

  it("ends whole whichever comes first, its cancellation or its signing, ten times over", async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await send(3);
      const works = await elsewhere();
      const [, cancelled] = await Promise.all([runBatch(works, id), camille.send("DELETE", `${JOBS}${id}/`)]);
      expect(cancelled.status).toBe(200);
      await test.settle({ deferred: "run" });
      const job = await read(id);
      const signed = job.items.filter((item: { status: string }) => item.status === "done");
      expect(job.items.every((item: { status: string }) => ["done", "cancelled"].includes(item.status))).toBe(true);
      expect(["cancelled", "completed"]).toContain(job.status);
      expect(await actsOf(id)).toHaveLength(signed.length);
    }
  });

  it("goes seven days after its end, with the files that it alone kept; its envelopes stay", async () => {
    const id = await send(1);
    await test.settle({ deferred: "run" });
    const { envelope_id } = (await read(id)).items[0];
    test.platform.clock.advance({ days: 8 });
    camille = await signIn(test, member);
    await endBatches(await elsewhere());
    await test.settle({ deferred: "run" });
    expect((await camille.get(`${JOBS}${id}/`)).status).toBe(404);
    expect((await camille.get(`/api/signature/envelopes/${envelope_id}/signed-document/`)).status).toBe(200);
  });

  it("goes with its owner's account", async () => {
    const id = await send(1);
    await eraseOwnedBatches(test.platform, member.id);
    await test.settle({ deferred: "run" });
    expect((await camille.get(`${JOBS}${id}/`)).status).toBe(404);
    expect(await test.platform.db.selectFrom("batch_items").select("id").execute()).toEqual([]);
    expect(await findStoreFaults(test.platform)).toEqual([]);
  });
});
