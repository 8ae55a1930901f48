import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Session, constants } from "node:http2";
import { get } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { multipart, csrfOf } from "../../testing/browser.ts";
import { PAUL } from "../../testing/envelope.ts";
import { openMailedGuest } from "../../testing/guest.ts";
import { processorTimeOf } from "../../testing/processor-time.ts";
import { openSecurityStage, type SecurityStage } from "../../testing/stages/security-stage.ts";
import { loadOrMakeLocalTls } from "../platform/tls/load-tls.ts";
import { MAX_FAULTS } from "../platform/http/problem-reply.ts";
import { MOST_BODIES, createApp } from "../platform/http/create-app.ts";

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

function inlined(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  return JSON.parse(JSON.stringify(schema), (_, part: unknown) => {
    const ref = (part as { $ref?: string } | null)?.$ref?.split("/").at(-1);
    return ref === undefined ? part : inlined(schemas[ref] ?? {}, schemas);
  });
}

/** Gives one body per string of a schema, with that string and the shape's discriminator. */
function bodiesOf(schema: Schema, text: string): unknown[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(
    (part) => bodiesOf(part, text),
  );
  const all = Object.entries(schema.properties ?? {});
  const shape = Object.fromEntries(
    all.flatMap(
      ([name, { enum: only = [], const: one = only.length === 1 ? only[0] : undefined }]) =>
        one === undefined ? [] : [[name, one]],
    ),
  );
  const members = all.flatMap(([name, member]) =>
    bodiesOf(member, text).map((body) => ({ ...shape, [name]: body })),
  );
  const items =
    schema.items === undefined ? [] : bodiesOf(schema.items, text).map((body) => [body]);
  return [
    ...([schema.type].flat().includes("string") ? [text] : []),
    ...parts,
    ...members,
    ...items,
  ];
}

describe("what a call costs is bounded before it is paid", () => {
  test("an over-long run of accents in any string of any body is refused before it is composed", async () => {
    const longest = vi.spyOn(String.prototype, "normalize");
    const { paths, components } = (await stage.app.inject("/api/openapi.json")).json() as {
      components: { schemas: Record<string, Schema> };
      paths: Record<
        string,
        Record<string, { requestBody?: { content?: Record<string, { schema: Schema }> } }>
      >;
    };
    const text = `e${"\u0301".repeat(14_000)}`;
    const asked: string[] = [];
    for (const { method, route, url } of stage.unsafeCalls) {
      const schema =
        paths[route]?.[method.toLowerCase()]?.requestBody?.content?.["application/json"]?.schema;
      const whole = schema === undefined ? [] : [inlined(schema, components.schemas)];
      for (const payload of whole.flatMap((one) => bodiesOf(one, text))) {
        longest.mockClear();
        const answer = await stage.inject({
          method,
          url,
          ...stage.signedIn(stage.csrf()),
          payload: payload as object,
        });
        asked.push(`${route} ${JSON.stringify(payload).replace(/"e\u0301+"/, "…")}`);
        expect([route, answer.status < 500]).toEqual([route, true]);
        // The longest text is a message, at four code units per allowed character.
        const composed = longest.mock.contexts.map((context) => String(context).length);
        expect([route, Math.max(0, ...composed) <= 8_000]).toEqual([route, true]);
      }
    }
    longest.mockRestore();
    expect(asked.length).toBeGreaterThan(40);
    expect(asked).toEqual(
      expect.arrayContaining([
        '/api/signature/envelopes/{id}/sign/ {"consent":true,"signature":{"kind":"typed","text":…}}',
      ]),
    );
  });

  test("an over-long run of accents in any field of any form is refused", async () => {
    const longest = vi.spyOn(String.prototype, "normalize");
    const text = `e${"\u0301".repeat(80_000)}`;
    const person = JSON.stringify([{ full_name: text, email: "a@exemple.fr" }]);
    const fields = [
      "title",
      "message",
      "username",
      "email",
      "password",
      "first_name",
      "last_name",
      "address",
      "phone_number",
      "name",
      "text",
    ];
    let read = 0;
    const forms = stage.unsafeCalls.filter(
      ({ method, route }) => method !== "DELETE" && !/logout|refresh/.test(route),
    );
    for (const { method, route, url } of forms)
      for (const [name, value] of [
        ...fields.map((field) => [field, text] as const),
        ["recipients", person] as const,
      ]) {
        const form = multipart({ [name]: value });
        longest.mockClear();
        const sent = {
          ...stage.signedIn({ ...stage.csrf(), ...form.headers }),
          payload: form.body,
        };
        const answer = await stage.inject({ method, url, ...sent });
        if (answer.status === 400) read += 1;
        expect([route, name, answer.status < 500]).toEqual([route, name, true]);
        const composed = longest.mock.contexts.map((context) => String(context).length);
        expect([route, name, Math.max(0, ...composed) <= 8_000]).toEqual([route, name, true]);
      }
    longest.mockRestore();
    expect(read).toBeGreaterThan(40);
  });

  test("two hundred thousand unknown members are reported by the first twenty", async () => {
    const members = Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(",");
    const ask = () =>
      stage.inject({
        method: "PUT",
        url: "/api/signature/me/notifications/",
        ...stage.signedIn({ ...stage.csrf(), "content-type": "application/json" }),
        payload: `{${members.slice(0, 2_000_000 - 12)}}`.replace(/,"[^"]*"?:?}$/, "}"),
      });
    let answer = { status: 0, text: "" };
    const spent = await processorTimeOf(async () => (answer = await ask()));
    expect(answer.status).toBe(400);
    expect(Object.keys(JSON.parse(answer.text).errors).length).toBeLessThanOrEqual(MAX_FAULTS);
    expect(answer.text.length).toBeLessThan(10_000);
    expect(spent).toBeLessThan(1);
  });

  test("a 2 MB body without a session is refused in less than a second on every call", async () => {
    const guest = await openMailedGuest(stage.service, stage.envelopeId, PAUL.email);
    const type = { "content-type": "application/json" };
    const payload = JSON.stringify({ email: "a".repeat(2_000_000) });
    const forAnybody: string[] = [];
    for (const { method, route, url } of stage.unsafeCalls)
      for (const who of [csrfOf(stage.platform), { "x-signature-token": guest.token }]) {
        const headers = { ...who, ...type };
        // Refused before the body is read.
        if (
          [401, 404].includes((await stage.inject({ method, url, headers, payload: "[]" })).status)
        )
          continue;
        forAnybody.push(`${method} ${route}`);
        let status = 0;
        const spent = await processorTimeOf(
          async () => ({ status } = await stage.inject({ method, url, headers, payload })),
        );
        // A guest's signature may contain a picture.
        const expected = route.endsWith("sign/") ? [400, 413] : [413, 415];
        expect([method, route, expected.includes(status), spent < 1]).toEqual([
          method,
          route,
          true,
          true,
        ]);
      }
    expect(forAnybody).toEqual(
      expect.arrayContaining([
        "POST /api/token/",
        "POST /api/signature/register/",
        "POST /api/signature/password-reset/",
        "POST /api/signature/envelopes/{id}/verify_otp/",
        "POST /api/signature/envelopes/{id}/sign/",
      ]),
    );
  });
});

describe("whoever never ends a body", () => {
  const sessions: ClientHttp2Session[] = [];
  let app: ReturnType<typeof createApp>;
  let port: number;

  beforeAll(async () => {
    const { dataDir, publicUrl } = stage.platform.settings;
    const tls = await loadOrMakeLocalTls({
      folder: join(dataDir, "tls"),
      publicUrl,
      now: new Date(),
    });
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

  test("beyond 200 unfinished bodies a connection is lost or answered in seconds, and nobody else waits", async () => {
    const startedAt = performance.now();
    const answers: Promise<number>[] = [];
    const ends: number[] = [];
    const others: { readonly status: number | undefined; readonly tookMs: number }[] = [];
    for (let count = 0; count < 9; count += 1) {
      const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
      session.on("error", () => {});
      session.on("goaway", (code) => ends.push(code));
      sessions.push(session);
      for (let stream = 0; stream < 100; stream += 1) {
        const request = session.request(
          { ":method": "POST", ":path": "/api/signature/echo/", ...headers() },
          { endStream: false },
        );
        request.write('{"a":"');
        request.on("error", () => {});
        answers.push(
          new Promise((resolve) => {
            request.on("response", (answer) => resolve(Number(answer[":status"])));
            request.on("close", () => resolve(0));
          }),
        );
      }
      others.push(await askHealth());
    }
    let areAnswered = false;
    const all = Promise.all(answers).finally(() => (areAnswered = true));
    while (!areAnswered) {
      others.push(await askHealth());
      await sleep(250);
    }
    const statuses = await all;
    expect(new Set(statuses)).toEqual(new Set([408, 0]));
    expect(statuses.filter((status) => status === 408)).toHaveLength(MOST_BODIES);
    expect(ends).toEqual(Array.from({ length: 7 }, () => constants.NGHTTP2_ENHANCE_YOUR_CALM));
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Math.max(...others.map(({ tookMs }) => tookMs))).toBeLessThan(1_000);
  }, 30_000);

  test("a byte a second over HTTP/1.1 is cut off, whether its call is read or refused early", async () => {
    const plain = createApp(stage.platform);
    plain.post("/api/signature/echo/", async (request) => request.body);
    await plain.listen({ host: "127.0.0.1", port: 0 });
    const trickle = async (named: Readonly<Record<string, string>>) => {
      const socket = connect((plain.server.address() as AddressInfo).port, "127.0.0.1");
      let said = "";
      socket.on("data", (chunk) => (said += chunk));
      socket.on("error", () => {});
      const lines = Object.entries(named).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(
        `POST /api/signature/echo/ HTTP/1.1\r\nhost: x\r\n${lines.join("")}content-length: 5000\r\n\r\n{`,
      );
      const timer = setInterval(() => socket.write(" "), 1_000);
      await new Promise((resolve) => socket.once("close", resolve));
      clearInterval(timer);
      return said.slice(0, "HTTP/1.1 408".length);
    };
    const answers = await Promise.all(
      [headers(), { "content-type": "application/json" }].map(trickle),
    );
    await plain.close();
    expect(answers).toEqual(["HTTP/1.1 408", "HTTP/1.1 403"]);
  }, 30_000);

  test("over HTTP/1.1 the 201st body loses its connection, and a finished one makes room", async () => {
    const plain = createApp(stage.platform);
    plain.post("/api/signature/echo/", async (request) => request.body);
    await plain.listen({ host: "127.0.0.1", port: 0 });
    const lines = Object.entries(headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    const begin = async () => {
      const socket = connect((plain.server.address() as AddressInfo).port, "127.0.0.1").on(
        "error",
        () => {},
      );
      const told = new Promise<string>((resolve) => {
        socket
          .once("data", (chunk) => resolve(String(chunk)))
          .once("close", () => resolve("closed"));
      });
      const counted = once(plain.server, "request");
      socket.write(
        `POST /api/signature/echo/ HTTP/1.1\r\nhost: x\r\n${lines.join("")}content-length: 2\r\n\r\n{`,
      );
      await counted;
      return { socket, told };
    };
    const begun = [];
    for (let n = 0; n < MOST_BODIES; n += 1) begun.push(await begin());
    const cuts = () =>
      stage.platform.logged.filter(({ message }) => message.startsWith("connections cut"));
    const before = cuts().length;
    stage.platform.clock.advance({ minutes: 1 });
    expect(await (await begin()).told).toBe("closed");
    expect(await (await begin()).told).toBe("closed");
    expect(cuts().slice(before)).toEqual([
      {
        level: "warn",
        message: expect.stringContaining("TRUST_PROXY"),
        fields: { ip: "127.0.0.1", what: "bodies", most: MOST_BODIES },
      },
    ]);
    const [first] = begun;
    first?.socket.write("}");
    expect(await first?.told).toMatch(/^HTTP\/1\.1 200 /);
    const next = await begin();
    next.socket.write("}");
    expect(await next.told).toMatch(/^HTTP\/1\.1 200 /);
    for (const { socket } of [...begun, next]) socket.destroy();
    await plain.close();
  }, 30_000);

  /** Asks over another connection. */
  function askHealth(): Promise<{ readonly status: number | undefined; readonly tookMs: number }> {
    const startedAt = performance.now();
    const options = {
      host: "127.0.0.1",
      port,
      path: "/api/health/",
      agent: false,
      rejectUnauthorized: false,
    };
    return new Promise((resolve, reject) => {
      const asked = get(options, (answer) => {
        answer
          .resume()
          .on("end", () =>
            resolve({ status: answer.statusCode, tookMs: performance.now() - startedAt }),
          );
      });
      asked.on("error", reject);
    });
  }
});
