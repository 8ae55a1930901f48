import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { findStoreFaults } from "../../../../../cli/testing/find-store-faults.ts";
import { expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import {
  BATCH_JOBS as JOBS,
  type BatchFile as SentFile,
  batchPdf as pdf,
  sendBatch,
} from "../../../../testing/batch-calls.ts";
import { multipart, type TestBrowser } from "../../../../testing/browser.ts";
import { countTransactions } from "../../../../testing/database.ts";
import { mailFor } from "../../../../testing/mailbox.ts";
import { createMember, type Member, signIn, openMember } from "../../../../testing/member.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { openTestTsa, type TestTsa } from "../../../../testing/tsa-server.ts";
import { StorageFullError } from "../../../platform/files/file-store.ts";
import { SandboxLimitError } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { createTrust } from "../../trust/public.ts";
import { createSealing } from "../seal/create-sealing.ts";
import { cancelBatch, eraseOwnedBatches, removeBatch } from "./change-batch.ts";
import { type BatchDeps, createBatches } from "./create-batches.ts";
import { GROUP, SEATS } from "./domain/batch.ts";
import { endBatches, resumeBatches } from "./jobs.ts";
import { runBatch } from "./run-batch.ts";
import { claimItems } from "./store.ts";

let service: TestApp;
let tsa: TestTsa;
let member: Member;
let camille: TestBrowser;
let beginning: Date;

beforeAll(async () => {
  tsa = await openTestTsa();
  service = await createTestApp({ settings: { rateLimits: "off", tsaUrl: tsa.url } });
  beginning = service.platform.clock();
  member = await createMember(service.platform);
  camille = await signIn(service, member);
});
afterAll(async () => {
  await service.close();
  await tsa.close();
});
beforeEach(() => tsa.behave({}));

describe("a batch", () => {
  const JOBS = "/api/signature/batch-jobs/";
  const PLACE = { page: -1, x: 0.55, y: 0.75, width: 0.3, height: 0.08 };
  let number = 0;

  async function send(
    count: number,
    { title, bad }: { readonly title?: string; readonly bad?: number } = {},
  ): Promise<string> {
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
    const sent = await camille.post("/api/signature/batch-sign/", form.body, {
      headers: form.headers,
    });
    expect(sent.status).toBe(202);
    return sent.body.id;
  }
  const read = async (id: string) => (await camille.get(`${JOBS}${id}/`)).body;
  /** Another process of the service, on the same database and files. */
  const elsewhere = async (platform: Partial<BatchDeps["platform"]> = {}): Promise<BatchDeps> => {
    const joined = { ...service.platform, ...platform };
    return createBatches(joined, createSealing(joined, await createTrust(joined)));
  };
  const toldOf = (id: string) =>
    service.platform.db
      .selectFrom("notices")
      .select(["channel"])
      .where("dedupe_key", "like", `batch_ended:${id}:%`)
      .execute();
  const actsOf = async (id: string) =>
    service.platform.db
      .selectFrom("signing_acts as a")
      .innerJoin("batch_items as i", "i.id", "a.id")
      .select("a.id")
      .where("i.job_id", "=", id)
      .execute();

  it("a batch in two processes is signed once", async () => {
    const id = await send(5);
    const [one, other] = [await elsewhere(), await elsewhere()];
    await Promise.all([runBatch(one, id), runBatch(other, id)]);
    await runBatch(one, id);
    expect(await read(id)).toMatchObject({ status: "completed", done: 5 });
    expect(await actsOf(id)).toHaveLength(5);
    expect(await findStoreFaults(service.platform)).toEqual([]);
  });

  it("a batch that waits for requests keeps its claims", async () => {
    const works = await elsewhere();
    const paused = (calm: () => Promise<void>) => ({ ...works, pause: { ...works.pause, calm } });
    // Counts what a first document alone waits for.
    await runBatch(works, await send(1));
    let pauses = 0;
    const count = async () => void (pauses += 1);
    await runBatch(paused(count), await send(1));
    const id = await send(1);
    const taken = () =>
      service.platform.db
        .selectFrom("batch_items")
        .select((eb) => eb("taken_until", ">", eb.fn<Date>("now")).as("isTaken"))
        .where("job_id", "=", id)
        .executeTakeFirstOrThrow();
    let seen = 0;
    // The first pause, and the last, which comes before the file is written.
    const calm = async () => {
      seen += 1;
      if (seen > 1 && seen < pauses) return;
      const [signed] = await service.platform.db
        .selectFrom("batch_items")
        .select("id")
        .where("job_id", "=", id)
        .execute();
      await sql`update batch_items set taken_until = now() where id = ${signed?.id}::uuid`.execute(
        service.platform.db,
      );
      await expect.poll(taken, { timeout: 8_000 }).toEqual({ isTaken: true });
    };
    await runBatch(paused(calm), id);
    expect([seen > 1, seen, (await read(id)).status]).toEqual([true, pauses, "completed"]);
    // Renewals come every few seconds.
  }, 60_000);

  it("a lost process's files are released within seconds", async () => {
    const id = await send(2);
    expect(await claimItems(service.platform.db, { batchId: id, most: 1 })).toMatchObject([
      { name: expect.stringContaining("Acte") },
    ]);
    const works = await elsewhere();
    // Only the other file runs: the dead process had claimed the first.
    expect(await runBatch(works, id)).toBe("later");
    expect(await read(id)).toMatchObject({
      status: "running",
      done: 1,
      items: [{ status: "running" }, { status: "done" }],
    });
    const isFree = async () =>
      (
        await sql`select from batch_items where job_id = ${id}::uuid and status = 'queued' and taken_until <= now()`.execute(
          service.platform.db,
        )
      ).rows.length;
    await expect.poll(isFree, { timeout: 30_000, interval: 250 }).toBe(1);
    await resumeBatches(works);
    await service.settle({ deferred: "run" });
    expect(await read(id)).toMatchObject({ status: "completed", done: 2 });
  });

  it("a batch's end is announced once, by the owner's channels, with counts and failures", async () => {
    const { db } = service.platform;
    const verified = {
      notify_sms: true,
      phone_number: "+33639980001",
      phone_verified_at: service.platform.clock(),
    };
    await db.updateTable("users").set(verified).where("id", "=", member.id).execute();
    const id = await send(3, { title: "Attestations", bad: 1 });
    const [one, other] = [await elsewhere(), await elsewhere()];
    await Promise.all([runBatch(one, id), runBatch(other, id)]);
    await Promise.all([runBatch(one, id), runBatch(other, id)]);
    await resumeBatches(one);
    const told = await toldOf(id);
    expect(told.map(({ channel }) => channel).sort()).toEqual(["email", "sms"]);
    await service.settle({ deferred: "run", failures: "keep" });
    const mails = (await mailFor(service.platform, member.email)).filter(({ subject }) =>
      subject.startsWith("Lot «"),
    );
    expect(mails.map(({ subject }) => subject)).toEqual([
      "Lot «\u00a0Attestations\u00a0»\u00a0: 2 documents signés sur 3, 1 en échec",
    ]);
    // The retried batch ends a second time, and its owner is notified again.
    await expectStatus(camille.post(`${JOBS}${id}/retry/`, {}), 202);
    service.platform.clock.advance({ minutes: 1 });
    await service.settle({ deferred: "run", failures: "keep" });
    expect(await toldOf(id)).toHaveLength(4);
  });

  it("a batch stopped by its owner sends no message", async () => {
    const id = await send(2);
    await expectStatus(camille.send("DELETE", `${JOBS}${id}/`), 200);
    await service.settle({ deferred: "run" });
    expect(await toldOf(id)).toEqual([]);
  });

  it("a batch's documents each record one consent for the batch", async () => {
    const id = await send(1);
    await service.settle({ deferred: "run" });
    const { envelope_id } = (await read(id)).items[0];
    const { results } = (await camille.get(`/api/signature/envelopes/${envelope_id}/events/`)).body;
    expect(
      results.find((event: { action: string }) => event.action === "consent_given").detail,
    ).toMatchObject({
      method: "bulk",
      batch: id,
    });
  });

  it("a batch waits for the time-stamping authority, and loses nothing", async () => {
    const id = await send(2);
    tsa.behave({ away: true });
    await expect(runBatch(await elsewhere(), id)).rejects.toThrow();
    expect(await read(id)).toMatchObject({ status: "running", done: 0, failed: 0 });
    tsa.behave({});
    await service.settle({ deferred: "run", failures: "keep" });
    expect(await read(id)).toMatchObject({ status: "completed", done: 2 });
  });

  it("a full storage fails file by file, and a retry signs", async () => {
    const id = await send(2);
    const put = () => Promise.reject(new StorageFullError("full"));
    await runBatch(await elsewhere({ files: { ...service.platform.files, put } }), id);
    expect(await read(id)).toMatchObject({
      status: "failed",
      failed: 2,
      items: [{ detail: "Espace de stockage insuffisant" }, {}],
    });
    await expectStatus(camille.post(`${JOBS}${id}/retry/`, {}), 202);
    await service.settle({ deferred: "run" });
    expect(await read(id)).toMatchObject({ status: "completed", done: 2 });
    expect(await findStoreFaults(service.platform)).toEqual([]);
  });

  it("an unexplained fault fails its file alone, after three tries", async () => {
    const id = await send(2);
    await service.platform.db
      .updateTable("batch_items")
      .set({ failed_tries: 2 })
      .where("job_id", "=", id)
      .execute();
    const { sandbox } = service.platform;
    let spoilt = 0;
    const spoiling = {
      ...sandbox,
      askedBy: (caller: Parameters<typeof sandbox.askedBy>[0]) => ({
        call: (async (task: string, ...args: unknown[]) => {
          const answer = await (
            sandbox.askedBy(caller).call as (...all: unknown[]) => Promise<object>
          )(task, ...args);
          // The validation of one document finds a problem.
          return task === "validate" && spoilt++ === 0
            ? { ...answer, problems: ["trailing_bytes"] }
            : answer;
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

  it("cancelling against signing ends whole, ten times over", async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await send(3);
      const works = await elsewhere();
      const [, cancelled] = await Promise.all([
        runBatch(works, id),
        camille.send("DELETE", `${JOBS}${id}/`),
      ]);
      expect(cancelled.status).toBe(200);
      await service.settle({ deferred: "run" });
      const job = await read(id);
      const signed = job.items.filter((item: { status: string }) => item.status === "done");
      expect(
        job.items.every((item: { status: string }) => ["done", "cancelled"].includes(item.status)),
      ).toBe(true);
      expect(["cancelled", "completed"]).toContain(job.status);
      expect(await actsOf(id)).toHaveLength(signed.length);
    }
  });

  it("a batch is removed after seven days, its envelopes stay", async () => {
    const id = await send(1);
    await service.settle({ deferred: "run" });
    const { envelope_id } = (await read(id)).items[0];
    service.platform.clock.advance({ days: 8 });
    camille = await signIn(service, member);
    await endBatches(await elsewhere());
    await service.settle({ deferred: "run" });
    await expectStatus(camille.get(`${JOBS}${id}/`), 404);
    await expectStatus(
      camille.get(`/api/signature/envelopes/${envelope_id}/signed-document/`),
      200,
    );
  });

  it("a batch is erased with its owner's account", async () => {
    const id = await send(1);
    await eraseOwnedBatches(service.platform, member.id);
    await service.settle({ deferred: "run" });
    await expectStatus(camille.get(`${JOBS}${id}/`), 404);
    expect(await service.platform.db.selectFrom("batch_items").select("id").execute()).toEqual([]);
    expect(await findStoreFaults(service.platform)).toEqual([]);
  });
});

describe("a group of a batch", () => {
  beforeAll(async () => {
    // The time-stamping authority has its own clock, which did not move.
    service.platform.clock.set(beginning);
    camille = await openMember(service);
    // Counts what a first document alone waits for.
    await runBatch(await process(), await send(1));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const send = async (count: number, others: readonly SentFile[] = []): Promise<string> => {
    const sent = await sendBatch(
      camille,
      [...Array.from({ length: count }, (_, index) => pdf(`Acte ${index}`)), ...others],
      {},
    );
    expect(sent.status).toBe(202);
    return sent.body.id;
  };
  const read = async (id: string) => (await camille.get(`${JOBS}${id}/`)).body;
  const statuses = async (id: string) =>
    (await read(id)).items.map(({ status }: { status: string }) => status);
  const process = async (platform: Partial<BatchDeps["platform"]> = {}): Promise<BatchDeps> => {
    const joined = { ...service.platform, ...platform };
    return createBatches(joined, createSealing(joined, await createTrust(joined)));
  };
  /** A sandbox that reports each task before it begins and after it has ended. */
  const sandboxWith = (watch: {
    readonly before?: (task: string) => unknown;
    readonly after?: (task: string) => unknown;
  }) => {
    const { sandbox } = service.platform;
    return {
      ...sandbox,
      askedBy: (caller: Parameters<typeof sandbox.askedBy>[0]) => ({
        call: (async (task: string, ...args: unknown[]) => {
          await watch.before?.(task);
          const answer = await (
            sandbox.askedBy(caller).call as (...all: unknown[]) => Promise<object>
          )(task, ...args);
          await watch.after?.(task);
          return answer;
        }) as never,
      }),
    } as never;
  };
  /** Gives the transaction that wrote the envelope of each signed file. */
  const transactionsOf = async (id: string): Promise<readonly string[]> => {
    const { rows } = await sql<{ xid: string }>`
    select e.xmin::text as xid from batch_items i join envelopes e on e.id = i.envelope_id where i.job_id = ${id}::uuid
  `.execute(service.platform.db);
    return rows.map(({ xid }) => xid);
  };
  const signaturesOf = async (id: string) =>
    (
      await sql`select s.id from signatures s join batch_items i on i.id = s.act_id where i.job_id = ${id}::uuid`.execute(
        service.platform.db,
      )
    ).rows.length;

  /** A group begins all its files, however long that takes here. */
  const haveTime = () => vi.spyOn(performance, "now").mockReturnValue(0);

  it("a group is one transaction, except files that fail alone", async () => {
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
    expect(job.items.map(({ code }: { code: string | null }) => code).toSorted()).toEqual([
      "not_a_pdf",
      null,
      null,
      "pdf_too_complex",
    ]);
    const written = await transactionsOf(id);
    expect(written).toHaveLength(2);
    expect(new Set(written).size).toBe(1);
    expect(await findStoreFaults(service.platform)).toEqual([]);
  });

  it("a sound file is rehearsed only when it cannot be signed", async () => {
    const tasks: string[] = [];
    let isSpoilt = false;
    const sandbox = sandboxWith({
      before: (task) => {
        tasks.push(task);
        if (isSpoilt && task === "prepareOwnSignature") throw new SandboxLimitError("memory");
      },
    });
    const works = await process({ sandbox });
    await runBatch(works, await send(0, [pdf("Jamais répété")]));
    expect(tasks).toContain("validate");
    expect(tasks).not.toContain("control");
    isSpoilt = true;
    tasks.length = 0;
    await runBatch(works, await send(0, [pdf("Jamais signé")]));
    expect(tasks).toEqual(["inspect", "prepareOwnSignature", "control"]);
  });

  it("a cancelled group signs the files it had started", async () => {
    const id = await send(GROUP);
    const cancel = async () => {
      // By now, the group of another process begins no other file.
      await sleep(250);
      await expectStatus(camille.send("DELETE", `${JOBS}${id}/`), 200);
    };
    let cancelling: Promise<void> | null = null;
    const sandbox = sandboxWith({
      before: (task) => (task === "validate" ? (cancelling ??= cancel()) : undefined),
    });
    expect(await runBatch(await process({ sandbox }), id)).toBe("ended");
    expect(await statuses(id)).toEqual([
      ...Array(SEATS).fill("done"),
      ...Array(GROUP - SEATS).fill("cancelled"),
    ]);
    expect(await signaturesOf(id)).toBe(SEATS);
  });

  it("a group cancelled in the same process ends at once", async () => {
    haveTime();
    const id = await send(GROUP);
    const works = await process();
    const { rows } = await sql<{
      owner_id: string;
    }>`select owner_id from batch_jobs where id = ${id}::uuid`.execute(service.platform.db);
    let cancelling: Promise<unknown> | null = null;
    const cancel = () => cancelBatch(works, { id, ownerId: rows[0]?.owner_id ?? "" });
    const sandbox = sandboxWith({
      before: (task) => (task === "validate" ? (cancelling ??= cancel()) : undefined),
    });
    const { cancelled } = works;
    expect(await runBatch({ ...(await process({ sandbox })), cancelled }, id)).toBe("ended");
    expect(await statuses(id)).toEqual([
      ...Array(SEATS).fill("done"),
      ...Array(GROUP - SEATS).fill("cancelled"),
    ]);
    expect(cancelled.size).toBe(0);
    // Retried, the batch is signed to its end.
    await expectStatus(camille.post(`${JOBS}${id}/retry/`, {}), 202);
    expect(await runBatch(works, id)).toBe("ended");
    expect(await read(id)).toMatchObject({ status: "completed", done: GROUP });
  });

  it("a group that loses its time-stamps keeps what it had signed", async () => {
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

  it("a group awaiting a time-stamp has no transaction and keeps its claims", async () => {
    haveTime();
    const id = await send(2);
    const answered = Promise.withResolvers<void>();
    tsa.behave({ until: answered.promise });
    const asked = tsa.asked();
    const signing = runBatch(await process(), id);
    await expect.poll(tsa.asked, { timeout: 10_000, interval: 20 }).toBeGreaterThan(asked);
    // Other transactions end; one that waits for the authority would not.
    await expect
      .poll(() => countTransactions(service.platform.owner), { timeout: 5_000, interval: 20 })
      .toBe(0);
    expect(await runBatch(await process(), id)).toBe("later");
    answered.resolve();
    await signing;
    await runBatch(await process(), id);
    expect(await read(id)).toMatchObject({ status: "completed", done: 2 });
    expect(await signaturesOf(id)).toBe(2);
  });

  it("a removed batch's results are discarded", async () => {
    haveTime();
    const id = await send(1);
    const answered = Promise.withResolvers<void>();
    tsa.behave({ until: answered.promise });
    const asked = tsa.asked();
    const signing = runBatch(await process(), id);
    await expect.poll(tsa.asked, { timeout: 10_000, interval: 20 }).toBeGreaterThan(asked);
    await removeBatch(service.platform, id);
    answered.resolve();
    await signing;
    const { rows } =
      await sql`select from signing_acts where method = 'bulk' and sealed_at is null`.execute(
        service.platform.db,
      );
    expect([rows, await signaturesOf(id)]).toEqual([[], 0]);
    expect(await findStoreFaults(service.platform)).toEqual([]);
  });

  it("a lost connection before the commit signs no file twice", async () => {
    haveTime();
    const id = await send(4);
    const { files } = service.platform;
    let died = 0;
    // The transaction that writes the group reads the size.
    const size: typeof files.size = async (sha256) => {
      if (++died === 1)
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction'`.execute(
          service.platform.owner,
        );
      return files.size(sha256);
    };
    const works = await process({ files: { ...files, size } });
    await runBatch(works, id).catch(() => runBatch(works, id));
    expect(died).toBeGreaterThan(1);
    expect(await read(id)).toMatchObject({ status: "completed", done: 4, failed: 0 });
    expect(await signaturesOf(id)).toBe(4);
    expect(await findStoreFaults(service.platform)).toEqual([]);
  });

  it("a file that cannot be written delays no other", async () => {
    const earlier = await send(1);
    await runBatch(await process(), earlier);
    const { rows } = await sql<{
      id: string;
    }>`select id from batch_items where job_id = ${earlier}::uuid`.execute(service.platform.db);
    await removeBatch(service.platform, earlier);
    const id = await send(3);
    // Another file has its act already.
    await sql`update batch_items set id = ${rows[0]?.id}::uuid where job_id = ${id}::uuid and position = 1`.execute(
      service.platform.owner,
    );
    await expect(runBatch(await process(), id)).rejects.toThrow("signing_acts");
    expect(await statuses(id)).toEqual(["done", "running", "done"]);
    expect(await signaturesOf(id)).toBe(3);
  });
});
