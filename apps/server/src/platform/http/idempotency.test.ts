import { once } from "node:events";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CSRF_COOKIE } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { loadOrMakeLocalTls } from "../tls/local-tls.ts";
import { createApp } from "./create-app.ts";

const BODY = JSON.stringify({ title: "Bail" });
let platform: TestPlatform;
let app: FastifyInstance;
let session: ClientHttp2Session;
let runs = 0;

beforeAll(async () => {
  platform = await createTestPlatform();
  const { dataDir, publicUrl } = platform.settings;
  const tls = await loadOrMakeLocalTls({ folder: join(dataDir, "tls"), publicUrl, now: new Date() });
  app = createApp(platform, { tls });
  app.register(async (scope) => {
    scope.post("/api/things/", async (_request, reply) => {
      const run = ++runs;
      await sleep(300);
      return reply.code(201).send({ run });
    });
  });
  session = connect(await app.listen({ host: "127.0.0.1", port: 0 }), { rejectUnauthorized: false });
  await once(session, "connect");
});
afterAll(async () => {
  session.destroy();
  await app.close();
  await platform.close();
});

function post(key: string) {
  const stream = session.request({
    ":method": "POST",
    ":path": "/api/things/",
    cookie: `${CSRF_COOKIE}=jeton`,
    "x-csrftoken": "jeton",
    "content-type": "application/json",
    "idempotency-key": key,
  });
  stream.on("error", () => {});
  stream.end(BODY);
  return stream;
}

test("a key is not given back by a sender who goes while the handler runs: the next try gets what it did", async () => {
  const gone = post("cle-1");
  while (runs === 0) await sleep(5);
  gone.close(constants.NGHTTP2_CANCEL);
  await sleep(50);
  const again = post("cle-1");
  const [headers] = await once(again, "response");
  again.resume();
  expect([headers[":status"], headers["idempotency-replayed"], runs]).toEqual([201, "true", 1]);
});
