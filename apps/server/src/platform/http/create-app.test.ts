import { CSRF_COOKIE } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CSRF, type HttpStage, openHttpStage } from "../../../testing/http-stage.ts";
import { clientOf } from "./client-of.ts";
import { createApp } from "./create-app.ts";

let stage: HttpStage;
let platform: HttpStage["platform"];
let app: HttpStage["app"];
let post: HttpStage["post"];

beforeAll(async () => {
  stage = await openHttpStage();
  ({ platform, app, post } = stage);
});
afterAll(() => stage.close());

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

  test("security line 26: TRACE is 405", async () => {
    const answer = await app.inject({ method: "TRACE" as "GET", url: "/api/health/" });
    expect(answer.statusCode).toBe(405);
    expect(answer.json().code).toBe("method_not_allowed");
  });

  test("security line 26: a bug is 500 without its message, and is logged", async () => {
    const answer = await post("/api/broken/");
    expect(answer.statusCode).toBe(500);
    expect(answer.json().code).toBe("internal");
    expect(answer.body).not.toMatch(/select|srv|stack/i);
    expect(platform.logged.at(-1)).toMatchObject({ level: "error", fields: { request_id: answer.headers["x-request-id"] } });
  });

  test("a full medium is 507, a database that is away 503 with Retry-After", async () => {
    expect((await post("/api/full/")).json()).toMatchObject({ status: 507, detail: "Espace de stockage insuffisant" });
    const away = await post("/api/away/");
    expect(away.json()).toMatchObject({ status: 503, code: "service_unavailable" });
    expect(Number(away.headers["retry-after"])).toBeGreaterThan(0);
  });

  test.each([
    ["{", 400, "malformed_request"],
    ['{"name": "ok", "__proto__": {}}', 400, "malformed_request"],
    ['{"name": "ok", "constructor": {"prototype": {}}}', 400, "malformed_request"],
    [`{"name": "${"x".repeat(3 * 1024 * 1024)}"}`, 413, "request_too_large"],
  ])("the body %.40j is refused", async (payload, status, code) => {
    const answer = await post("/api/things/", { payload, headers: { "content-type": "application/json" } });
    expect(answer.json()).toMatchObject({ status, code });
  });

  test("security line 18: JSON sent as text, which any site may send, is 415", async () => {
    const answer = await post("/api/things/", { payload: '{"name":"ok"}', headers: { "content-type": "text/plain" } });
    expect(answer.json()).toMatchObject({ status: 415, code: "unsupported_media_type" });
  });

  test("an invalid body names each field with its messages in French, unknown fields included", async () => {
    const answer = await post("/api/things/", { payload: { name: "x", owner: 1, tags: [{ label: "a" }, { label: 3 }] } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      code: "validation",
      errors: { name: ["Nom trop court"], owner: ["Champ inconnu"], "tags.1.label": ["Valeur invalide"] },
    });
  });

  test("a call without a body is an empty object", async () => {
    for (const headers of [{}, { "content-type": "application/json" }]) {
      expect((await post("/api/things/", { headers })).json().errors).toEqual({ name: ["Nom requis"] });
    }
  });
});

describe("calls that another site may have caused", () => {
  const call = (headers: Record<string, string>) => app.inject({ method: "POST", url: "/api/things/", payload: { name: "ok" }, headers });

  test.each([
    ["no cookie and no header", {}, "csrf_failed"],
    ["the cookie alone", { cookie: `${CSRF_COOKIE}=jeton` }, "csrf_failed"],
    ["another token", { cookie: `${CSRF_COOKIE}=jeton`, "x-csrftoken": "autre" }, "csrf_failed"],
    ["empty tokens", { cookie: `${CSRF_COOKIE}=`, "x-csrftoken": "" }, "csrf_failed"],
    ["a foreign Origin", { ...CSRF, origin: "https://ailleurs.exemple" }, "foreign_origin"],
    ["the origin null", { ...CSRF, origin: "null" }, "foreign_origin"],
    ["plain http", { ...CSRF, origin: "http://localhost:8443" }, "foreign_origin"],
    ["Sec-Fetch-Site: cross-site", { ...CSRF, "sec-fetch-site": "cross-site" }, "foreign_origin"],
    ["Sec-Fetch-Site: same-site", { ...CSRF, "sec-fetch-site": "same-site" }, "foreign_origin"],
  ])("%s is 403", async (_what, headers, code) => {
    const answer = await call(headers);
    expect(answer.json()).toMatchObject({ status: 403, code });
  });

  test.each(["/%61pi/things/", "/ap%69/things", "/api/thing%73/", "/ailleurs/"])("%s is no way around", async (url) => {
    const foreign = { ...CSRF, origin: "https://ailleurs.exemple" };
    const answers = [
      await app.inject({ method: "POST", url, payload: { name: "ok" } }),
      await app.inject({ method: "POST", url, payload: { name: "ok" }, headers: foreign }),
    ];
    expect(answers.map((answer) => answer.json().code)).toEqual(["csrf_failed", "foreign_origin"]);
  });

  test("the authorities' own protocols are let through", async () => {
    expect((await app.inject({ method: "POST", url: "/pki/demande", payload: {} })).statusCode).toBe(200);
  });

  test("our own origin with the token is let through, and so is a call that carries a signature token", async () => {
    expect((await call({ ...CSRF, origin: "https://localhost:8443", "sec-fetch-site": "same-origin" })).statusCode).toBe(201);
    expect((await call({ "x-signature-token": "abc" })).statusCode).toBe(201);
  });
});

describe("headers", () => {
  test("every answer carries what browsers must enforce", async () => {
    for (const url of ["/api/health/", "/api/nulle-part/", "/page"]) {
      const { headers } = await app.inject(url);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "strict-origin",
      });
      expect(headers["strict-transport-security"]).toMatch(/^max-age=(\d{8,}); includeSubDomains$/);
    }
  });

  test("security line 23: pages have the app's policy, without inline script; addresses that hold a secret leak nowhere", async () => {
    const page = await app.inject("/page");
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'/);
    expect(page.headers["content-security-policy"]).not.toMatch(/script-src[^;]*unsafe/);
    for (const url of ["/sign/page?token=abc", "/si%67n/page?token=abc"])
      expect((await app.inject(url)).headers["referrer-policy"]).toBe("no-referrer");
  });

  test("answers of the API are not stored, PDFs may be shown in our own frames only", async () => {
    for (const url of ["/api/health/", "/%61pi/health/"])
      expect((await app.inject(url)).headers["cache-control"]).toBe("private, no-store");
    expect((await app.inject("/api/fichier.pdf")).headers["content-security-policy"]).toBe("frame-ancestors 'self'");
  });

  test("JSON is compressed for who accepts it", async () => {
    for (const encoding of ["br", "gzip"]) {
      const answer = await app.inject({ url: "/api/big/", headers: { "accept-encoding": encoding } });
      expect(answer.headers["content-encoding"]).toBe(encoding);
      expect(answer.rawPayload.length).toBeLessThan(500);
    }
    expect((await app.inject("/api/big/")).headers["content-encoding"]).toBeUndefined();
  });

  test("security line 25: a forwarded address is believed from no one unless TRUST_PROXY names them; a browser's name is one short line", async () => {
    const headers = { "x-forwarded-for": "203.0.113.9", "user-agent": `Mozilla\u007f ${"x".repeat(500)}` };
    const { ip, userAgent } = (await app.inject({ url: "/api/client/", headers })).json();
    expect(ip).toBe("127.0.0.1");
    expect(userAgent).toHaveLength(300);
    const behind = createApp({ ...platform, settings: { ...platform.settings, trustProxy: ["127.0.0.1"] } });
    behind.get("/api/client/", async (request) => clientOf(request));
    expect((await behind.inject({ url: "/api/client/", headers })).json().ip).toBe("203.0.113.9");
    await behind.close();
  });
});

describe("the rest", () => {
  test("says it is well once the database answers", async () => {
    const answer = await app.inject("/api/health/");
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: "ok" }]);
  });

  test("describes its calls from their schemas", async () => {
    const description = (await app.inject("/api/openapi.json")).json();
    expect(description.openapi).toMatch(/^3\.1/);
    expect(description.paths["/api/things/"].post.requestBody.content["application/json"].schema.required).toEqual(["name"]);
    expect(Object.keys(description.paths).every((path) => path.startsWith("/api/"))).toBe(true);
  });

  test("limits what one address may ask in a minute, unless RATE_LIMITS is off", async () => {
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
    const free = createApp({ ...platform, settings: { ...platform.settings, rateLimits: "off" } });
    expect((await free.inject("/api/health/")).headers["x-ratelimit-limit"]).toBeUndefined();
    await free.close();
  });
});
