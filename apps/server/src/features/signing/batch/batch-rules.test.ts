import { problem } from "@paraphe/contracts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  batchStatus,
  envelopeTitle,
  failureDetail,
  GROUP,
  LANES,
  shownStatuses,
} from "./domain/batch.ts";
import { reportCsv } from "./read-batches.ts";
import { createRequestPause } from "./create-batches.ts";

const NOW = new Date("2026-11-21T10:00:00.000Z");
const none = { total: 4, done: 0, failed: 0, cancelled: 0 };
const waiting = { startedAt: null, cancelledAt: null, finishedAt: null };
const atWork = { ...waiting, startedAt: NOW };
const ended = { ...atWork, finishedAt: NOW };

it.each([
  ["queued", waiting, none],
  ["running", atWork, { ...none, done: 2 }],
  ["running", { ...atWork, cancelledAt: NOW }, { ...none, done: 2, cancelled: 1 }],
  ["completed", ended, { ...none, done: 4 }],
  ["partial", ended, { ...none, done: 3, failed: 1 }],
  ["failed", ended, { ...none, failed: 4 }],
  ["cancelled", { ...ended, cancelledAt: NOW }, { ...none, done: 3, cancelled: 1 }],
  ["completed", { ...ended, cancelledAt: NOW }, { ...none, done: 4 }],
] as const)("a batch is %s", (status, batch, counts) => {
  expect(batchStatus(batch, counts)).toBe(status);
});

it("a running batch shows its first unfinished files as running", () => {
  const taken = GROUP * LANES;
  const stored = [
    "done",
    "failed",
    "queued",
    "done",
    ...Array<"queued">(taken).fill("queued"),
  ] as const;
  expect(shownStatuses(atWork, stored)).toEqual([
    "done",
    "failed",
    "running",
    "done",
    ...Array(taken - 1).fill("running"),
    "queued",
  ]);
  expect(shownStatuses(waiting, ["queued"])).toEqual(["queued"]);
  expect(shownStatuses(ended, ["done", "cancelled"])).toEqual(["done", "cancelled"]);
});

const line = {
  name: "a.pdf",
  status: "done",
  detail: null,
  file: "a_signe.pdf",
  sha256: "00",
  envelopeId: "1",
} as const;

it("a report has no formula, quotes line breaks and names states in French", () => {
  const names = ["=1+1", "+33", "-2", "@SUM", "a;b", 'dit "le bail"', "deux\nlignes", "tab"];
  const rows = reportCsv(names.map((name) => ({ ...line, name })))
    .slice(1)
    .split("\r\n");
  expect(rows.slice(1, -1).map((row) => row.slice(0, row.indexOf(";Signé")))).toEqual([
    "'=1+1",
    "'+33",
    "'-2",
    "'@SUM",
    '"a;b"',
    '"dit ""le bail"""',
    '"deux\nlignes"',
    "tab",
  ]);
  const states = (["queued", "running", "done", "failed", "cancelled"] as const).map(
    (status) => reportCsv([{ ...line, status }]).split(";")[6],
  );
  expect(states).toEqual(["En file", "En cours", "Signé", "Échec", "Annulé"]);
});

it.each([
  [null, "Bail.PDF", "Bail"],
  ["Attestations", "Lot 1.pdf", "Attestations – Lot 1"],
  [null, ".pdf", "Document"],
  ["x".repeat(200), "Lot.pdf", "x".repeat(200)],
])("an envelope of %s and %s is titled %s", (title, name, expected) => {
  expect(envelopeTitle(title, name)).toBe(expected);
});

it("a failure is its field's message, or the problem's", () => {
  expect(
    failureDetail(problem("validation", { errors: { placement: ["Ce document n’a que 1 page"] } })),
  ).toBe("Ce document n’a que 1 page");
  expect(failureDetail(problem("storage_full"))).toBe("Espace de stockage insuffisant");
  expect(failureDetail(problem("validation"))).toContain("Certaines informations");
});

describe("the pause for requests", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Says whether the pause is over. */
  async function isCalm(calm: Promise<void>): Promise<boolean> {
    return Promise.race([calm.then(() => true), vi.advanceTimersByTimeAsync(0).then(() => false)]);
  }

  it("background work runs at once without requests", async () => {
    expect(await isCalm(createRequestPause().calm())).toBe(true);
  });

  it("background work waits for every request, each counted once", async () => {
    const pause = createRequestPause();
    const [first, second] = [pause.enter(), pause.enter()];
    const calm = pause.calm();
    first();
    first();
    expect(await isCalm(calm)).toBe(false);
    second();
    expect(await isCalm(calm)).toBe(true);
  });

  it("background work never waits for long", async () => {
    const pause = createRequestPause();
    pause.enter();
    const calm = pause.calm();
    await vi.advanceTimersByTimeAsync(25);
    expect(await isCalm(calm)).toBe(true);
  });

  it("a lasting request counts as a stream", async () => {
    const pause = createRequestPause();
    pause.enter();
    await vi.advanceTimersByTimeAsync(300);
    expect(await isCalm(pause.calm())).toBe(true);
  });
});
