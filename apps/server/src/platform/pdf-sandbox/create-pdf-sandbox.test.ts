import { deflateSync } from "node:zlib";
import { PadesError } from "@paraphe/pades";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createPdfSandbox } from "./create-pdf-sandbox.ts";
import { SandboxLimitError } from "./pdf-sandbox.ts";
import { hasMemoryLimit } from "./sandbox-process.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

type Call = (task: string, ...args: readonly unknown[]) => Promise<unknown>;
const tasksModule = new URL("../../../testing/hostile-tasks.ts", import.meta.url);
const sandbox = createPdfSandbox({ size: 1, tasksModule, limits: { taskMs: 20_000 } });
const call = sandbox.call as unknown as Call;

beforeAll(() => sandbox.warm());
afterAll(() => sandbox.close());

async function limitOf(task: string, ...args: readonly unknown[]): Promise<string> {
  const error = await call(task, ...args).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SandboxLimitError);
  return (error as SandboxLimitError).reason;
}

describe("the PDF sandbox", () => {
  test("gives bytes back as bytes, in the same child", async () => {
    const bytes = new Uint8Array([1, 2, 255]);
    expect(await call("echo", bytes)).toEqual(bytes);
    expect(await call("pid")).toBe(await call("pid"));
    expect(await call("pid")).not.toBe(process.pid);
  });

  test("gives the core's refusal as it was thrown, its code kept", async () => {
    const error = await call("refuse").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PadesError);
    expect(error).toMatchObject({ code: "pdf_encrypted", clause: "ISO 32000-2 §7.6", offset: 12 });
  });

  test("gives a bug as an error, and goes on with the same child", async () => {
    const pid = await call("pid");
    await expect(call("fail")).rejects.toThrow("a bug");
    await expect(call("toString")).rejects.toThrow("No sandbox task");
    expect(await call("pid")).toBe(pid);
  });

  test("ends a task without end, and goes on with another child", async () => {
    const hurried = createPdfSandbox({ size: 1, tasksModule, limits: { taskMs: 1_000 } });
    const run = hurried.call as unknown as Call;
    const pid = await run("pid");
    const started = performance.now();
    await expect(run("loop")).rejects.toMatchObject({ name: "SandboxLimitError", reason: "time" });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(await run("pid")).not.toBe(pid);
    await hurried.close();
  });

  test.each(["fillHeap", "fillBuffers", "recurse"])(
    "ends a task that takes all memory (%s)",
    async (task) => {
      expect(await limitOf(task)).toBe("memory");
      expect(await call("echo", "après")).toBe("après");
    },
    60_000,
  );

  test("ends a task that inflates a few megabytes to more than its memory", async () => {
    const bomb = new Uint8Array(deflateSync(new Uint8Array(1_500_000_000), { level: 1 }));
    expect(bomb.length).toBeLessThan(10_000_000);
    expect(await limitOf("inflate", bomb)).toBe("memory");
    expect(await call("echo", "après")).toBe("après");
  }, 60_000);

  test("outlives a child that dies", async () => {
    expect(await limitOf("abort")).toBe("crash");
    expect(await call("echo", "après")).toBe("après");
  });

  test("gives its children none of our environment", async () => {
    process.env.MASTER_KEY = "secret";
    const fresh = createPdfSandbox({ size: 1, tasksModule });
    const environment = (await (fresh.call as unknown as Call)("environment")) as NodeJS.ProcessEnv;
    await fresh.close();
    delete process.env.MASTER_KEY;
    expect(
      Object.keys(environment).filter(
        (name) =>
          !["NODE_ENV", "NODE_COMPILE_CACHE", "NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE", "NODE_UNIQUE_ID"].includes(name),
      ),
    ).toEqual([]);
  });

  test.each([
    ["read", "/etc/passwd"],
    ["read", `/proc/${process.pid}/environ`],
    ["write", "/tmp/paraphe-sandbox-escape"],
    ["execute", ""],
  ])("lets its children %s nothing of ours (%s)", async (task, path) => {
    await expect(call(task, path)).rejects.toThrow("Access to this API has been restricted");
    expect(await call("echo", "après")).toBe("après");
  });

  test("says when the machine has no means to hold children to their memory", () => {
    expect(hasMemoryLimit()).toBe(true);
    expect(hasMemoryLimit("/usr/bin/no-such-prlimit")).toBe(false);
  });

  test("makes tasks wait for a free child, and refuses them once closed", async () => {
    const pair = createPdfSandbox({ size: 2, tasksModule });
    const wait = (pair.call as unknown as Call).bind(null, "wait");
    await pair.warm();
    const started = performance.now();
    await Promise.all([wait(300), wait(300), wait(300)]);
    expect(performance.now() - started).toBeGreaterThan(590);
    await pair.close();
    await expect(wait(1)).rejects.toThrow("closed");
  });

  test.each([2, 3])("serves as many tasks as it has places (%i) while its first child still starts", async (size) => {
    const starting = createPdfSandbox({ size, tasksModule });
    const warming = starting.warm();
    const echoes = Array.from({ length: size }, (_, index) => (starting.call as unknown as Call)("echo", index));
    expect(await Promise.all(echoes)).toEqual(Array.from({ length: size }, (_, index) => index));
    await warming;
    await starting.close();
  });

  test("replaces a child after so many tasks", async () => {
    const worn = createPdfSandbox({ size: 1, tasksModule, tasksPerProcess: 2 });
    const pids = [];
    for (let task = 1; task <= 4; task++) pids.push(await (worn.call as unknown as Call)("pid"));
    await worn.close();
    expect([pids[0] === pids[1], pids[1] === pids[2], pids[2] === pids[3]]).toEqual([true, false, true]);
  });

  test("replaces a child once what it holds adds up", async () => {
    const kept = createPdfSandbox({ size: 1, tasksModule });
    const pids = [];
    for (const megabytes of [1, 300, 1, 1]) pids.push(await (kept.call as unknown as Call)("hold", megabytes));
    await kept.close();
    expect([pids[0] === pids[1], pids[1] === pids[2], pids[2] === pids[3]]).toEqual([true, false, true]);
  });

  test("keeps a place for sealing while strangers' tasks run, and runs one of each stranger at a time", async () => {
    const shared = createPdfSandbox({ size: 2, tasksModule });
    // Long enough for the second to be given a child of its own.
    await Promise.all([1, 2].map(() => (shared.call as unknown as Call)("wait", 400)));
    const ended: string[] = [];
    const wait = async (name: string, calls: { call: unknown }, ms: number) => {
      await (calls.call as Call)("wait", ms);
      ended.push(name);
    };
    const hostile = shared.askedBy({ key: "hostile", haste: "patient" });
    const slow = Array.from({ length: 4 }, (_, index) => wait(`hostile ${index + 1}`, hostile, 400));
    const neighbour = wait("neighbour", shared.askedBy({ key: "neighbour", haste: "patient" }), 1);
    const sealing = wait("sealing", shared, 1);
    await Promise.all([...slow, neighbour, sealing]);
    await shared.close();
    expect(ended.slice(0, 3)).toEqual(["sealing", "hostile 1", "neighbour"]);
  });

  test("runs as many background tasks at once as have places, whoever asks, and others' beside them", async () => {
    const shared = createPdfSandbox({ size: 3, tasksModule, line: { background: 1 } });
    // Long enough for the second to be given a child of its own.
    await Promise.all([1, 2].map(() => (shared.call as unknown as Call)("wait", 400)));
    const ended: string[] = [];
    const wait = async (name: string, calls: { call: unknown }, ms: number) => {
      await (calls.call as Call)("wait", ms);
      ended.push(name);
    };
    const started = performance.now();
    const lanes = [1, 2].map((lane) =>
      wait(`lane ${lane}`, shared.askedBy({ key: `lane ${lane}`, haste: "patient", background: true }), 1_000),
    );
    await wait("neighbour", shared.askedBy({ key: "neighbour", haste: "patient" }), 1);
    await Promise.all(lanes);
    expect(performance.now() - started).toBeGreaterThan(1_990);
    await shared.close();
    expect(ended).toEqual(["neighbour", "lane 1", "lane 2"]);
  });

  test("refuses when too many tasks wait, and drops those that nobody waits for any more", async () => {
    const narrow = createPdfSandbox({ size: 1, tasksModule, line: { longest: 2, longestOfOne: 1 } });
    const asked = (key: string, signal?: AbortSignal) =>
      (narrow.askedBy({ key, haste: "patient", ...(signal ? { signal } : {}) }).call as unknown as Call)("wait", 200);
    const gone = new AbortController();
    const running = asked("a");
    const waiting = asked("a");
    await expect(asked("a")).rejects.toMatchObject({ name: "SandboxBusyError", statusCode: 503 });
    const left = asked("b", gone.signal);
    await expect(asked("c")).rejects.toMatchObject({ name: "SandboxBusyError" });
    gone.abort();
    await expect(left).rejects.toMatchObject({ name: "SandboxBusyError" });
    await expect(asked("b", gone.signal)).rejects.toMatchObject({ name: "SandboxBusyError" });
    await Promise.all([running, waiting, asked("c")]);
    await narrow.close();
  });
});
