import type { Counts } from "@paraphe/contracts";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { listenToApi } from "../../lib/api/api.ts";
import {
  applySignals,
  followChanges,
  type LiveSignal,
  openChangeStream,
} from "./follow-changes.ts";

const COUNTS: Counts = { draft: 1, sent: 2, completed: 3, action_required: 4, cancelled: 5 };

/** Replaces `EventSource`, which the test environment lacks. */
class Wire extends EventTarget {
  static readonly CLOSED = 2;
  static readonly opened: Wire[] = [];
  readyState = 0;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
    Wire.opened.push(this);
  }
  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }
  /** After `broken` the browser reconnects; after `refused` it does not. */
  fail(how: "broken" | "refused") {
    this.readyState = how === "refused" ? 2 : 0;
    this.dispatchEvent(new Event("error"));
  }
  say(name: string, data: object) {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
  close() {
    this.readyState = 2;
  }
}

let calls: string[];
let answer: () => Response | Promise<Response>;
let told: LiveSignal[];
const stops: (() => void)[] = [];
const wire = () => Wire.opened.at(-1) as Wire;
const kinds = () => told.map(({ kind }) => kind);

beforeEach(() => {
  vi.useFakeTimers();
  Wire.opened.length = 0;
  calls = [];
  told = [];
  answer = () => Response.json(COUNTS);
  vi.stubGlobal("EventSource", Wire);
  vi.stubGlobal("fetch", async (url: string) => {
    calls.push(new URL(url).pathname);
    return answer();
  });
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  stops.splice(0).forEach((stop) => stop());
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function open(): void {
  stops.push(openChangeStream((signal) => told.push(signal)));
}

test("opens the stream once, at the service's own address, and passes on its signals", () => {
  open();
  expect(Wire.opened.map(({ url }) => new URL(url).pathname)).toEqual([
    "/api/signature/events/stream/",
  ]);
  wire().open();
  wire().say("counts", COUNTS);
  wire().say("envelope", { id: "e1", version: 2, status: "pending" });
  wire().say("refresh", {});
  expect(told).toEqual([
    { kind: "refresh" },
    { kind: "counts", counts: COUNTS },
    { kind: "envelope", event: { id: "e1", version: 2, status: "pending" } },
    { kind: "refresh" },
  ]);
});

test("asks for a refresh when the stream is back", () => {
  open();
  wire().open();
  wire().fail("broken");
  wire().open();
  expect(kinds()).toEqual(["refresh", "refresh"]);
  expect(Wire.opened).toHaveLength(1);
});

test("polls every 30 s after the stream breaks twice, until it is back", async () => {
  open();
  wire().fail("broken");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toEqual([]);
  wire().fail("broken");
  await vi.advanceTimersByTimeAsync(30_000);
  expect(kinds()).toEqual(["counts", "refresh"]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(calls).toHaveLength(2);
  wire().open();
  told.length = 0;
  await vi.advanceTimersByTimeAsync(120_000);
  expect([calls.length, kinds()]).toEqual([2, []]);
});

test("opens a refused stream again after a call that renews the session", async () => {
  open();
  wire().fail("refused");
  await vi.advanceTimersByTimeAsync(0);
  expect(calls).toEqual(["/api/signature/envelopes/counts/"]);
  expect(Wire.opened).toHaveLength(2);
  wire().fail("refused");
  await vi.advanceTimersByTimeAsync(30_000);
  expect(kinds()).toContain("refresh");
  expect(Wire.opened).toHaveLength(3);
});

test("leaves the shown data alone while nothing answers", async () => {
  answer = () => Promise.reject(new TypeError("Failed to fetch"));
  open();
  wire().fail("refused");
  await vi.advanceTimersByTimeAsync(90_000);
  expect(told).toEqual([]);
  answer = () => Response.json(COUNTS);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(kinds()).toEqual(["counts", "refresh"]);
});

test("checks the session when the stream ends with it, and informs the person once", async () => {
  const lost = vi.fn();
  listenToApi({ onSessionLost: lost });
  answer = () => Response.json({ code: "session_expired" }, { status: 401 });
  open();
  wire().open();
  wire().say("end", { reason: "session_ended" });
  await vi.advanceTimersByTimeAsync(0);
  expect(lost).toHaveBeenCalledOnce();
  expect(Wire.opened).toHaveLength(1);
  listenToApi({ onSessionLost: () => {} });
});

test("does not take the stream back from a newer window", async () => {
  open();
  wire().open();
  wire().say("end", { reason: "replaced" });
  await vi.advanceTimersByTimeAsync(120_000);
  expect(Wire.opened).toHaveLength(1);
  expect(calls).toHaveLength(4);
});

test("polls where the browser has no event stream", async () => {
  vi.stubGlobal("EventSource", undefined);
  open();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(kinds()).toEqual(["counts", "refresh"]);
});

test("stops the stream and the polling when nobody follows", async () => {
  open();
  const [source] = Wire.opened;
  wire().fail("broken");
  wire().fail("broken");
  stops.splice(0).forEach((stop) => stop());
  await vi.advanceTimersByTimeAsync(120_000);
  expect([source?.readyState, calls]).toEqual([Wire.CLOSED, []]);
});

test("refetches the changed envelope at once, lists once a second, and no other detail", async () => {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
  });
  const reads: Record<string, number> = {};
  const keys = [
    ["detail", "e1"],
    ["detail", "e2"],
    ["events", "e1", "all"],
    ["list", "sent"],
  ];
  for (const key of keys) {
    const name = key.join(" ");
    const queryFn = () => (reads[name] = (reads[name] ?? 0) + 1);
    stops.push(
      new QueryObserver(client, { queryKey: ["envelopes", ...key], queryFn }).subscribe(() => {}),
    );
  }
  await vi.advanceTimersByTimeAsync(0);
  const apply = applySignals(client);
  for (let version = 2; version < 22; version++)
    apply({ kind: "envelope", event: { id: "e1", version, status: "pending" } });
  await vi.advanceTimersByTimeAsync(0);
  expect(reads).toMatchObject({ "detail e2": 1, "list sent": 2 });
  expect(reads["detail e1"]).toBeGreaterThan(1);
  expect(reads["events e1 all"]).toBeGreaterThan(1);
  for (let n = 0; n < 20; n++)
    apply({ kind: "envelope", event: { id: "e2", version: n, status: "pending" } });
  await vi.advanceTimersByTimeAsync(900);
  expect(reads["list sent"]).toBe(2);
  await vi.advanceTimersByTimeAsync(200);
  expect(reads["list sent"]).toBe(3);
});

test("puts counts in place of any answer under way", async () => {
  const client = new QueryClient();
  let late: (counts: Counts) => void = () => {};
  const queryFn = () => new Promise<Counts>((resolve) => (late = resolve));
  stops.push(
    new QueryObserver(client, { queryKey: ["envelopes", "counts"], queryFn }).subscribe(() => {}),
  );
  applySignals(client)({ kind: "counts", counts: COUNTS });
  await vi.advanceTimersByTimeAsync(0);
  late({ ...COUNTS, action_required: 0 });
  await vi.advanceTimersByTimeAsync(0);
  expect(client.getQueryData(["envelopes", "counts"])).toEqual(COUNTS);
});

const show = (state: "visible" | "hidden") => {
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(state);
  document.dispatchEvent(new Event("visibilitychange"));
};

test("closes the stream while the page is hidden, and refreshes when it is back", async () => {
  const client = new QueryClient();
  const invalidate = vi.spyOn(client, "invalidateQueries");
  stops.push(followChanges(client, "u1"));
  await vi.advanceTimersByTimeAsync(0);
  expect(Wire.opened).toHaveLength(1);
  show("hidden");
  expect(Wire.opened[0]?.readyState).toBe(Wire.CLOSED);
  invalidate.mockClear();
  await vi.advanceTimersByTimeAsync(120_000);
  expect([calls, invalidate.mock.calls]).toEqual([[], []]);
  show("visible");
  expect(invalidate).toHaveBeenCalled();
  expect(Wire.opened).toHaveLength(2);
});

test("waits while another tab listens, receives its signals, and takes over when it leaves", async () => {
  const holders: (() => Promise<void>)[] = [];
  let free: Promise<void> = Promise.resolve();
  const request = (_name: string, _options: object, hold: () => Promise<void>) => {
    holders.push(hold);
    free = free.then(hold);
    return free;
  };
  vi.stubGlobal("navigator", Object.create(navigator, { locks: { value: { request } } }));
  const [first, second] = [new QueryClient(), new QueryClient()];
  const leave = followChanges(first, "u1");
  stops.push(followChanges(second, "u1"));
  await vi.advanceTimersByTimeAsync(0);
  expect([holders.length, Wire.opened.length]).toEqual([2, 1]);
  wire().open();
  wire().say("counts", COUNTS);
  vi.useRealTimers();
  await vi.waitFor(() => expect(second.getQueryData(["envelopes", "counts"])).toEqual(COUNTS));
  expect(first.getQueryData(["envelopes", "counts"])).toEqual(COUNTS);
  leave();
  await vi.waitFor(() => expect(Wire.opened).toHaveLength(2));
  expect(Wire.opened[0]?.readyState).toBe(Wire.CLOSED);
});

test("ignores signals for another person", async () => {
  const other = new QueryClient();
  stops.push(followChanges(new QueryClient(), "u1"), followChanges(other, "u2"));
  await vi.advanceTimersByTimeAsync(0);
  Wire.opened[0]?.say("counts", COUNTS);
  vi.useRealTimers();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(other.getQueryData(["envelopes", "counts"])).toBeUndefined();
});
