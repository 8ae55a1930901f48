import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { createApp } from "../http/create-app.ts";
import { createQueue } from "../queue/create-queue.ts";
import { exportTraces } from "./spans.ts";

type Sent = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  status: object;
  attributes: readonly { key: string; value: object }[];
};

const CALLER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const SECRET = "paul.martin@exemple.fr";
let platform: TestPlatform;
let collector: Server;
let endpoint: string;
let bodies: string[];
let asked: { readonly url: string | undefined; readonly authorization: string | undefined }[];
let status: number;
let traces: ReturnType<typeof exportTraces>;

beforeAll(async () => {
  platform = await createTestPlatform();
  collector = createServer(async (request, response) => {
    bodies.push(await text(request));
    asked.push({ url: request.url, authorization: request.headers.authorization });
    response.writeHead(status).end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterAll(async () => {
  collector.close();
  await platform.close();
});
beforeEach(() => {
  bodies = [];
  asked = [];
  status = 200;
  traces = exportTraces(
    { endpoint, headers: { authorization: "Bearer jeton" }, service: "essai" },
    platform.log,
  );
});
afterEach(() => traces.close());

const sent = (): Sent[] =>
  bodies.flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans);
const find = (name: string) => sent().filter((span) => span.name === name);

/** Its route queries the database. */
function appWithRoute() {
  const app = createApp(platform);
  app.get("/essai/:nom", async (request) => {
    const { nom } = request.params as { nom: string };
    await platform.db.selectFrom("users").select("id").where("email_key", "=", nom).execute();
    return {};
  });
  app.get("/panne", async () => Promise.reject(new Error("en panne")));
  return app;
}

describe("traces", () => {
  test("a call's span has its route, below its caller, with its statements below it and no values", async () => {
    const app = appWithRoute();
    await app.inject({
      url: `/essai/${SECRET}`,
      headers: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` },
    });
    await app.inject("/panne");
    await app.close();
    await traces.close();
    const [call] = find("GET /essai/:nom");
    expect(call).toMatchObject({
      kind: 2,
      traceId: CALLER.traceId,
      parentSpanId: CALLER.spanId,
      status: {},
    });
    expect(call?.attributes).toContainEqual({
      key: "http.response.status_code",
      value: { intValue: "200" },
    });
    const statement = find("SELECT").find(({ parentSpanId }) => parentSpanId === call?.spanId);
    expect(statement).toMatchObject({ kind: 3, traceId: CALLER.traceId });
    expect(JSON.stringify(statement)).toContain('where \\"email_key\\" = $1');
    expect(find("GET /panne")[0]).toMatchObject({ status: { code: 2 } });
    expect(bodies.join("")).not.toContain(SECRET);
    expect(asked[0]).toEqual({ url: "/v1/traces", authorization: "Bearer jeton" });
    expect(bodies[0]).toContain('{"key":"service.name","value":{"stringValue":"essai"}}');
  });

  test("what the caller does not sample is not traced", async () => {
    const app = appWithRoute();
    await app.inject({
      url: "/essai/a",
      headers: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-00` },
    });
    await app.close();
    await traces.close();
    expect(sent()).toEqual([]);
  });

  test("a job has a span with its statements below it", async () => {
    const { database } = platform.settings;
    const queue = createQueue({
      url: database.kind === "external" ? database.url : "",
      log: platform.log,
    });
    const done = Promise.withResolvers<void>();
    queue.handle(
      "essai",
      { concurrency: 1, retryLimit: 0, retryDelayS: 1, retryDelayMaxS: 1, expireInS: 60 },
      async () => {
        await sql`select 1 as job_read`.execute(platform.db);
        done.resolve();
      },
    );
    await queue.start("work");
    await platform.db.transaction().execute((trx) => queue.enqueue(trx, "essai", {}));
    await done.promise;
    await queue.stop();
    await traces.close();
    const [job] = find("job essai");
    expect(job).toMatchObject({ kind: 5, status: {} });
    expect(find("SELECT").map(({ parentSpanId }) => parentSpanId)).toEqual([job?.spanId]);
  });

  test("an absent collector is reported once, and delays nothing", async () => {
    status = 500;
    const app = appWithRoute();
    for (let call = 0; call < 600; call++) await app.inject("/panne");
    await app.close();
    await traces.close();
    expect(
      platform.logged.filter(({ message }) => message.includes("OTEL_EXPORTER_OTLP_ENDPOINT")),
    ).toHaveLength(1);
  });
});
