import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { CSRF_COOKIE } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { createApp } from "./create-app.ts";
import { sendResult } from "./problem-reply.ts";
import { readMultipart } from "./read-multipart.ts";

const HEAD = '--limite\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n';
const HEADERS = {
  cookie: `${CSRF_COOKIE}=jeton`,
  "x-csrftoken": "jeton",
  "content-type": "multipart/form-data; boundary=limite",
};
let platform: TestPlatform;
let app: FastifyInstance;
let holding = 0;
let letGo = () => {};

beforeAll(async () => {
  platform = await createTestPlatform();
  app = createApp(platform, { uploadRoom: { anybodyBytes: 100_000, signedInBytes: 200_000 } });
  app.register(async (scope) => {
    scope.post("/api/files/", async (request, reply) => {
      const form = await readMultipart(request, { trickle: { afterMs: 300, bytesPerS: 10_000 } });
      if (request.headers["x-hold"] !== undefined) {
        holding++;
        await new Promise<void>((resolve) => (letGo = resolve));
        holding--;
      }
      return sendResult(reply, form, { present: ({ files }) => ({ sizes: files.map((file) => file.bytes.length) }) });
    });
  });
  await app.ready();
});
afterAll(async () => {
  await app.close();
  await platform.close();
});

const upload = (size: number, headers: Record<string, string> = {}) =>
  app.inject({
    method: "POST",
    url: "/api/files/",
    headers: { ...HEADERS, ...headers },
    payload: `${HEAD}${"a".repeat(size)}\r\n--limite--\r\n`,
  });

test("forms beyond what the process may hold are asked to come back, until those before them are answered", async () => {
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

test("a refused form gives its room back", async () => {
  for (let n = 0; n < 5; n++) expect((await upload(150_000)).statusCode).toBe(503);
  expect((await upload(90_000)).statusCode).toBe(200);
});

test("a body that trickles is 400, though it never stops", async () => {
  const address = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  const socket = connect(Number(address.port), address.hostname);
  let said = "";
  socket.on("data", (chunk) => (said += chunk));
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const lines = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /api/files/ HTTP/1.1\r\nhost: x\r\n${lines.join("")}content-length: 50000\r\n\r\n${HEAD}`);
  const drip = setInterval(() => socket.write("a"), 50);
  await closed;
  clearInterval(drip);
  expect(said).toMatch(/^HTTP\/1\.1 400 /);
});
