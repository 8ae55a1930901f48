import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { constants, deflateRawSync } from "node:zlib";
import { PadesError } from "@paraphe/pades";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { makePdf } from "../../../testing/pdf.ts";
import { createGiveWay, createPdfSandbox, createPlaces } from "./create-pdf-sandbox.ts";
import { SandboxBusyError, SandboxLimitError } from "./pdf-sandbox.ts";
import {
  hasMemoryLimit,
  hasNoNetwork,
  networkTaker,
  refuseInsideProgram,
  startSandboxProcess,
} from "./sandbox-process.ts";
import { sandboxProgram, TASKS } from "./sandbox-program.ts";
import { loadTasks } from "./tasks.ts";

const CHUNK_BYTES = 16 * 1024 * 1024;

/** Source: proc_pid_task(5). */
function childrenOfOurs(): number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8")
    .trim()
    .split(" ")
    .map(Number);
}

/**
 * Deflated zeros without their memory: byte-aligned blocks repeat (RFC 1951 §3.2.4; RFC 1950's
 * Adler-32 of zeros).
 */
function deflatedZeros(chunks: number): Uint8Array {
  const block = deflateRawSync(new Uint8Array(CHUNK_BYTES), {
    level: 9,
    finishFlush: constants.Z_FULL_FLUSH,
  });
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(((((chunks * CHUNK_BYTES) % 65_521) << 16) | 1) >>> 0);
  return Buffer.concat([
    Buffer.from([0x78, 0xda]),
    ...Array.from({ length: chunks }, () => block),
    Buffer.from([0x03, 0x00]),
    checksum,
  ]);
}

/** Source: proc(5), `stat`: the fourth field. */
function childrenOf(parent: number): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return (
        readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1] ===
        String(parent)
      );
    } catch {
      // The process has ended meanwhile.
      return false;
    }
  });
}

describe("the PDF sandbox", { timeout: 60_000 }, () => {
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

  test("bytes come back as bytes, from the same child", async () => {
    const bytes = new Uint8Array([1, 2, 255]);
    expect(await call("echo", bytes)).toEqual(bytes);
    expect(await call("pid")).toBe(await call("pid"));
    expect(await call("pid")).not.toBe(process.pid);
  });

  test("the core's refusal comes back with its code", async () => {
    const error = await call("refuse").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PadesError);
    expect(error).toMatchObject({ code: "pdf_encrypted", clause: "ISO 32000-2 §7.6", offset: 12 });
  });

  test("a bug comes back as an error, and the child goes on", async () => {
    const pid = await call("pid");
    await expect(call("fail")).rejects.toThrow("a bug");
    await expect(call("toString")).rejects.toThrow("No sandbox task");
    expect(await call("pid")).toBe(pid);
  });

  test("an endless task is ended, and another child goes on", async () => {
    const hurried = createPdfSandbox({ size: 1, tasksModule, limits: { taskMs: 1_000 } });
    const run = hurried.call as unknown as Call;
    const pid = await run("pid");
    const started = performance.now();
    await expect(run("loop")).rejects.toMatchObject({ name: "SandboxLimitError", reason: "time" });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(await run("pid")).not.toBe(pid);
    await hurried.close();
  });

  test("a task that waits for a processor is a busy service, not a costly file", async () => {
    const hurried = await startSandboxProcess(tasksModule, {
      heapMb: 256,
      memoryMb: 1_024,
      taskMs: 300,
    });
    const late = hurried.run("loop", []).catch((error: unknown) => error);
    process.kill(hurried.pid, "SIGSTOP");
    expect(await late).toBeInstanceOf(SandboxBusyError);
    expect(hurried.usable()).toBe(false);
  });

  test("the sandbox is ready while one child works, even if another is slow to start", async () => {
    const pair = createPdfSandbox({ size: 2, tasksModule });
    const run = pair.call as unknown as Call;
    const first = Number(await run("pid"));
    const held = run("wait", 60_000).catch(() => null);
    await run("pid");
    const known = childrenOfOurs();
    process.kill(first, "SIGKILL");
    const next = await vi.waitUntil(() => childrenOfOurs().find((pid) => !known.includes(pid)), {
      interval: 5,
      timeout: 10_000,
    });
    process.kill(next, "SIGSTOP");
    await pair.check();
    process.kill(next, "SIGCONT");
    await pair.close();
    await held;
  });

  test.each(["fillHeap", "fillBuffers", "recurse"])(
    "ends a task that takes all memory (%s)",
    async (task) => {
      expect(await limitOf(task)).toBe("memory");
      expect(await call("echo", "après")).toBe("après");
    },
    60_000,
  );

  test("a task that inflates a few megabytes beyond its memory is ended", async () => {
    const bomb = deflatedZeros(90);
    expect(bomb.length).toBeLessThan(10_000_000);
    expect(await limitOf("inflate", bomb)).toBe("memory");
    expect(await call("echo", "après")).toBe("après");
  }, 60_000);

  test("the sandbox survives a child's death", async () => {
    expect(await limitOf("abort")).toBe("crash");
    expect(await call("echo", "après")).toBe("après");
  });

  test("a task whose child was ended from outside runs once more; a second time 503 says nothing of the file", async () => {
    const ended = createPdfSandbox({ size: 1, tasksModule });
    const run = ended.call as unknown as Call;
    const first = Number(await run("pid"));
    const answer = run("pidAfter", 1_000);
    await sleep(200);
    process.kill(first, "SIGKILL");
    expect(await answer).not.toBe(first);
    await expect(run("killed")).rejects.toMatchObject({
      name: "SandboxAwayError",
      statusCode: 503,
    });
    expect(await run("echo", "après")).toBe("après");
    await ended.close();
  }, 30_000);

  test("children get none of our environment", async () => {
    process.env.MASTER_KEY = "secret";
    const fresh = createPdfSandbox({ size: 1, tasksModule });
    const environment = (await (fresh.call as unknown as Call)("environment")) as NodeJS.ProcessEnv;
    await fresh.close();
    delete process.env.MASTER_KEY;
    const expected = [
      "NODE_ENV",
      "MALLOC_ARENA_MAX",
      "NODE_CHANNEL_FD",
      "NODE_CHANNEL_SERIALIZATION_MODE",
      "NODE_UNIQUE_ID",
    ];
    expect(Object.keys(environment).filter((name) => !expected.includes(name))).toEqual([]);
  });

  const RESTRICTED = "Access to this API has been restricted";
  const root = fileURLToPath(new URL("../../../../../", import.meta.url));
  const keys = join(root, "data/keys");
  const ofOurs = [
    join(keys, "master-key"),
    join(root, "data/files/ab/document.pdf"),
    join(root, "data/db/PG_VERSION"),
    join(root, ".env"),
    join(root, "package-lock.json"),
    join(root, ".git"),
    join(root, "apps/web/index.html"),
    join(root, "apps/server/src/main.ts"),
    "/etc/passwd",
    "/proc/self/environ",
    `/proc/${process.pid}/environ`,
  ];

  test.each([
    ...ofOurs.map((path) => ["read", path]),
    ["list", root],
    ["write", "/tmp/paraphe-sandbox-escape"],
    ["write", join(root, ".cache/sandbox/hostile-tasks/inputs.json")],
    ["execute", ""],
  ])(
    "lets its children %s nothing of ours, in the default layout (%s)",
    async (task = "", path = "") => {
      await expect(call(task, path)).rejects.toThrow(RESTRICTED);
      expect(await call("echo", "après")).toBe("après");
    },
  );

  test("children run code compiled ahead, and can change nothing of it for the next one", async () => {
    for (const module of [TASKS.pdf, TASKS.images, tasksModule]) {
      const child = await startSandboxProcess(module, {
        heapMb: 256,
        memoryMb: 1_280,
        taskMs: 10_000,
        addons: "allowed",
      });
      child.end();
      expect([module.href, child.isCompiled]).toEqual([module.href, true]);
    }
    const program = dirname(await sandboxProgram(tasksModule));
    const files = readdirSync(program);
    expect(files.filter((name) => name.endsWith(".cache"))).not.toEqual([]);
    for (const name of [...files, "new.cjs.cache"])
      await expect(call("write", join(program, name))).rejects.toThrow(RESTRICTED);
  });

  test("a program is made anew by the next process once a module that it imports has changed, and only then", async () => {
    const name = `changing-${process.pid}`;
    const folder = await mkdtemp(join(tmpdir(), "paraphe-tasks-"));
    const module = pathToFileURL(join(folder, `${name}.ts`));
    const say = (answer: string) =>
      writeFile(join(folder, "answer.ts"), `export const answer: string = "${answer}";`);
    await writeFile(
      module,
      'import { answer } from "./answer.ts";\nexport const loadTasks = async () => ({ ask: async () => answer });',
    );
    const inAnotherProcess = () =>
      execFileSync(process.execPath, [
        "--input-type=module",
        "--eval",
        `import { sandboxProgram } from "${new URL("./sandbox-program.ts", import.meta.url).href}";
        console.log(await sandboxProgram(new URL("${module.href}")));`,
      ]).toString();
    try {
      await say("avant");
      const first = inAnotherProcess();
      expect(inAnotherProcess()).toBe(first);
      await say("après 🖋");
      const child = await startSandboxProcess(module, {
        heapMb: 256,
        memoryMb: 1_024,
        taskMs: 10_000,
      });
      expect(await child.run("ask", [])).toBe("après 🖋");
      child.end();
      expect(await sandboxProgram(module)).not.toBe(first.trim());
    } finally {
      await rm(folder, { recursive: true });
      await rm(join(root, ".cache/sandbox", name), { recursive: true, force: true });
    }
  });

  test("children, those of pictures too, have no network, not even this machine's ports", async ({
    skip,
  }) => {
    if (!hasNoNetwork()) skip("this system makes no network namespace");
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    let reached = 0;
    server.on("connection", () => (reached += 1));
    const pictures = await startSandboxProcess(tasksModule, {
      heapMb: 256,
      memoryMb: 1_024,
      taskMs: 10_000,
      addons: "allowed",
    });
    expect([await call("connect", port), await pictures.run("connect", [port])]).toEqual([
      "ENETUNREACH",
      "ENETUNREACH",
    ]);
    await expect(pictures.run("read", [ofOurs[0]])).rejects.toThrow(RESTRICTED);
    pictures.end();
    server.close();
    expect(reached).toBe(0);
  });

  test("a machine that cannot isolate the network is detected", () => {
    expect(networkTaker("/usr/bin/no-such-unshare")).toBe(null);
    expect(networkTaker("/bin/false")).toBe(null);
  });

  test("secrets and people's files are refused in the program's and the client's folders, however spelt, and accepted elsewhere", async () => {
    const folder = await mkdtemp(join(tmpdir(), "paraphe-places-"));
    await symlink(join(root, "node_modules"), join(folder, "lien"));
    const refused = (path: string) => {
      try {
        refuseInsideProgram([{ variable: "DATA_DIR", path, example: "/var/lib/paraphe" }]);
        return null;
      } catch (error) {
        return String(error);
      }
    };
    const inside = [
      "node_modules",
      "node_modules/donnees/neuf",
      "apps/server/src/data",
      "packages/pades/src",
      "apps/../packages/contracts/src/x",
      "apps/web/dist",
      "apps/web/dist/assets/donnees",
      ".cache/sandbox/donnees",
    ];
    for (const path of [
      ...inside.map((name) => join(root, name)),
      join(folder, "lien"),
      join(folder, "lien/donnees"),
    ])
      expect([path, refused(path)]).toEqual([
        path,
        expect.stringMatching(
          /^SettingsError: Réglage refusé\u00a0: DATA_DIR désigne .*\/var\/lib\/paraphe$/,
        ),
      ]);
    for (const path of [
      join(root, "data"),
      join(root, "node_modules-2"),
      join(root, "apps/web/dist-2"),
      join(folder, "donnees"),
      "/var/lib/paraphe",
    ])
      expect([path, refused(path)]).toEqual([path, null]);
    await rm(folder, { recursive: true });
  });

  test("a machine that cannot limit memory is detected", () => {
    expect(hasMemoryLimit()).toBe(true);
    expect(hasMemoryLimit("/usr/bin/no-such-prlimit")).toBe(false);
  });

  test("tasks wait for a free child, and are refused once the sandbox is closed", async () => {
    const pair = createPdfSandbox({ size: 2, tasksModule });
    const wait = (pair.call as unknown as Call).bind(null, "wait");
    await pair.warm();
    const started = performance.now();
    await Promise.all([wait(300), wait(300), wait(300)]);
    expect(performance.now() - started).toBeGreaterThan(590);
    await pair.close();
    await expect(wait(1)).rejects.toThrow("closed");
  });

  test.each([2, 3])(
    "serves as many tasks as it has places (%i) while its first child still starts",
    async (size) => {
      const starting = createPdfSandbox({ size, tasksModule });
      const warming = starting.warm();
      const echoes = Array.from({ length: size }, (_, index) =>
        (starting.call as unknown as Call)("echo", index),
      );
      expect(await Promise.all(echoes)).toEqual(Array.from({ length: size }, (_, index) => index));
      await warming;
      await starting.close();
    },
  );

  test("a task during the first start begins no second child", async () => {
    const before = childrenOf(process.pid);
    const starting = createPdfSandbox({ size: 2, tasksModule });
    const warming = starting.warm();
    expect(await (starting.call as unknown as Call)("echo", "avant")).toBe("avant");
    await warming;
    expect(childrenOf(process.pid).filter((pid) => !before.includes(pid))).toHaveLength(1);
    await starting.close();
  });

  test("a child is replaced after a number of tasks", async () => {
    const worn = createPdfSandbox({ size: 1, tasksModule, tasksPerProcess: 2 });
    const pids = [];
    for (let task = 1; task <= 4; task++) pids.push(await (worn.call as unknown as Call)("pid"));
    await worn.close();
    expect([pids[0] === pids[1], pids[1] === pids[2], pids[2] === pids[3]]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("a child that ended loses its stored bytes: the next one gets the whole file", async () => {
    const mortal = createPdfSandbox({ size: 1, tasksModule });
    const ask = mortal.call as unknown as Call;
    const file = crypto.getRandomValues(new Uint8Array(65_536));
    const document = new Uint8Array(Buffer.concat([file, file, file]));
    const echoed = async () =>
      Buffer.compare((await ask("echo", document)) as Uint8Array, document);
    for (let life = 0; life < 2; life += 1) {
      expect([await echoed(), await echoed()]).toEqual([0, 0]);
      process.kill((await ask("pid")) as number, "SIGKILL");
    }
    expect(await echoed()).toBe(0);
    await mortal.close();
  });

  test("a child is replaced once its memory adds up", async () => {
    const kept = createPdfSandbox({ size: 1, tasksModule });
    const pids = [];
    for (const megabytes of [1, 300, 1, 1])
      pids.push(await (kept.call as unknown as Call)("hold", megabytes));
    await kept.close();
    expect([pids[0] === pids[1], pids[1] === pids[2], pids[2] === pids[3]]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("one place stays free for sealing during callers' tasks, one at a time per caller", async () => {
    const shared = createPdfSandbox({ size: 2, tasksModule });
    // Tasks last long enough for a second child to start.
    await Promise.all([1, 2].map(() => (shared.call as unknown as Call)("wait", 400)));
    const ended: string[] = [];
    const wait = async (name: string, calls: { call: unknown }, ms: number) => {
      await (calls.call as Call)("wait", ms);
      ended.push(name);
    };
    const hostile = shared.askedBy({ key: "hostile", haste: "patient" });
    const slow = Array.from({ length: 4 }, (_, index) =>
      wait(`hostile ${index + 1}`, hostile, 400),
    );
    const neighbour = wait("neighbour", shared.askedBy({ key: "neighbour", haste: "patient" }), 1);
    const sealing = wait("sealing", shared, 1);
    await Promise.all([...slow, neighbour, sealing]);
    await shared.close();
    expect(ended.slice(0, 3)).toEqual(["sealing", "hostile 1", "neighbour"]);
  });

  test("background tasks run on their places only, with others beside them", async () => {
    const shared = createPdfSandbox({ size: 3, tasksModule, line: { background: 1 } });
    // Tasks last long enough for a second child to start.
    await Promise.all([1, 2].map(() => (shared.call as unknown as Call)("wait", 400)));
    const ended: string[] = [];
    const wait = async (name: string, calls: { call: unknown }, ms: number) => {
      await (calls.call as Call)("wait", ms);
      ended.push(name);
    };
    const started = performance.now();
    const lanes = [1, 2].map((lane) =>
      wait(
        `lane ${lane}`,
        shared.askedBy({ key: `lane ${lane}`, haste: "patient", background: true }),
        1_000,
      ),
    );
    await wait("neighbour", shared.askedBy({ key: "neighbour", haste: "patient" }), 1);
    await Promise.all(lanes);
    expect(performance.now() - started).toBeGreaterThan(1_990);
    await shared.close();
    expect(ended).toEqual(["neighbour", "lane 1", "lane 2"]);
  });

  test("too many waiting tasks are refused, and abandoned ones dropped", async () => {
    const narrow = createPdfSandbox({
      size: 1,
      tasksModule,
      line: { longest: 2, longestOfOne: 1 },
    });
    const asked = (key: string, signal?: AbortSignal) =>
      (
        narrow.askedBy({ key, haste: "patient", ...(signal ? { signal } : {}) })
          .call as unknown as Call
      )("wait", 200);
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

describe("bombs", () => {
  const sandbox = createPdfSandbox({ size: 1 });
  afterAll(() => sandbox.close());

  /** Every reader must inflate the stream first: cross-references, or objects. */
  function pdfWithStream(data: Uint8Array, where: "xref" | "objects"): Uint8Array {
    const kind =
      where === "xref"
        ? "/Type /XRef /W [1 2 1] /Index [0 4] /Root 1 0 R /Size 5"
        : "/Type /ObjStm /N 1 /First 4";
    const parts = [
      Buffer.from(
        "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n",
      ),
      Buffer.from("3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>\nendobj\n"),
    ];
    const offset = parts.reduce((sum, part) => sum + part.length, 0);
    parts.push(
      Buffer.from(`4 0 obj\n<< ${kind} /Filter /FlateDecode /Length ${data.length} >>\nstream\n`),
      Buffer.from(data),
    );
    parts.push(Buffer.from(`\nendstream\nendobj\nstartxref\n${offset}\n%%EOF\n`));
    return new Uint8Array(Buffer.concat(parts));
  }

  const contract = Buffer.from(
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\n" +
      "xref\n0 4\n0000000000 65535 f \n0000000009 00000 n \n0000000054 00000 n \n0000000105 00000 n \ntrailer<</Size 4/Root 1 0 R>>\nstartxref\n169\n%%EOF\n",
  );

  test("a sound document is read", async () => {
    expect(await sandbox.call("inspect", new Uint8Array(contract))).toMatchObject({
      pageCount: 1,
      signatureCount: 0,
    });
  });

  test.each(["xref", "objects"] as const)(
    "survives 1.5 GB deflated in its %s, and reads the next document",
    async (where) => {
      const bomb = pdfWithStream(deflatedZeros(90), where);
      expect(bomb.length).toBeLessThan(2_000_000);
      const outcome = await sandbox.call("inspect", bomb).catch((error: unknown) => error);
      expect(outcome instanceof SandboxLimitError || outcome instanceof PadesError).toBe(true);
      expect(await sandbox.call("inspect", new Uint8Array(contract))).toMatchObject({
        pageCount: 1,
      });
    },
    60_000,
  );
});

describe("the sandbox's tasks", () => {
  test("documents are prepared and signed with the product's own fonts, in each of the four hands", async () => {
    const tasks = await loadTasks();
    const field = {
      name: "s",
      ownerKey: "a",
      type: "signature",
      pageNumber: 1,
      x: 0.1,
      y: 0.1,
      width: 0.3,
      height: 0.1,
      label: "",
      tooltip: "",
    } as const;
    const prepared = await tasks.prepareFields(makePdf(), { namePrefix: "e", fields: [field] });
    for (const hand of [
      "caveat",
      "la-belle-aurore",
      "playwrite-fr-moderne",
      "herr-von-muellerhoff",
    ] as const) {
      const revision = await tasks.prepareSignature(prepared, {
        namePrefix: "e",
        ownerKey: "a",
        ownFields: [{ name: "s", type: "signature", value: null }],
        mark: { kind: "typed", text: "Zoé Œuvrard-d’Été", hand },
        lines: ["Zoé Œuvrard", "Nguyễn Thị Ánh"],
        signingTime: new Date("2026-11-21T14:16:04Z"),
        signerName: "Zoé Œuvrard",
      });
      const [, before, after, rest] = revision.byteRange;
      const digest = createHash("sha256")
        .update(revision.bytes.subarray(0, before))
        .update(revision.bytes.subarray(after, after + rest))
        .digest();
      expect(Buffer.from(revision.digestSha256).equals(digest)).toBe(true);
      expect(after + rest).toBe(revision.bytes.length);
    }
  });
});

describe("the places of tasks", () => {
  const MINUTE_MS = 60_000;
  let retired: string[];

  beforeEach(() => {
    retired = [];
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  const three = () =>
    createPlaces({ all: ["a", "b", "c"], retire: (place) => retired.push(place) });

  test("consecutive tasks use the same place", async () => {
    const places = three();
    for (let task = 0; task < 5; task += 1) {
      expect(await places.take()).toBe("a");
      places.give("a");
    }
  });

  test("a task waits a moment for a busy place before it takes a fresh one", async () => {
    const places = three();
    await places.take();
    const second = places.take();
    await vi.advanceTimersByTimeAsync(99);
    places.give("a");
    expect(await second).toBe("a");
    const third = places.take();
    await vi.advanceTimersByTimeAsync(100);
    expect(await third).toBe("b");
  });

  test("the longest waiting task gets the first free place", async () => {
    const places = three();
    await places.take();
    const taken: string[] = [];
    const waiting = ["second", "third"].map((name) =>
      places.take().then((place) => taken.push(`${name} ${place}`)),
    );
    places.give("a");
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(waiting);
    expect(taken).toEqual(["second a", "third b"]);
  });

  test("places unused for a minute end, all but one", async () => {
    const places = three();
    const all = Promise.all([places.take(), places.take(), places.take()]);
    await vi.advanceTimersByTimeAsync(200);
    for (const place of await all) places.give(place);
    await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
    expect(retired).toEqual([]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(retired).toHaveLength(2);
    const kept = await places.take();
    expect(retired).not.toContain(kept);
  });

  test("a used place stays while the others end", async () => {
    const places = three();
    const [first, second] = [places.take(), places.take()];
    await vi.advanceTimersByTimeAsync(100);
    places.give(await first);
    places.give(await second);
    for (let second = 0; second < 70; second += 1) {
      const place = await places.take();
      expect(place).toBe("b");
      places.give(place);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(retired).toEqual(["a"]);
  });

  test("one taker too many is refused, and the others keep their places", async () => {
    const places = three();
    const four = Promise.allSettled([places.take(), places.take(), places.take(), places.take()]);
    await vi.advanceTimersByTimeAsync(200);
    const outcomes = await four;
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    for (const outcome of outcomes) if (outcome.status === "fulfilled") places.give(outcome.value);
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect(retired).toHaveLength(2);
    expect(retired).not.toContain(undefined);
  });
});

describe("background work", () => {
  const stage = (rights: { readonly mayRaise: boolean }) => {
    const calls: (readonly [number, number])[] = [];
    const give = createGiveWay({
      ...rights,
      set: ((pid: number, priority: number) => calls.push([pid, priority])) as never,
    });
    return { calls, give };
  };

  test("a child's priority is lowered once for background work, and raised for the next other task", () => {
    const { calls, give } = stage({ mayRaise: true });
    for (const task of [
      "ordinary",
      "background",
      "background",
      "ordinary",
      "ordinary",
      "background",
    ] as const)
      give(7, task);
    give(8, "ordinary");
    expect(calls).toEqual([
      [7, 10],
      [7, 0],
      [7, 10],
    ]);
  });

  test("where priorities cannot be raised, none is lowered", () => {
    const { calls, give } = stage({ mayRaise: false });
    give(7, "background");
    expect(calls).toEqual([]);
  });

  test("an ended child causes no error", () => {
    const give = createGiveWay({
      mayRaise: true,
      set: () => {
        throw new Error("ESRCH");
      },
    });
    expect(() => give(7, "background")).not.toThrow();
  });
});
