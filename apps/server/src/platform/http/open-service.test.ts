import { connect } from "node:http2";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { findFreePort } from "../../../testing/run-main.ts";
import { loadOrMakeLocalTls } from "../tls/local-tls.ts";
import { createApp } from "./create-app.ts";
import { createMetrics } from "./metrics.ts";
import { openService, type Service } from "./open-service.ts";

let platform: TestPlatform;
let service: Service;
let stopped: boolean;
const port = await findFreePort();
const metricsPort = await findFreePort();

beforeEach(async () => {
  platform = await createTestPlatform({ settings: { port, metricsListen: { host: "127.0.0.1", port: metricsPort } } });
  const tls = await loadOrMakeLocalTls({
    folder: `${platform.settings.dataDir}/tls`,
    publicUrl: platform.settings.publicUrl,
    now: new Date(),
  });
  const metrics = createMetrics();
  const app = createApp(platform, { tls, metrics });
  app.get("/api/slow/:name/", async () => {
    await sleep(800);
    return { done: true };
  });
  service = openService({ platform, app, metrics, warm: async () => {}, close: async () => {} });
  stopped = false;
  await service.start();
});
afterEach(async () => {
  if (!stopped) await service.stop();
  await platform.close();
});

async function stopInTime(): Promise<number> {
  const started = performance.now();
  await service.stop();
  stopped = true;
  return performance.now() - started;
}

/** Over a connection of its own: one that an earlier service kept open may be cut on the way. */
function getOverHttp1(path: string): Promise<{ status: number | undefined; body: string; keepAlive: unknown }> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const answered = new Promise<{ status: number | undefined; body: string; keepAlive: unknown }>((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, path, agent }, (response) => {
      let body = "";
      response
        .on("data", (chunk) => (body += chunk))
        .on("end", () => resolve({ status: response.statusCode, body, keepAlive: response.headers["keep-alive"] }));
    });
    call.on("error", reject).end();
  });
  return answered.finally(() => agent.destroy());
}

test("finishes the request that runs when the stop is asked, and takes no other", async () => {
  const running = getOverHttp1("/api/slow/a/");
  await sleep(200);
  const tookMs = await stopInTime();
  expect(await running).toMatchObject({ status: 200, body: '{"done":true}' });
  expect(tookMs).toBeLessThan(4_500);
  await expect(getOverHttp1("/api/health/")).rejects.toThrow("ECONNREFUSED");
});

test("answers over HTTP/2, and stops although a session stays open", async () => {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on("error", () => {});
  const stream = session.request({ ":path": "/api/health/" });
  let body = "";
  stream.setEncoding("utf8").on("data", (chunk) => (body += chunk));
  await new Promise((resolve) => stream.once("end", resolve));
  expect(body).toBe('{"status":"ok"}');
  expect(await stopInTime()).toBeLessThan(4_500);
  session.destroy();
});

test("keeps an idle connection longer than a reverse proxy does", async () => {
  expect((await getOverHttp1("/api/health/")).keepAlive).toBe("timeout=72");
});

test("counts its answers by route, without ids, and shows the counts on their own address only", async () => {
  await getOverHttp1("/api/slow/secret-id/");
  expect((await getOverHttp1("/api/metrics")).status).toBe(404);
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/api/metrics`);
  const text = await answer.text();
  expect(answer.headers.get("content-type")).toContain("version=0.0.4");
  expect(text).toContain('paraphe_http_request_duration_seconds_count{method="GET",route="/api/slow/:name/",status="200"} 1');
  expect(text).toContain("process_resident_memory_bytes");
  expect(text).not.toContain("secret-id");
});
