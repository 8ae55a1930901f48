import { sql } from "kysely";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { findStoreFaults } from "../../../../../scripts/store/find-store-faults.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { BATCH_JOBS as JOBS, batchPdf as pdf, type BatchFile as SentFile, sendBatch } from "../../../testing/batch-calls.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { openTestTsa, type TestTsa } from "../../../testing/tsa-server.ts";
import { SandboxLimitError } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { createSealing } from "../sealing/index.ts";
import { createTrust } from "../trust/index.ts";
import { type BatchDeps, createBatches } from "./create-batches.ts";
import { cancelBatch } from "./change-batch.ts";
import { GROUP, SEATS } from "./domain/lanes.ts";
import { removeBatch } from "./remove-batch.ts";
import { runBatch } from "./run-batch.ts";

let test: TestApp;
let tsa: TestTsa;
let camille: TestBrowser;

beforeAll(async () => {
  tsa = await openTestTsa();
  test = await createTestApp({ settings: { rateLimits: "off", tsaUrl: tsa.url } });
  camille = await signIn(test, await createMember(test.platform));
  // What a first document alone waits for.
  await runBatch(await process(), await send(1));
}, 60_000);
afterAll(async () => {
  await test.close();
  await tsa.close();
});
beforeEach(() => tsa.behave({}));
afterEach(() => {
  vi.restoreAllMocks();
});

const send = async (count: number, others: readonly SentFile[] = []): Promise<string> => {
  const sent = await sendBatch(camille, [...Array.from({ length: count }, (_, index) => pdf(`Acte ${index}`)), ...others], {});
  expect(sent.status).toBe(202);
  return sent.body.id;
};
const read = async (id: string) => (await camille.get(`${JOBS}${id}/`)).body;
const statuses = async (id: string) => (await read(id)).items.map(({ status }: { status: string }) => status);
const process = async (platform: Partial<BatchDeps["platform"]> = {}): Promise<BatchDeps> => {
  const joined = { ...test.platform, ...platform };
  return createBatches(joined, createSealing(joined, await createTrust(joined)));
};
/** A sandbox each task of which is told of before it begins, and after it has ended. */
const sandboxWith = (watch: { readonly before?: (task: string) => unknown; readonly after?: (task: string) => unknown }) => {
  const { sandbox } = test.platform;
  return {
    ...sandbox,
    askedBy: (caller: Parameters<typeof sandbox.askedBy>[0]) => ({
      call: (async (task: string, ...args: unknown[]) => {
        await watch.before?.(task);
        const answer = await (sandbox.askedBy(caller).call as (...all: unknown[]) => Promise<object>)(task, ...args);
        await watch.after?.(task);
        return answer;
      }) as never,
    }),
  } as never;
};
/** Of each signed file of a batch, the transaction that wrote its envelope. */
const transactionsOf = async (id: string): Promise<readonly string[]> => {
  const { rows } = await sql<{ xid: string }>`
    select e.xmin::text as xid from batch_items i join envelopes e on e.id = i.envelope_id where i.job_id = ${id}::uuid
  `.execute(test.platform.db);
  return rows.map(({ xid }) => xid);
};
const signaturesOf = async (id: string) =>
  (await sql`select s.id from signatures s join batch_items i on i.id = s.act_id where i.job_id = ${id}::uuid`.execute(test.platform.db))
    .rows.length;

/** However long it takes here, a group begins all its files. */
const haveTime = () => vi.spyOn(performance, "now").mockReturnValue(0);

describe("a group of a batch", () => {
  it("is written by one transaction, but for the files that cannot be signed, which fail alone", async () => {
    haveTime();
    const id = await send(3, [{ name: "rien.pdf", bytes: new Uint8Array(4) }]);
    let spoilt = false;
    const sandbox = sandboxWith({
      before: (task) => {
        if (task !== "prepareOwnSignature" || spoilt) return;
        spoilt = true;
        throw new SandboxLimitError("memory");
      },
    });
    expect(await runBatch(await process({ sandbox }), id)).toBe("ended");
    const job = await read(id);
    expect(job).toMatchObject({ status: "partial", done: 2, failed: 2 });
    expect(job.items.map(({ code }: { code: string | null }) => code).toSorted()).toEqual(["not_a_pdf", null, null, "pdf_too_complex"]);
    const written = await transactionsOf(id);
    expect(written).toHaveLength(2);
    expect(new Set(written).size).toBe(1);
    expect(await findStoreFaults(test.platform)).toEqual([]);
  });

  it("ends soon once its batch is cancelled: the files it had begun are signed, the others are not", async () => {
    const id = await send(GROUP);
    const cancel = async () => {
      // So long that the group of another process begins no other file.
      await sleep(250);
      expect((await camille.send("DELETE", `${JOBS}${id}/`)).status).toBe(200);
    };
    let cancelling: Promise<void> | null = null;
    const sandbox = sandboxWith({ before: (task) => (task === "validate" ? (cancelling ??= cancel()) : undefined) });
    expect(await runBatch(await process({ sandbox }), id)).toBe("ended");
    expect(await statuses(id)).toEqual([...Array(SEATS).fill("done"), ...Array(GROUP - SEATS).fill("cancelled")]);
    expect(await signaturesOf(id)).toBe(SEATS);
  });

  it("ends at once when its batch is cancelled in the same process", async () => {
    haveTime();
    const id = await send(GROUP);
    const works = await process();
    const { rows } = await sql<{ owner_id: string }>`select owner_id from batch_jobs where id = ${id}::uuid`.execute(test.platform.db);
    let cancelling: Promise<unknown> | null = null;
    const cancel = () => cancelBatch(works, { id, ownerId: rows[0]?.owner_id ?? "" });
    const sandbox = sandboxWith({ before: (task) => (task === "validate" ? (cancelling ??= cancel()) : undefined) });
    const { cancelled } = works;
    expect(await runBatch({ ...(await process({ sandbox })), cancelled }, id)).toBe("ended");
    expect(await statuses(id)).toEqual([...Array(SEATS).fill("done"), ...Array(GROUP - SEATS).fill("cancelled")]);
    expect(cancelled.size).toBe(0);
    // Taken up again, it is signed to its end.
    expect((await camille.post(`${JOBS}${id}/retry/`, {})).status).toBe(202);
    expect(await runBatch(works, id)).toBe("ended");
    expect(await read(id)).toMatchObject({ status: "completed", done: GROUP });
  });

  it("keeps what it had signed when the time-stamping authority goes away, and gives back the rest", async () => {
    haveTime();
    const id = await send(6);
    let validated = 0;
    const sandbox = sandboxWith({
      after: (task) => {
        if (task === "validate" && ++validated === SEATS) tsa.behave({ away: true });
      },
    });
    await expect(runBatch(await process({ sandbox }), id)).rejects.toThrow();
    const { done, failed } = await read(id);
    expect(done).toBeGreaterThanOrEqual(SEATS);
    expect([done < 6, failed, await signaturesOf(id)]).toEqual([true, 0, done]);
    tsa.behave({});
    expect(await runBatch(await process(), id)).toBe("ended");
    expect(await read(id)).toMatchObject({ status: "completed", done: 6 });
    expect(await signaturesOf(id)).toBe(6);
  });

  it("signs each file once though its connection dies between the files being stored and the commit", async () => {
    haveTime();
    const id = await send(4);
    const { files } = test.platform;
    let stored = 0;
    const put: typeof files.put = async (bytes) => {
      const sha256 = await files.put(bytes);
      if (++stored === 4)
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction'`.execute(test.platform.owner);
      return sha256;
    };
    const works = await process({ files: { ...files, put } });
    await runBatch(works, id).catch(() => runBatch(works, id));
    expect(stored).toBeGreaterThan(4);
    expect(await read(id)).toMatchObject({ status: "completed", done: 4, failed: 0 });
    expect(await signaturesOf(id)).toBe(4);
    expect(await findStoreFaults(test.platform)).toEqual([]);
  });

  it("does not hold back the others for a file that cannot be written", async () => {
    const earlier = await send(1);
    await runBatch(await process(), earlier);
    const { rows } = await sql<{ id: string }>`select id from batch_items where job_id = ${earlier}::uuid`.execute(test.platform.db);
    await removeBatch(test.platform, earlier);
    const id = await send(3);
    // Its act is there already.
    await sql`update batch_items set id = ${rows[0]?.id}::uuid where job_id = ${id}::uuid and position = 1`.execute(test.platform.owner);
    await expect(runBatch(await process(), id)).rejects.toThrow("signing_acts");
    expect(await statuses(id)).toEqual(["done", "running", "done"]);
    expect(await signaturesOf(id)).toBe(3);
  });
});
