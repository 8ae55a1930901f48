import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { Agent, request } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { csrfOf } from "../../../testing/browser.ts";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { findFreePort } from "../../../testing/run-main.ts";
import { loadOrMakeLocalTls } from "../tls/load-tls.ts";
import { LEAST_PACE, watchPace } from "./body-room.ts";
import { clientFontFaces } from "./serve-client.ts";
import { createApp } from "./create-app.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { openService, type Service } from "./open-service.ts";
import { sendResult } from "./problem-reply.ts";
import { readMultipart } from "./read-multipart.ts";
import { readPlatform } from "./serve-metrics.ts";

let platform: TestPlatform;
let port: number;
let metricsPort: number;

beforeAll(async () => {
  [port, metricsPort] = await Promise.all([findFreePort(), findFreePort()]);
  platform = await createTestPlatform({
    settings: { port, metricsListen: { host: "127.0.0.1", port: metricsPort }, accessLog: true },
  });
});
afterAll(() => platform.close());

describe("a server", () => {
  let service: Service;
  let stopped: boolean;
  let arrived: PromiseWithResolvers<void>;

  beforeEach(() => start(platform.settings));

  async function start(settings: TestPlatform["settings"]): Promise<void> {
    const tls = await loadOrMakeLocalTls({
      folder: `${platform.settings.dataDir}/tls`,
      publicUrl: platform.settings.publicUrl,
      now: new Date(),
    });
    const metrics = createMetrics();
    metrics.watch(() => readPlatform(platform));
    metrics.watch(() => Promise.reject(new Error("This one cannot be read")));
    const app = createApp(platform, { tls });
    arrived = Promise.withResolvers();
    app.get("/api/slow/:name/", async () => {
      arrived.resolve();
      await sleep(800);
      return { done: true };
    });
    service = openService({
      platform: { ...platform, settings },
      app,
      metrics,
      warm: async () => {},
      close: async () => {},
    });
    stopped = false;
    await service.start();
  }
  afterEach(async () => {
    if (!stopped) await service.stop();
  });

  async function stopInTime(): Promise<number> {
    const started = performance.now();
    await service.stop();
    stopped = true;
    return performance.now() - started;
  }

  /** Uses a new connection, as an old one may be cut. */
  function getOverHttp1(
    path: string,
  ): Promise<{ status: number | undefined; body: string; keepAlive: unknown }> {
    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
    const answered = new Promise<{ status: number | undefined; body: string; keepAlive: unknown }>(
      (resolve, reject) => {
        const call = request({ host: "127.0.0.1", port, path, agent }, (response) => {
          let body = "";
          response
            .on("data", (chunk) => (body += chunk))
            .on("end", () =>
              resolve({
                status: response.statusCode,
                body,
                keepAlive: response.headers["keep-alive"],
              }),
            );
        });
        call.on("error", reject).end();
      },
    );
    return answered.finally(() => agent.destroy());
  }

  test("a stopping server finishes its request, and accepts no other", async () => {
    const running = getOverHttp1("/api/slow/a/");
    await arrived.promise;
    const tookMs = await stopInTime();
    expect(await running).toMatchObject({ status: 200, body: '{"done":true}' });
    expect(tookMs).toBeLessThan(4_500);
    await expect(getOverHttp1("/api/health/")).rejects.toThrow("ECONNREFUSED");
  });

  test("behind a proxy a stopping server first turns not ready, and serves until the proxy notices", async () => {
    await stopInTime();
    await start({ ...platform.settings, trustProxy: ["10.0.0.1"] });
    const stopping = stopInTime();
    const places = [
      `http://127.0.0.1:${metricsPort}/api/health/ready`,
      `http://127.0.0.1:${metricsPort}/api/health/`,
    ];
    for (const place of places) expect((await fetch(place)).status).toBe(503);
    expect(await getOverHttp1("/api/health/ready")).toMatchObject({ status: 503 });
    expect(await getOverHttp1("/api/slow/b/")).toMatchObject({ status: 200, keepAlive: undefined });
    expect(await stopping).toBeLessThan(9_000);
    await expect(getOverHttp1("/api/health/")).rejects.toThrow("ECONNREFUSED");
  });

  test("the server answers over HTTP/2, and stops despite an open session", async () => {
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    session.on("error", () => {});
    const stream = session.request({ ":path": "/api/health/live" });
    let body = "";
    stream.setEncoding("utf8").on("data", (chunk) => (body += chunk));
    await new Promise((resolve) => stream.once("end", resolve));
    expect(body).toBe('{"status":"ok"}');
    expect(await stopInTime()).toBeLessThan(4_500);
    session.destroy();
  });

  test("an idle connection outlasts a reverse proxy's", async () => {
    expect((await getOverHttp1("/api/health/")).keepAlive).toBe("timeout=72");
  });

  test("answers are counted by route, without ids, on their own address only", async () => {
    await getOverHttp1("/api/slow/secret-id/");
    expect((await getOverHttp1("/api/metrics")).status).toBe(404);
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/api/metrics`);
    const text = await answer.text();
    expect(answer.headers.get("content-type")).toContain("version=0.0.4");
    expect(text).toMatch(
      /^paraphe_http_request_duration_seconds_count\{method="GET",route="\/api\/slow\/:name\/",status="200"\} [1-9]/m,
    );
    for (const figure of [
      "process_resident_memory_bytes",
      "nodejs_eventloop_lag_seconds",
      'paraphe_build_info{version="0.9.0"} 1',
    ])
      expect(text).toContain(figure);
    expect(text).toMatch(/^paraphe_disk_free_bytes\{place="store"\} \d{6,}$/m);
    expect(text).toMatch(/^paraphe_last_backup_timestamp_seconds 0$/m);
    expect(text).toMatch(/^paraphe_database_connections\{state="idle"\} \d+$/m);
    expect(text).toMatch(/^paraphe_database_connections\{state="waiting"\} 0$/m);
    const answered = platform.logged.findLast(
      ({ message, fields }) => message === "answered" && fields["route"] === "/api/slow/:name/",
    );
    expect(answered?.fields).toMatchObject({
      method: "GET",
      status: 200,
      ms: expect.any(Number),
      ip: expect.any(String),
    });
    expect(text + JSON.stringify(platform.logged)).not.toContain("secret-id");
  });
});

describe("the client's files", () => {
  let folder: string;
  let app: FastifyInstance;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "paraphe-client-"));
    await mkdir(join(folder, "assets"));
    for (const page of ["index", "sign", "verify"])
      await writeFile(join(folder, `${page}.html`), `<!doctype html><title>${page}</title>`);
    await writeFile(
      join(folder, "verifier.html"),
      `<meta http-equiv="content-security-policy" content="script-src 'sha256-abc='" /><title>verifier</title>`,
    );
    await writeFile(join(folder, "assets/app-1a2b3c.js"), `console.log(${"1,".repeat(2_000)}1)`);
    await writeFile(join(folder, "favicon.svg"), "<svg/>");
    await writeFile(join(folder, "sw.js"), "self.onpush = () => {};");
    app = createApp(platform, { clientFolder: folder });
    await app.ready();
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  const titleOf = (body: string) => /<title>(.*?)<\/title>/.exec(body)?.[1];

  test.each([
    ["/", "index"],
    ["/login?activated=1", "index"],
    ["/dashboard", "index"],
    ["/signature/envelopes/sent", "index"],
    ["/signature/sign/0192", "index"],
    ["/reset-password/u/t", "index"],
    ["/conditions", "index"],
    ["/confidentialite", "index"],
    ["/sign/0192?token=abc", "sign"],
    ["/signature/guest/success", "sign"],
    ["/verify/0192?sig=abc", "verify"],
    ["/journal-de-transparence", "verify"],
    ["/verifier", "verifier"],
    ["/verifier.html", "verifier"],
  ])("%s is the page %s, revalidated at each visit", async (url, page) => {
    const answer = await app.inject(url);
    expect([answer.statusCode, titleOf(answer.body)]).toEqual([200, page]);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(answer.headers["cache-control"]).toBe("no-cache");
  });

  test("each route of the client's is a page", async () => {
    const urls = [
      ...(await routesIn("shell/member-routes.tsx")),
      ...(await routesIn("entries/guest.tsx")),
    ];
    expect(urls).toContain("/invitation");
    expect(urls).toContain("/signature/envelopes/drafts");
    const missing = [];
    for (const url of urls) if ((await app.inject(url)).statusCode !== 200) missing.push(url);
    expect(missing).toEqual([]);
  });

  async function routesIn(file: string): Promise<readonly string[]> {
    const text = await readFile(new URL(`../../../../web/src/${file}`, import.meta.url), "utf8");
    const above: string[] = [];
    const urls: string[] = [];
    for (const line of text.split("\n").map((one) => one.trim())) {
      if (line === "</Route>") above.pop();
      if (!line.startsWith("<Route ")) continue;
      const path = /path="([^"]+)"/.exec(line)?.[1] ?? "";
      if (path !== "*")
        urls.push(`/${[...above, path].filter(Boolean).join("/")}`.replaceAll(/\*|:\w+/g, "x"));
      if (!line.endsWith("/>")) above.push(path);
    }
    return urls;
  }

  test("an unknown address gets the client's page with 404", async () => {
    for (const url of ["/nulle/part", "/loginx", "/signatures-a-moi"]) {
      const answer = await app.inject(url);
      expect([answer.statusCode, titleOf(answer.body)]).toEqual([404, "index"]);
    }
  });

  test("hashed files are cached for ever and compressed, others revalidated; a missing one is not a page", async () => {
    const script = await app.inject({
      url: "/assets/app-1a2b3c.js",
      headers: { "accept-encoding": "br" },
    });
    expect(script.headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-encoding": "br",
    });
    expect((await app.inject("/favicon.svg")).headers["cache-control"]).toBe("no-cache");
    expect((await app.inject("/assets/absent.js")).json().code).toBe("not_found");
  });

  test("the one-file page has its own policy, and no frame may show it", async () => {
    for (const url of ["/verifier", "/verifier.html"])
      expect((await app.inject(url)).headers["content-security-policy"]).toBe(
        "script-src 'sha256-abc='; frame-ancestors 'none'",
      );
    expect((await app.inject("/verify/0192")).headers["content-security-policy"]).toContain(
      "script-src 'self'",
    );
  });

  test("the service worker is at the root, revalidated, and may fetch only its icon", async () => {
    const worker = await app.inject("/sw.js");
    expect(worker.headers).toMatchObject({
      "service-worker-allowed": "/",
      "cache-control": "no-cache",
      "content-security-policy": "default-src 'none'; img-src 'self'; frame-ancestors 'none'",
    });
    expect(worker.headers["content-type"]).toMatch(/^(text|application)\/javascript/);
    expect((await app.inject("/favicon.svg")).headers["service-worker-allowed"]).toBeUndefined();
    await rm(join(folder, "sw.js"));
    expect((await app.inject("/sw.js")).json()).toMatchObject({ status: 404, code: "not_found" });
  });

  test("no address leads out of the client's folder", async () => {
    for (const url of [
      "/../package.json",
      "/%2e%2e/package.json",
      "/assets/..%2f..%2fpackage.json",
      "/assets/%00",
    ]) {
      const answer = await app.inject(url);
      expect([400, 404]).toContain(answer.statusCode);
      expect(answer.body).not.toContain("workspaces");
    }
  });

  test("a client that was not built is reported", async () => {
    const bare = createApp(platform, { clientFolder: join(folder, "absent") });
    const answer = await bare.inject("/login");
    expect(answer.json()).toMatchObject({ status: 503, code: "service_unavailable" });
    await bare.close();
  });
});

describe("the client's fonts", () => {
  test("a page names the built client's fonts, or none", async () => {
    const folder = await mkdtemp(join(tmpdir(), "paraphe-fonts-"));
    try {
      expect(clientFontFaces(folder)).toBe("");
      await mkdir(join(folder, "assets"));
      for (const name of [
        "instrument-sans-latin-wght-normal-Bb_Z-1.woff2",
        "spectral-latin-500-normal-nN.woff2",
        "spectral-latin-ext-500-normal-x.woff2",
      ])
        await writeFile(join(folder, "assets", name), "");
      const faces = clientFontFaces(folder);
      expect(faces.match(/url\([^)]+\)/g)).toEqual([
        "url(/assets/instrument-sans-latin-wght-normal-Bb_Z-1.woff2)",
        "url(/assets/spectral-latin-500-normal-nN.woff2)",
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("room for uploads", () => {
  const HEAD = '--limite\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n';
  const ours = () => ({
    ...csrfOf(platform),
    "content-type": "multipart/form-data; boundary=limite",
  });
  let app: FastifyInstance;
  let holding = 0;
  let letGo = () => {};
  beforeAll(async () => {
    app = createApp(platform, {
      bodyRoom: { signedInBytes: 200_000, anybodyBytes: 100_000, anybodyFormBytes: 400_000 },
    });
    app.post("/api/words/", async (request) => request.body);
    app.addHook("onRequest", async (request) => {
      const id = request.headers["x-member"];
      Object.assign(request, { user: typeof id === "string" ? { id } : null });
    });
    app.register(async (scope) => {
      scope.post("/api/files/", async (request, reply) => {
        const form = await readMultipart(request, { trickle: { slackMs: 300, bytesPerS: 10_000 } });
        if (request.headers["x-hold"] !== undefined) {
          holding++;
          await new Promise<void>((resolve) => (letGo = resolve));
          holding--;
        }
        return sendResult(reply, form, {
          present: ({ files }) => ({ sizes: files.map((file) => file.bytes.length) }),
        });
      });
    });
    await app.ready();
  });
  afterAll(async () => {
    await app.close();
  });

  const upload = (
    size: number,
    headers: Record<string, string> = {},
    remoteAddress = "127.0.0.1",
  ) =>
    app.inject({
      method: "POST",
      url: "/api/files/",
      remoteAddress,
      headers: { ...ours(), ...headers },
      payload: `${HEAD}${"a".repeat(size)}\r\n--limite--\r\n`,
    });

  test("forms beyond the process's memory are asked to come back until others are answered", async () => {
    const first = upload(60_000, { "x-hold": "oui" });
    while (holding === 0) await sleep(2);
    const second = await upload(60_000);
    expect([second.statusCode, second.json().code]).toEqual([503, "service_unavailable"]);
    expect(Number(second.headers["retry-after"])).toBeGreaterThan(0);
    expect((await upload(30_000)).statusCode).toBe(200);
    letGo();
    expect((await first).json()).toEqual({ sizes: [60_000] });
    expect((await upload(90_000)).json()).toEqual({ sizes: [90_000] });
  });

  test("a form's fields take room as well", async () => {
    const field = (index: number) =>
      `--limite\r\nContent-Disposition: form-data; name="f${index}"\r\n\r\n${"a".repeat(30_000)}\r\n`;
    const post = (count: number) =>
      app.inject({
        method: "POST",
        url: "/api/files/",
        headers: ours(),
        payload: `${Array.from({ length: count }, (_, index) => field(index)).join("")}--limite--\r\n`,
      });
    expect([
      (await post(3)).statusCode,
      (await post(4)).statusCode,
      (await post(3)).statusCode,
    ]).toEqual([200, 503, 200]);
  });

  test("one account leaves room for the others, from any address", async () => {
    const first = upload(45_000, { "x-hold": "oui", "x-member": "one" }, "198.51.100.1");
    while (holding === 0) await sleep(2);
    expect((await upload(10_000, { "x-member": "one" }, "198.51.100.2")).statusCode).toBe(503);
    expect((await upload(45_000, { "x-member": "other" }, "198.51.100.1")).statusCode).toBe(200);
    letGo();
    expect((await first).statusCode).toBe(200);
  });

  test("a refused form frees its room", async () => {
    for (let n = 0; n < 5; n++) expect((await upload(150_000)).statusCode).toBe(503);
    expect((await upload(90_000)).statusCode).toBe(200);
  });

  test("one network's forms leave room for another's, and all forms leave room for other calls", async () => {
    const networks = ["198.51.100.1", "198.51.100.2", "198.51.100.3", "2001:db8::1"];
    const ends: (() => void)[] = [];
    const held = [];
    for (const network of networks) {
      held.push(upload(99_000, { "x-hold": "oui" }, network));
      while (holding <= ends.length) await sleep(2);
      ends.push(letGo);
      // The same subscriber's network.
      expect((await upload(5_000, {}, network.replace("::1", "::2"))).statusCode).toBe(503);
      expect((await upload(3_000, {}, "203.0.113.9")).statusCode).toBe(200);
    }
    expect((await upload(5_000, {}, "203.0.113.9")).statusCode).toBe(503);
    const words = {
      method: "POST",
      url: "/api/words/",
      headers: csrfOf(platform),
      remoteAddress: "198.51.100.1",
    } as const;
    expect((await app.inject({ ...words, payload: { code: "123456" } })).json()).toEqual({
      code: "123456",
    });
    for (const end of ends) end();
    expect((await Promise.all(held)).map((answer) => answer.statusCode)).toEqual([
      200, 200, 200, 200,
    ]);
  });

  async function beginForm() {
    if (!app.server.listening) await app.listen({ host: "127.0.0.1", port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    let said = "";
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const answered = new Promise<void>((resolve) =>
      socket.on("data", (chunk) => resolve(void (said += chunk))),
    );
    const lines = Object.entries(ours()).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST /api/files/ HTTP/1.1\r\nhost: x\r\n${lines.join("")}content-length: 200000\r\n\r\n${HEAD}`,
    );
    return { socket, answered, closed, said: () => said };
  }

  test("a trickling body is 408, even if it never stops", async () => {
    const form = await beginForm();
    const drip = setInterval(() => form.socket.write("a"), 50);
    await form.closed;
    clearInterval(drip);
    expect(form.said()).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("data after a form's refusal takes no room", async () => {
    const form = await beginForm();
    const drip = setInterval(() => form.socket.write("a"), 50);
    await form.answered;
    clearInterval(drip);
    form.socket.write("a".repeat(80_000));
    await form.closed;
    expect((await upload(99_000)).json()).toEqual({ sizes: [99_000] });
  });
});

describe("the pace of a body", () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }),
  );
  afterEach(() => void vi.useRealTimers());

  /** Seconds until a sender of this pace is cut off. */
  function heardForS({
    first,
    eachSecond,
  }: {
    readonly first: number;
    readonly eachSecond: number;
  }): number {
    const lose = vi.fn();
    const pace = watchPace(LEAST_PACE, lose);
    pace.heard(new Uint8Array(first));
    let seconds = 0;
    for (; seconds < 300 && lose.mock.calls.length === 0; seconds++) {
      vi.advanceTimersByTime(1_000);
      pace.heard(new Uint8Array(eachSecond));
    }
    pace.stop();
    return seconds;
  }

  test("the pace counts throughout: a fast start buys no slow end", () => {
    expect(heardForS({ first: 10 * 1024 * 1024, eachSecond: 1 })).toBeLessThan(12);
    expect(heardForS({ first: 0, eachSecond: 1 })).toBeLessThan(12);
  });

  test("a poor mobile line meets the pace", () => {
    expect(heardForS({ first: 0, eachSecond: LEAST_PACE.bytesPerS })).toBe(300);
  });

  test("our own delays do not count", () => {
    const lose = vi.fn();
    const pace = watchPace(LEAST_PACE, lose);
    for (let n = 0; n < 10; n++) {
      vi.advanceTimersByTime(4_000);
      pace.refresh();
      pace.heard(new Uint8Array(1));
    }
    pace.stop();
    expect(lose).not.toHaveBeenCalled();
  });
});
