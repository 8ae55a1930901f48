import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { csrfOf } from "../../testing/csrf.ts";
import { openSecurityStage, type SecurityStage } from "../../testing/security-stage.ts";

import { loadOrMakeLocalTls } from "../platform/tls/local-tls.ts";
import { MAX_FAULTS } from "../platform/http/validation-problem.ts";
import { createApp } from "../platform/http/create-app.ts";

let stage: SecurityStage;

beforeAll(async () => {
  stage = await openSecurityStage();
});
afterAll(() => stage.close());

type Schema = {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};

/** Gives a body for each string of a schema, that string alone being there, beside what says which of several shapes it is. */
function bodiesOf(schema: Schema, text: string): unknown[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((part) => bodiesOf(part, text));
  const all = Object.entries(schema.properties ?? {});
  const shape = Object.fromEntries(
    all.flatMap(([name, { enum: only = [], const: one = only.length === 1 ? only[0] : undefined }]) =>
      one === undefined ? [] : [[name, one]],
    ),
  );
  const members = all.flatMap(([name, member]) => bodiesOf(member, text).map((body) => ({ ...shape, [name]: body })));
  const items = schema.items === undefined ? [] : bodiesOf(schema.items, text).map((body) => [body]);
  return [...([schema.type].flat().includes("string") ? [text] : []), ...parts, ...members, ...items];
}

describe("what a call costs is bounded before it is paid", () => {
  test("an over-long run of accents in any string of any body is refused before it is composed", async () => {
    const longest = vi.spyOn(String.prototype, "normalize");
    const { paths } = (await stage.app.inject("/api/openapi.json")).json() as {
      paths: Record<string, Record<string, { requestBody?: { content?: Record<string, { schema: Schema }> } }>>;
    };
    const text = `e${"\u0301".repeat(14_000)}`;
    const asked: string[] = [];
    for (const { method, route, url } of stage.unsafeCalls) {
      const schema = paths[route]?.[method.toLowerCase()]?.requestBody?.content?.["application/json"]?.schema;
      for (const payload of schema === undefined ? [] : bodiesOf(schema, text)) {
        longest.mockClear();
        const answer = await stage.inject({ method, url, ...stage.signedIn(stage.csrf()), payload: payload as object });
        asked.push(`${route} ${JSON.stringify(payload).replace(/"e\u0301+"/, "…")}`);
        expect([route, answer.status < 500]).toEqual([route, true]);
        // Four code units for each that may be kept, of the longest text there is (a message).
        const composed = longest.mock.contexts.map((context) => String(context).length);
        expect([route, Math.max(0, ...composed) <= 8_000]).toEqual([route, true]);
      }
    }
    longest.mockRestore();
    expect(asked.length).toBeGreaterThan(40);
    expect(asked).toEqual(
      expect.arrayContaining(['/api/signature/envelopes/{id}/sign/ {"consent":true,"signature":{"kind":"typed","text":…}}']),
    );
  });

  test("two hundred thousand members that nobody knows are told by the first twenty", async () => {
    const members = Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(",");
    const answer = await stage.inject({
      method: "PUT",
      url: "/api/signature/me/notifications/",
      ...stage.signedIn({ ...stage.csrf(), "content-type": "application/json" }),
      payload: `{${members.slice(0, 2_000_000 - 12)}}`.replace(/,"[^"]*"?:?}$/, "}"),
    });
    expect(answer.status).toBe(400);
    expect(Object.keys(JSON.parse(answer.text).errors).length).toBeLessThanOrEqual(MAX_FAULTS);
    expect(answer.text.length).toBeLessThan(10_000);
  });

  test("a body of 2 MB from nobody in particular is refused on every call that reads one", async () => {
    const payload = JSON.stringify({ email: "a".repeat(2_000_000) });
    const refusals = new Map<string, number>();
    for (const { method, route, url } of stage.unsafeCalls) {
      const headers = { ...csrfOf(stage.platform), "content-type": "application/json" };
      refusals.set(`${method} ${route}`, (await stage.inject({ method, url, headers, payload })).status);
    }
    // 401 before a body is looked at, where a session is asked for; 415 where a form is.
    for (const [route, status] of refusals) expect([route, [401, 404, 413, 415].includes(status)]).toEqual([route, true]);
    for (const route of ["POST /api/token/", "POST /api/signature/password-reset/"])
      expect([route, refusals.get(route)]).toEqual([route, 413]);
  });
});

describe("whoever never ends a body", () => {
  const sessions: ClientHttp2Session[] = [];
  let app: ReturnType<typeof createApp>;
  let port: number;

  beforeAll(async () => {
    const { dataDir, publicUrl } = stage.platform.settings;
    const tls = await loadOrMakeLocalTls({ folder: join(dataDir, "tls"), publicUrl, now: new Date() });
    app = createApp(stage.platform, { tls });
    app.post("/api/signature/echo/", async (request) => request.body);
    await app.listen({ host: "127.0.0.1", port: 0 });
    port = (app.server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    for (const session of sessions) session.destroy();
    await app.close();
  });

  const headers = () => ({ "content-type": "application/json", ...csrfOf(stage.platform) });

  test("900 streams that begin a body and never end it are each answered in a few seconds, and nobody else waits", async () => {
    const answers: Promise<number>[] = [];
    for (let count = 0; count < 9; count += 1) {
      const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
      session.on("error", () => {});
      sessions.push(session);
      for (let stream = 0; stream < 100; stream += 1) {
        const request = session.request({ ":method": "POST", ":path": "/api/signature/echo/", ...headers() }, { endStream: false });
        request.write('{"a":"');
        request.on("error", () => {});
        answers.push(
          new Promise((resolve) => {
            request.on("response", (answer) => resolve(Number(answer[":status"])));
            request.on("close", () => resolve(0));
          }),
        );
      }
    }
    expect((await fetchHealth()).status).toBe(200);
    expect(new Set(await Promise.all(answers))).toEqual(new Set([400]));
  });

  test("a byte a second over HTTP/1.1 is not waited for to the end", async () => {
    const plain = createApp(stage.platform);
    plain.post("/api/signature/echo/", async (request) => request.body);
    await plain.listen({ host: "127.0.0.1", port: 0 });
    const socket = connect((plain.server.address() as AddressInfo).port, "127.0.0.1");
    let said = "";
    socket.on("data", (chunk) => (said += chunk));
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const lines = Object.entries(headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /api/signature/echo/ HTTP/1.1\r\nhost: x\r\n${lines.join("")}content-length: 5000\r\n\r\n{`);
    await closed;
    await plain.close();
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
  });

  async function fetchHealth(): Promise<{ readonly status: number }> {
    return { status: (await app.inject("/api/health/")).statusCode };
  }
});
