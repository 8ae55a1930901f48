import { createHash } from "node:crypto";
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2, constants } from "node:http2";
import { get } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { rename } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { CSRF_COOKIE, MAX_FILE_SIZE_BYTES } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import * as z from "zod/mini";
import { errorProblem } from "./problem-reply.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { csrfOf } from "../../../testing/browser.ts";
import { processorTimeOf } from "../../../testing/processor-time.ts";
import { type HttpStage, openHttpStage } from "../../../testing/stages/http-stage.ts";
import { storageFolder } from "../../../testing/stored-file.ts";
import { connectDatabase } from "../database/database.ts";
import { createPresence, GONE_AFTER_MS } from "../database/lasting-connection.ts";
import { createPdfSandbox } from "../pdf-sandbox/create-pdf-sandbox.ts";
import { createQueue } from "../queue/create-queue.ts";
import { storeIdempotentAnswer } from "../idempotency/store.ts";
import { loadOrMakeLocalTls } from "../tls/load-tls.ts";
import { clientOf, goneSignal } from "./request-facts.ts";
import { createApp } from "./create-app.ts";

const ANY_QUERY = { schema: { querystring: z.record(z.string(), z.unknown()) } };

let stage: HttpStage;
let platform: HttpStage["platform"];
let app: HttpStage["app"];
let post: HttpStage["post"];
let runs: HttpStage["runs"];

beforeAll(async () => {
  stage = await openHttpStage();
  ({ platform, app, post, runs } = stage);
});

afterAll(() => stage.close());

describe("calls", () => {
  describe("errors", () => {
    test("security line 26: an unknown address under /api is a problem 404, in French, with the request's id", async () => {
      const answer = await app.inject("/api/nulle-part/");
      expect(answer.statusCode).toBe(404);
      expect(answer.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
      expect(answer.json()).toMatchObject({
        status: 404,
        code: "not_found",
        type: "about:blank",
        title: "Introuvable",
        request_id: answer.headers["x-request-id"],
      });
    });

    test.each(["TRACE", "QUERY"])("security line 26: %s is 405", async (method) => {
      const answer = await app.inject({ method: method as "GET", url: "/api/health/" });
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, "GET, HEAD"]);
      expect(answer.json().code).toBe("method_not_allowed");
    });

    test("security line 26: a bug is 500 without its message, and is logged", async () => {
      const answer = await post("/api/broken/");
      expect(answer.statusCode).toBe(500);
      expect(answer.json().code).toBe("internal");
      expect(answer.body).not.toMatch(/select|srv|stack/i);
      expect(platform.logged.at(-1)).toMatchObject({
        level: "error",
        fields: { request_id: answer.headers["x-request-id"] },
      });
    });

    test("a full medium is 507, an absent database 503 with Retry-After, whatever wrapped the error", async () => {
      expect((await post("/api/full/")).json()).toMatchObject({
        status: 507,
        detail: "Espace de stockage insuffisant",
      });
      expect((await post("/api/wrapped/")).json()).toMatchObject({
        status: 507,
        code: "storage_full",
      });
      const away = await post("/api/away/");
      expect(away.json()).toMatchObject({ status: 503, code: "service_unavailable" });
      expect(Number(away.headers["retry-after"])).toBeGreaterThan(0);
    });

    test.each([
      ["storage_full", ["ENOSPC", "EDQUOT", "53100"]],
      [
        "service_unavailable",
        ["EROFS", "EACCES", "EIO", "EMFILE", "25006", "40P01", "53300", "57P01", "ECONNREFUSED"],
      ],
      ["internal", ["23505", "ENOENT", ""]],
    ])(
      "%s is what %j are to the caller, said at once or by what was thrown for it",
      (code, causes) => {
        for (const cause of causes) {
          const error = Object.assign(new Error("said by a system"), { code: cause });
          expect([cause, errorProblem(error).problem.code]).toEqual([cause, code]);
          expect(
            errorProblem(
              new Error("The work failed", { cause: new Error("within", { cause: error }) }),
            ),
          ).toMatchObject({
            problem: { code },
            unexpected: true,
          });
        }
      },
    );

    test.each([
      ["{", 400, "malformed_request"],
      [Buffer.from('{"name": "Léa"}', "latin1"), 400, "malformed_request"],
      ['{"name": "ok", "__proto__": {}}', 400, "malformed_request"],
      ['{"name": "ok", "constructor": {"prototype": {}}}', 400, "malformed_request"],
      [`{"name": "${"x".repeat(3 * 1024 * 1024)}"}`, 413, "request_too_large"],
    ])("the body %.40j is refused", async (payload, status, code) => {
      const answer = await post("/api/things/", {
        payload,
        headers: { "content-type": "application/json" },
      });
      expect(answer.json()).toMatchObject({ status, code });
    });

    test("a name that would reach a prototype is named", async () => {
      for (const payload of ['{"\\u005f_proto__": {}}', '{"constructor": {"prototype": {}}}']) {
        const headers = { "content-type": "application/json" };
        const { errors } = (await post("/api/things/", { payload, headers })).json();
        expect(errors.non_field_errors).toEqual([expect.stringContaining("__proto__")]);
      }
    });

    test("a query's bytes are read as UTF-8, and refused by their field when they are not", async () => {
      const own = createApp(platform);
      own.get("/api/echo/", ANY_QUERY, async (request) => ({
        query: request.query,
        agent: clientOf(request).userAgent,
      }));
      await own.listen({ host: "127.0.0.1", port: 0 });
      const { port } = own.server.address() as AddressInfo;
      const ask = async (query: string, charset: BufferEncoding = "utf8") => {
        const socket = connect(port, "127.0.0.1");
        const head = `GET /api/echo/?${query} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: Café/1\r\nConnection: close\r\n\r\n`;
        socket.write(Buffer.from(head, charset));
        const said = Buffer.concat(await socket.toArray()).toString();
        return JSON.parse(said.slice(said.indexOf("\r\n\r\n")));
      };
      for (const charset of ["utf8", "latin1"] as const)
        expect(await ask("r=50%&r=%C3%A0+b", charset)).toEqual({
          query: { r: ["50%", "à b"] },
          agent: "Café/1",
        });
      for (const [query, field] of [
        ["page=1&name=%E9t%E9", "name"],
        ["name=caf%C2%92", "name"],
      ] as const)
        expect(await ask(query)).toMatchObject({
          status: 400,
          code: "validation",
          errors: { [field]: [expect.stringMatching(/en UTF-8$/)] },
        });
      await own.close();
    });

    test("security line 18: JSON sent as text, which any site may send, is 415", async () => {
      const answer = await post("/api/things/", {
        payload: '{"name":"ok"}',
        headers: { "content-type": "text/plain" },
      });
      expect(answer.json()).toMatchObject({ status: 415, code: "unsupported_media_type" });
    });

    test.each([
      [
        "packed",
        { "content-type": "application/json", "content-encoding": "gzip" },
        gzipSync('{"name":"ok"}'),
      ],
      [
        "in UTF-16",
        { "content-type": "application/json; charset=utf-16" },
        Buffer.from('{"name":"ok"}', "utf16le"),
      ],
      [
        "in Latin-1, which came before UTF-8",
        { "content-type": 'application/json;charset="iso-8859-1"' },
        Buffer.from('{"name":"ok"}'),
      ],
    ])("security line 18: a body %s is 415, and never read", async (_how, headers, payload) => {
      const before = runs();
      expect((await post("/api/things/", { payload, headers })).json()).toMatchObject({
        status: 415,
        code: "unsupported_media_type",
      });
      expect(runs()).toBe(before);
    });

    test("a body declared and written in UTF-8 is read", async () => {
      const headers = {
        "content-type": 'application/json; charset="UTF-8"',
        "content-encoding": "identity",
      };
      expect((await post("/api/things/", { payload: '{"name":"ok"}', headers })).statusCode).toBe(
        201,
      );
    });

    test("an invalid body names each field with its messages in French, unknown fields included", async () => {
      const answer = await post("/api/things/", {
        payload: { name: "x", owner: 1, tags: [{ label: "a" }, { label: 3 }] },
      });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({
        code: "validation",
        errors: {
          name: ["Nom trop court"],
          owner: ["Champ inconnu"],
          "tags.1.label": ["Du texte est attendu"],
        },
      });
    });

    test("a call without a body is an empty object", async () => {
      for (const headers of [{}, { "content-type": "application/json" }]) {
        expect((await post("/api/things/", { headers })).json().errors).toEqual({
          name: ["Nom requis"],
        });
      }
    });
  });

  describe("calls that another site may have caused", () => {
    const call = (headers: Record<string, string>) =>
      app.inject({ method: "POST", url: "/api/things/", payload: { name: "ok" }, headers });

    const planted = `${CSRF_COOKIE}=${"A".repeat(43)}`;
    test.each([
      ["no cookie and no header", () => ({})],
      ["the secret alone", () => ({ cookie: csrfOf(platform).cookie })],
      [
        "another token",
        () => ({ ...csrfOf(platform), "x-csrftoken": csrfOf(platform)["x-csrftoken"] }),
      ],
      ["empty tokens", () => ({ cookie: "__Host-csrf=", "x-csrftoken": "" })],
      // A sibling site can write the script's cookie, not the `__Host-` one.
      [
        "a planted token, repeated in the header",
        () => ({ cookie: planted, "x-csrftoken": "A".repeat(43) }),
      ],
      [
        "a planted token beside the browser's own secret",
        () => ({ cookie: `${csrfOf(platform).cookie}; ${planted}`, "x-csrftoken": "A".repeat(43) }),
      ],
      ["the token of a secret that stands under another name", () => withCookieName("csrf")],
    ] as const)("%s is 403", async (_what, headers) => {
      expect((await call(headers())).json()).toMatchObject({ status: 403, code: "csrf_failed" });
    });

    function withCookieName(name: string): Record<string, string> {
      const ours = csrfOf(platform);
      return { ...ours, cookie: ours.cookie.replace("__Host-csrf", name) };
    }

    test.each([
      ["a foreign Origin", { origin: "https://ailleurs.exemple" }],
      ["the origin null", { origin: "null" }],
      ["plain http", { origin: "http://localhost:8443" }],
      ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site" }],
      ["Sec-Fetch-Site: same-site", { "sec-fetch-site": "same-site" }],
    ])("%s is 403 despite the right token", async (_what, headers) => {
      expect((await call({ ...csrfOf(platform), ...headers })).json()).toMatchObject({
        status: 403,
        code: "foreign_origin",
      });
    });

    test.each(["/%61pi/things/", "/ap%69/things", "/api/thing%73/", "/ailleurs/"])(
      "%s is no way around",
      async (url) => {
        const foreign = { ...csrfOf(platform), origin: "https://ailleurs.exemple" };
        const answers = [
          await app.inject({ method: "POST", url, payload: { name: "ok" } }),
          await app.inject({ method: "POST", url, payload: { name: "ok" }, headers: foreign }),
        ];
        expect(answers.map((answer) => answer.json().code)).toEqual([
          "csrf_failed",
          "foreign_origin",
        ]);
      },
    );

    test("the authorities' own protocols pass without a token", async () => {
      expect(
        (await app.inject({ method: "POST", url: "/pki/demande", payload: {} })).statusCode,
      ).toBe(200);
    });

    test("our own origin with the token passes, and so does a call with a signature token", async () => {
      expect(
        (
          await call({
            ...csrfOf(platform),
            origin: "https://localhost:8443",
            "sec-fetch-site": "same-origin",
          })
        ).statusCode,
      ).toBe(201);
      expect((await call({ "x-signature-token": "abc" })).statusCode).toBe(201);
    });
  });

  describe("headers", () => {
    test("every answer has the headers that browsers enforce", async () => {
      for (const url of ["/api/health/", "/api/nulle-part/", "/page"]) {
        const { headers } = await app.inject(url);
        expect(headers).toMatchObject({
          "x-content-type-options": "nosniff",
          "cross-origin-opener-policy": "same-origin",
          "referrer-policy": "strict-origin",
        });
        expect(headers["strict-transport-security"]).toMatch(
          /^max-age=(\d{8,}); includeSubDomains$/,
        );
      }
    });

    test("security line 23: pages have the app's policy, without inline script; addresses that hold a secret leak nowhere", async () => {
      const page = await app.inject("/page");
      expect(page.headers["content-security-policy"]).toMatch(
        /^default-src 'none'; script-src 'self'/,
      );
      expect(page.headers["content-security-policy"]).not.toMatch(/script-src[^;]*unsafe/);
      for (const url of ["/sign/page?token=abc", "/si%67n/page?token=abc"])
        expect((await app.inject(url)).headers["referrer-policy"]).toBe("no-referrer");
    });

    test("answers of the API are not stored, PDFs may be shown in our own frames only", async () => {
      for (const url of ["/api/health/", "/%61pi/health/"])
        expect((await app.inject(url)).headers["cache-control"]).toBe("private, no-store");
      expect((await app.inject("/api/fichier.pdf")).headers["content-security-policy"]).toBe(
        "frame-ancestors 'self'",
      );
    });

    test("JSON is compressed for clients that accept it", async () => {
      for (const encoding of ["br", "gzip"]) {
        const answer = await app.inject({
          url: "/api/big/",
          headers: { "accept-encoding": encoding },
        });
        expect(answer.headers["content-encoding"]).toBe(encoding);
        expect(answer.rawPayload.length).toBeLessThan(500);
      }
      expect((await app.inject("/api/big/")).headers["content-encoding"]).toBeUndefined();
    });

    test("security line 25: a forwarded address is trusted only from proxies that TRUST_PROXY names; a browser's name is one short line", async () => {
      const headers = {
        "x-forwarded-for": "203.0.113.9",
        "user-agent": `Mozilla\u007f ${"x".repeat(500)}`,
      };
      const { ip, userAgent } = (await app.inject({ url: "/api/client/", headers })).json();
      expect(ip).toBe("127.0.0.1");
      expect(userAgent).toHaveLength(300);
      const behind = createApp({
        ...platform,
        settings: { ...platform.settings, trustProxy: ["127.0.0.1"] },
      });
      behind.get("/api/client/", async (request) => clientOf(request));
      expect((await behind.inject({ url: "/api/client/", headers })).json().ip).toBe("203.0.113.9");
      await behind.close();
    });
  });

  describe("the rest", () => {
    test("the service is healthy once each part answers", async () => {
      // The sandbox starts on demand.
      await expect
        .poll(async () => (await app.inject("/api/health/")).json(), { timeout: 30_000 })
        .toEqual({ status: "ok" });
      expect((await app.inject("/api/health/")).statusCode).toBe(200);
    });

    describe("readiness, for this machine alone,", () => {
      const healthOf = async (changed: Partial<HttpStage["platform"]>) => {
        const ill = createApp({ ...platform, ...changed });
        const ask = (url: string, remoteAddress = "127.0.0.1", headers = {}) =>
          ill.inject({ url, remoteAddress, headers });
        try {
          expect((await ask("/api/health/live")).json()).toEqual({ status: "ok" });
          const [ready, health, elsewhere] = [
            await ask("/api/health/ready"),
            await ask("/api/health/"),
            await ask("/api/health/ready", "203.0.113.7"),
          ];
          expect([ready.statusCode, health.statusCode, elsewhere.statusCode]).toEqual([
            503, 503, 503,
          ]);
          expect(elsewhere.json()).not.toHaveProperty("missing");
          for (const name of [
            "forwarded",
            "via",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-proto",
            "x-real-ip",
          ])
            expect(
              (await ask("/api/health/ready", "127.0.0.1", { [name]: "127.0.0.1" })).json(),
              name,
            ).not.toHaveProperty("missing");
          return ready.json().missing;
        } finally {
          await ill.close();
        }
      };

      test("a database that refuses writes makes the service not ready", async () => {
        const url = `${platform.settings.database.kind === "external" ? platform.settings.database.url : ""}&options=-c%20default_transaction_read_only%3Don`;
        const db = connectDatabase(url, { maxConnections: 1 });
        expect(await healthOf({ db })).toEqual(["database"]);
        await db.destroy();
      });

      test("an unmounted store makes the service not ready", async () => {
        const folder = storageFolder(platform.settings);
        await rename(folder, `${folder}-away`);
        expect(await healthOf({})).toEqual(["store"]);
        await rename(`${folder}-away`, folder);
        expect((await createApp(platform).inject("/api/health/ready")).statusCode).toBe(200);
      });

      test("stalled jobs make the service not ready", async () => {
        const { database } = platform.settings;
        const queue = createQueue({
          url: database.kind === "external" ? database.url : "",
          log: platform.log,
        });
        queue.handle(
          "essai",
          { concurrency: 1, retryLimit: 0, retryDelayS: 1, retryDelayMaxS: 1, expireInS: 60 },
          async () => {},
        );
        await queue.start("work");
        await sql`alter schema jobs rename to away`.execute(platform.owner);
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25_000 });
        try {
          expect(await healthOf({ queue })).toEqual(["jobs"]);
        } finally {
          vi.useRealTimers();
          await sql`alter schema away rename to jobs`.execute(platform.owner);
          await queue.stop();
        }
      });

      test("a sandbox that cannot start makes the service not ready", async () => {
        const sandbox = createPdfSandbox({
          size: 1,
          tasksModule: new URL("file:///nulle/part.ts"),
        });
        expect(await healthOf({ sandbox })).toEqual(["sandbox"]);
        await sandbox.close();
      });
    });

    test.each([
      [
        "two hosts",
        "GET /api/health/live HTTP/1.1\r\nHost: a.exemple\r\nHost: b.exemple\r\nConnection: close\r\n\r\n",
      ],
      [
        "two lengths",
        "POST /api/things/ HTTP/1.1\r\nHost: a.exemple\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      ],
      [
        "a length and pieces",
        "POST /api/things/ HTTP/1.1\r\nHost: a.exemple\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      ],
      ["a name that is none", "GET /api/health/live HTTP/1.1\r\nHost: a.exemple\r\nx y: 1\r\n\r\n"],
    ])("a request with %s is refused in the usual form", async (what, request) => {
      const plain = createApp(platform);
      const { port, hostname } = new URL(await plain.listen({ host: "127.0.0.1", port: 0 }));
      const socket = connect(Number(port), hostname);
      const said = new Promise<string>((resolve) => {
        let text = "";
        socket.on("data", (chunk) => (text += chunk)).on("close", () => resolve(text));
      });
      socket.write(request);
      const [head = "", body = ""] = (await said).split("\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      // Node itself answers the other two.
      if (what !== "two hosts")
        expect(JSON.parse(body)).toMatchObject({
          status: 400,
          code: "malformed_request",
          request_id: expect.any(String),
        });
      await plain.close();
    });

    test("a method that HTTP does not know is 405, in words for programs to whoever has a key", async () => {
      const plain = createApp(platform);
      const { port, hostname } = new URL(await plain.listen({ host: "127.0.0.1", port: 0 }));
      for (const [key, sentence] of [
        ["", /^Cette action n’existe pas/],
        [
          "Authorization: Bearer pk_live_a\r\n",
          /Envoyez l’une de celles que donne l’en-tête Allow/,
        ],
      ] as const) {
        const socket = connect(Number(port), hostname);
        const said = text(socket);
        socket.write(`FOO /api/things/ HTTP/1.1\r\nHost: a.exemple\r\n${key}\r\n`);
        const [head = "", body = ""] = (await said).split("\r\n\r\n");
        expect(head).toMatch(/^HTTP\/1\.1 405 [^]*\r\nallow: GET, HEAD, POST, /);
        const { code, detail } = JSON.parse(body);
        expect([code, detail]).toEqual(["method_not_allowed", expect.stringMatching(sentence)]);
      }
      await plain.close();
    });

    test("the API description is made from the schemas", async () => {
      const description = (await app.inject("/api/openapi.json")).json();
      expect(description.openapi).toMatch(/^3\.1/);
      expect(
        description.paths["/api/things/"].post.requestBody.content["application/json"].schema
          .required,
      ).toEqual(["name"]);
      expect(Object.keys(description.paths).every((path) => path.startsWith("/api/"))).toBe(true);
    });

    test("one address may make a number of calls a minute, unless RATE_LIMITS is off", async () => {
      expect((await app.inject("/api/health/")).headers["x-ratelimit-limit"]).toBe("3000");
      const busy = createApp(platform);
      busy.register(async (scope) => {
        scope.get("/leger", async () => "oui");
      });
      let last = await busy.inject("/leger");
      for (let call = 1; call <= 3_000; call++) last = await busy.inject("/leger");
      expect(last.json()).toMatchObject({ status: 429, code: "too_many_requests" });
      expect(Number(last.headers["retry-after"])).toBeGreaterThan(0);
      await busy.close();
      const free = createApp({
        ...platform,
        settings: { ...platform.settings, rateLimits: "off" },
      });
      expect((await free.inject("/api/health/")).headers["x-ratelimit-limit"]).toBeUndefined();
      await free.close();
    });
  });
});

describe("Idempotency-Key", () => {
  const send = (key: string, payload: object, headers = {}) =>
    post("/api/things/", { payload, headers: { "idempotency-key": key, ...headers } });

  test("a repeated request gets the first answer, another one with the same key 409", async () => {
    const first = await send("cle-1", { name: "un" });
    const again = await send("cle-1", { name: "un" });
    expect([again.statusCode, again.body]).toEqual([first.statusCode, first.body]);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect((await send("cle-1", { name: "deux" })).json()).toMatchObject({
      status: 409,
      code: "idempotency_conflict",
    });
  });

  test("one of 800 simultaneous requests runs, and the others wait for its answer without queries", async () => {
    const before = runs();
    const bodies = new Set<string>();
    const spent = await processorTimeOf(() =>
      Promise.all(
        Array.from({ length: 800 }, async () =>
          bodies.add((await send("cle-2", { name: "ensemble" })).body),
        ),
      ),
    );
    expect([bodies.size, runs()]).toEqual([1, before + 1]);
    // Polling ten times a second took 13.
    expect(spent).toBeLessThan(8);
  });

  test("a form is recognised by its content", async () => {
    const upload = (bytes: string) =>
      post("/api/files/", {
        payload: `--limite\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n${bytes}\r\n--limite--\r\n`,
        headers: {
          "content-type": "multipart/form-data; boundary=limite",
          "idempotency-key": "cle-3",
        },
      });
    const first = await upload("abc");
    expect(first.statusCode).toBe(200);
    expect((await upload("abc")).body).toBe(first.body);
    expect((await upload("abd")).json().code).toBe("idempotency_conflict");
  });

  test("a key belongs to one sender and one address", async () => {
    const first = await send("cle-4", { name: "moi" });
    const other = await send("cle-4", { name: "moi" }, { "x-signature-token": "quelqu’un" });
    expect(other.json().run).not.toBe(first.json().run);
  });

  test("a key is free again after an answer that asks to come back", async () => {
    const busy = () => post("/api/busy/", { headers: { "idempotency-key": "cle-9" } });
    expect((await busy()).statusCode).toBe(409);
    expect((await busy()).headers["idempotency-replayed"]).toBeUndefined();
  });

  test("the stored hash allows no password to be guessed", async () => {
    const payload = { name: "azerty123" };
    await send("cle-10", payload);
    const rows = await platform.db
      .selectFrom("idempotency_keys")
      .select("request_sha256")
      .where("key", "=", "cle-10")
      .execute();
    const plain = createHash("sha256").update(JSON.stringify(payload)).digest();
    expect(rows.map((row) => Buffer.compare(row.request_sha256, plain) === 0)).toEqual([false]);
  });

  test("a key is the same for every spelling of the address", async () => {
    const first = await send("cle-7", { name: "moi" });
    const headers = { "idempotency-key": "cle-7" };
    expect((await post("/%61pi/things", { payload: { name: "moi" }, headers })).body).toBe(
      first.body,
    );
  });

  test("a key is free again after an outage, and after 24 hours", async () => {
    const broken = () => post("/api/broken/", { headers: { "idempotency-key": "cle-5" } });
    expect((await broken()).statusCode).toBe(500);
    expect((await broken()).headers["idempotency-replayed"]).toBeUndefined();
    const first = await send("cle-6", { name: "hier" });
    platform.clock.advance({ hours: 23 });
    expect((await send("cle-6", { name: "hier" })).body).toBe(first.body);
    platform.clock.advance({ hours: 2 });
    expect((await send("cle-6", { name: "hier" })).body).not.toBe(first.body);
  });

  describe("taken by another process", () => {
    /** Takes a key in another process. */
    const takeElsewhere = async (key: string, payload: object) => {
      const { database } = platform.settings;
      const other = createPresence({
        url: database.kind === "external" ? database.url : "",
        log: platform.log,
      });
      const first = await send(key, payload);
      const taken = { owner: await other.id(), status: null, answer_wrapped: null };
      await platform.db.updateTable("idempotency_keys").set(taken).where("key", "=", key).execute();
      return { other, first };
    };

    test("a key of a living process is waited for, and taken over within seconds of its death by one request", async () => {
      const { other, first } = await takeElsewhere("cle-11", { name: "perdu" });
      let answered = 0;
      const again = Promise.all(
        [1, 2, 3].map(async () => {
          const answer = await send("cle-11", { name: "perdu" });
          answered++;
          return answer;
        }),
      );
      await sleep(GONE_AFTER_MS + 1_000);
      expect(answered).toBe(0);
      await other.close();
      const answers = await again;
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
      expect(new Set(answers.map((answer) => answer.json().run))).toEqual(
        new Set([first.json().run + 1]),
      );
    });

    test("a waiting request gets the other process's answer", async () => {
      const { other, first } = await takeElsewhere("cle-12", { name: "ailleurs" });
      const again = send("cle-12", { name: "ailleurs" });
      await sleep(300);
      const { scope, created_at } = await platform.db
        .selectFrom("idempotency_keys")
        .select(["scope", "created_at"])
        .where("key", "=", "cle-12")
        .executeTakeFirstOrThrow();
      const answer = { status: 201, body: first.body, takenAt: created_at };
      await storeIdempotentAnswer(platform, { scope, key: "cle-12" }, answer);
      expect((await again).body).toBe(first.body);
      await other.close();
    });

    test("a key is free after two minutes where its process cannot be seen", async () => {
      const { other, first } = await takeElsewhere("cle-13", { name: "inconnu" });
      await other.close();
      await platform.db
        .updateTable("idempotency_keys")
        .set({ owner: null })
        .where("key", "=", "cle-13")
        .execute();
      platform.clock.advance({ minutes: 3 });
      expect((await send("cle-13", { name: "inconnu" })).json().run).toBe(first.json().run + 1);
    });
  });

  test("a key whose answer could not be stored runs again at once in the same process", async () => {
    const first = await send("cle-14", { name: "oublié" });
    await platform.db
      .updateTable("idempotency_keys")
      .set({ status: null, answer_wrapped: null })
      .where("key", "=", "cle-14")
      .execute();
    expect((await send("cle-14", { name: "oublié" })).json().run).toBe(first.json().run + 1);
  });

  test("a kept answer is not readable in the database", async () => {
    const answer = await send("cle-15", { name: "secret" });
    const row = await platform.db
      .selectFrom("idempotency_keys")
      .selectAll()
      .where("key", "=", "cle-15")
      .executeTakeFirstOrThrow();
    expect(row.answer_wrapped?.length).toBeGreaterThan(answer.body.length);
    expect(Buffer.from(row.answer_wrapped ?? []).includes('"run"')).toBe(false);
    expect(answer.body).toContain('"run"');
    expect((await send("cle-15", { name: "secret" })).body).toBe(answer.body);
  });

  test("a malformed key is refused", async () => {
    expect((await send("x".repeat(201), { name: "un" })).json().code).toBe("validation");
  });
});

describe("multipart bodies", () => {
  const form = (
    parts: readonly { name: string; filename?: string; value: string | Uint8Array }[],
  ) => {
    const chunks = parts.flatMap(({ name, filename, value }) => [
      Buffer.from(
        `--limite\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n`,
      ),
      Buffer.from(filename === undefined ? "\r\n" : "Content-Type: application/pdf\r\n\r\n"),
      Buffer.from(value as Uint8Array),
      Buffer.from("\r\n"),
    ]);
    return {
      payload: Buffer.concat([...chunks, Buffer.from("--limite--\r\n")]),
      headers: { "content-type": "multipart/form-data; boundary=limite" },
    };
  };
  const file = (size: number, name = "files") => ({
    name,
    filename: "é à.pdf",
    value: new Uint8Array(size),
  });

  test("a form is read whole, with a file of exactly 10 485 760 bytes", async () => {
    const answer = await post(
      "/api/files/",
      form([{ name: "title", value: "Bail d’été" }, file(MAX_FILE_SIZE_BYTES), file(0)]),
    );
    expect(answer.json()).toMatchObject({
      fields: { title: "Bail d’été" },
      files: [
        { field: "files", name: "é à.pdf", size: MAX_FILE_SIZE_BYTES },
        { field: "files", name: "é à.pdf", size: 0 },
      ],
    });
  });

  test.each([
    ["one byte more", [file(MAX_FILE_SIZE_BYTES + 1)], 413, "file_too_large"],
    [
      "a file too large before others",
      [file(MAX_FILE_SIZE_BYTES + 1), file(10), { name: "title", value: "x" }],
      413,
      "file_too_large",
    ],
    [
      "more than 50 MB in all",
      Array.from({ length: 6 }, () => file(9 * 1024 * 1024)),
      413,
      "envelope_too_large",
    ],
    ["21 files", Array.from({ length: 21 }, () => file(10)), 413, "envelope_too_large"],
    [
      "an over-long field",
      [{ name: "title", value: "x".repeat(256 * 1024 + 1) }],
      400,
      "malformed_request",
    ],
    [
      "21 fields",
      Array.from({ length: 21 }, (_, index) => ({ name: `f${index}`, value: "x" })),
      400,
      "malformed_request",
    ],
    [
      "a field twice",
      [
        { name: "title", value: "a" },
        { name: "title", value: "b" },
      ],
      400,
      "validation",
    ],
    ["a field named __proto__", [{ name: "__proto__", value: "a" }], 400, "malformed_request"],
    ["an over-long field name", [{ name: "n".repeat(200), value: "a" }], 400, "malformed_request"],
  ])("a form with %s is refused", async (_what, parts, status, code) => {
    const answer = await post("/api/files/", form(parts));
    expect(answer.json()).toMatchObject({ status, code });
  });

  const inLatin1 = (head: string, text: string) => ({
    payload: Buffer.from(`--limite\r\n${head}\r\n\r\n${text}\r\n--limite--\r\n`, "latin1"),
    headers: { "content-type": "multipart/form-data; boundary=limite" },
  });
  const TITLE = 'Content-Disposition: form-data; name="title"';
  const typed = (charset: string) => `${TITLE}\r\nContent-Type: text/plain; charset=${charset}`;
  const named = 'Content-Disposition: form-data; name="files"; filename';

  test.each([
    [TITLE, "Bail d'été", "title"],
    [typed("windows-1252"), "L\u0092été", "title"],
    [typed("iso-8859-15"), "L'été à 3 ¤", "title"],
    [`${named}="été.pdf"`, "%PDF-", "files.0"],
    [`${named}*=utf-8''%E9t%E9.pdf`, "%PDF-", "files.0"],
  ])("text that is not UTF-8 is refused by its field (%s)", async (head, text, field) => {
    const answer = await post("/api/files/", inLatin1(head, text));
    expect(answer.json()).toMatchObject({ status: 400, code: "validation" });
    expect(answer.json().errors).toEqual({ [field]: [expect.stringMatching(/en UTF-8$/)] });
  });

  test("text in a Latin-1 that is named is read as such; a field's own name is not guessed", async () => {
    const read = await post("/api/files/", inLatin1(typed("ISO-8859-1"), "Bail d'été"));
    expect(read.json().fields).toEqual({ title: "Bail d'été" });
    const name = await post("/api/files/", inLatin1(TITLE.replace("title", "été"), "a"));
    expect(name.json()).toMatchObject({ status: 400, code: "malformed_request" });
  });

  test("a field of exactly 256 kB is accepted, and 20 of them", async () => {
    const fields = Array.from({ length: 20 }, (_, index) => ({
      name: `f${index}`,
      value: "x".repeat(index === 0 ? 256 * 1024 : 1),
    }));
    expect((await post("/api/files/", form(fields))).statusCode).toBe(200);
  });

  test.each([
    ["no boundary", "multipart/form-data", "--limite\r\n\r\n--limite--"],
    [
      "no end",
      "multipart/form-data; boundary=limite",
      '--limite\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\nabc',
    ],
    [
      "an end in the middle of a part's head",
      "multipart/form-data; boundary=limite",
      "--limite\r\nContent-Dispo",
    ],
    ["rubbish", "multipart/form-data; boundary=limite", "n’importe quoi"],
  ])("a form with %s is 400 at once", async (_what, type, payload) => {
    const started = performance.now();
    const answer = await post("/api/files/", { payload, headers: { "content-type": type } });
    expect(answer.json()).toMatchObject({ status: 400, code: "malformed_request" });
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  test("a form that stops half-way is 408 within 5 s, and its connection closes", async () => {
    const address = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
    const socket = connect(Number(address.port), address.hostname);
    let said = "";
    socket.on("data", (chunk) => (said += chunk));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const ours = Object.entries(csrfOf(platform)).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST /api/files/ HTTP/1.1\r\nhost: x\r\n${ours.join("")}content-length: 5000\r\n`;
    socket.write(
      `${head}content-type: multipart/form-data; boundary=limite\r\n\r\n--limite\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\nabc`,
    );
    const started = performance.now();
    await closed;
    expect(said).toContain("408 Request Timeout");
    expect(said).toContain("body_too_slow");
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  test("a JSON body instead of a form is 415", async () => {
    expect((await post("/api/files/", { payload: { a: 1 } })).json().code).toBe(
      "unsupported_media_type",
    );
  });
});

describe("a sender who leaves", () => {
  const BODY = JSON.stringify({ title: "Bail" });
  let app: FastifyInstance;
  let session: ClientHttp2Session;
  let runs = 0;
  const signals: AbortSignal[] = [];

  beforeAll(async () => {
    const { dataDir, publicUrl } = platform.settings;
    const tls = await loadOrMakeLocalTls({
      folder: join(dataDir, "tls"),
      publicUrl,
      now: new Date(),
    });
    app = createApp(platform, { tls });
    app.register(async (scope) => {
      scope.post("/api/things/", async (_request, reply) => {
        const run = ++runs;
        await sleep(300);
        return reply.code(201).send({ run });
      });
      scope.get("/api/echo/", ANY_QUERY, async (request) => request.query);
      scope.get("/api/late/", async (_request, reply) => {
        signals.push(goneSignal(reply));
        await once(reply.raw, "close");
        signals.push(goneSignal(reply));
        return reply;
      });
    });
    session = connectHttp2(await app.listen({ host: "127.0.0.1", port: 0 }), {
      rejectUnauthorized: false,
    });
    await once(session, "connect");
  });
  afterAll(async () => {
    session.destroy();
    await app.close();
  });

  test("an address with bytes beyond ASCII is read as UTF-8 over HTTP/2", async () => {
    const answers = ["utf8", "latin1"].map(async (charset) => {
      const query = Buffer.from("été", charset as BufferEncoding).toString("latin1");
      const stream = session.request({ ":path": `/api/echo/?q=${query}` });
      return JSON.parse(Buffer.concat(await stream.toArray()).toString());
    });
    expect(await Promise.all(answers)).toEqual([
      { q: "été" },
      expect.objectContaining({ code: "validation", errors: { q: [expect.any(String)] } }),
    ]);
  });

  function post(key: string) {
    const stream = session.request({
      ":method": "POST",
      ":path": "/api/things/",
      ...csrfOf(platform),
      "content-type": "application/json",
      "idempotency-key": key,
    });
    stream.on("error", () => {});
    stream.end(BODY);
    return stream;
  }

  test("a request with two hosts is refused over HTTP/2 too", async () => {
    const statusFor = async (host: string) => {
      const [answer] = await once(
        session.request({ ":path": "/api/health/live", ":authority": "a.exemple", host }),
        "response",
      );
      return answer[":status"];
    };
    expect([await statusFor("b.exemple"), await statusFor("A.exemple")]).toEqual([400, 200]);
  });

  test("a sender refused mid-body gets the answer, and a request to stop", async () => {
    const stream = session.request({
      ":method": "POST",
      ":path": "/api/things/",
      ...csrfOf(platform),
      "content-type": "application/json",
    });
    stream.write("x".repeat(40_000));
    const [headers] = await once(stream, "response");
    stream.resume();
    await once(stream, "close");
    expect([headers[":status"], stream.rstCode]).toEqual([413, constants.NGHTTP2_NO_ERROR]);
  });

  test("a sender who leaves does not free the key: the next try gets the handler's outcome", async () => {
    const gone = post("cle-1");
    while (runs === 0) await sleep(5);
    gone.close(constants.NGHTTP2_CANCEL);
    await sleep(50);
    const again = post("cle-1");
    const [headers] = await once(again, "response");
    again.resume();
    expect([headers[":status"], headers["idempotency-replayed"], runs]).toEqual([201, "true", 1]);
  });

  test("a departure is noticed before and after it is asked for, over HTTP/2 and HTTP/1", async () => {
    const { port } = app.server.address() as AddressInfo;
    const second = session.request({ ":path": "/api/late/" });
    const first = get({ port, path: "/api/late/", rejectUnauthorized: false }).on(
      "error",
      () => {},
    );
    await vi.waitFor(() => expect(signals).toHaveLength(2));
    second.close(constants.NGHTTP2_CANCEL);
    first.destroy();
    await vi.waitFor(() =>
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true]),
    );
  });
});
