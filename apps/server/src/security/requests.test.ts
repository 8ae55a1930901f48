import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openBrowser, csrfOf } from "../../testing/browser.ts";
import { ENVELOPES, PAUL } from "../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../testing/guest.ts";
import { createMember } from "../../testing/member.ts";
import {
  openSecurityStage,
  PAGES,
  pageSource,
  type SecurityStage,
} from "../../testing/stages/security-stage.ts";
import { createLog } from "../platform/logs/log.ts";

let stage: SecurityStage;
let platform: SecurityStage["platform"];
let app: SecurityStage["app"];
let service: SecurityStage["service"];
let envelopeId: SecurityStage["envelopeId"];
let draftId: SecurityStage["draftId"];
let unsafeCalls: SecurityStage["unsafeCalls"];
let safeCalls: SecurityStage["safeCalls"];
let signedIn: SecurityStage["signedIn"];
let csrf: SecurityStage["csrf"];
let inject: SecurityStage["inject"];
let state: SecurityStage["state"];
let documentId: SecurityStage["documentId"];

beforeAll(async () => {
  stage = await openSecurityStage();
  ({
    platform,
    app,
    service,
    envelopeId,
    draftId,
    unsafeCalls,
    safeCalls,
    signedIn,
    csrf,
    inject,
    state,
    documentId,
  } = stage);
});

afterAll(() => stage.close());

describe("requests", () => {
  test("security line 17: every call that changes anything refuses a session without its CSRF token, or with another one, and changes nothing", async () => {
    const routes = unsafeCalls.map(({ method, route }) => `${method} ${route}`);
    expect(routes).toEqual(
      expect.arrayContaining([
        "POST /api/token/",
        "POST /api/logout/",
        "POST /api/token/refresh/",
        "POST /api/signature/register/",
        "DELETE /api/signature/me/",
        "DELETE /api/signature/me/sessions/{id}/",
      ]),
    );
    expect(routes.length).toBeGreaterThan(25);
    const before = await state();
    const token = csrf()["x-csrftoken"];
    for (const { method, url, route } of unsafeCalls)
      for (const headers of [
        {},
        { "x-csrftoken": "" },
        { "x-csrftoken": "autre" },
        { "x-csrftoken": token.slice(0, -1) },
        { "x-csrftoken": `${token},${token}` },
      ]) {
        const answer = await inject({
          method,
          url,
          ...signedIn(headers as Record<string, string>),
          payload: {},
        });
        expect([method, route, answer.status, answer.code]).toEqual([
          method,
          route,
          403,
          "csrf_failed",
        ]);
      }
    expect(await state()).toEqual(before);
  });

  test("security line 18: a foreign Origin and a cross-site fetch are refused everywhere, the right token notwithstanding", async () => {
    const before = await state();
    for (const { method, url, route } of unsafeCalls)
      for (const headers of [
        { origin: "https://ailleurs.exemple" },
        { origin: "null" },
        { origin: "https://localhost:8443.ailleurs.exemple" },
        { origin: "http://localhost:8443" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
      ]) {
        const answer = await inject({
          method,
          url,
          ...signedIn({ ...csrf(), ...(headers as Record<string, string>) }),
          payload: {},
        });
        expect([method, route, answer.status, answer.code]).toEqual([
          method,
          route,
          403,
          "foreign_origin",
        ]);
      }
    expect(await state()).toEqual(before);
  });

  test("security line 18: a JSON body sent as text, as a form or without a type is never read: 415, and nothing changes", async () => {
    const before = await state();
    const reading = unsafeCalls.filter(({ url }) => !url.endsWith("/register/"));
    for (const { method, url, route } of reading)
      for (const type of [
        "text/plain",
        "text/plain;charset=UTF-8",
        "application/x-www-form-urlencoded",
        "application/octet-stream",
      ]) {
        const answer = await inject({
          method,
          url,
          ...signedIn({ ...csrf(), "content-type": type }),
          payload: '{"password":"x","otp":"123456"}',
        });
        // These refusals come before the body is read.
        const isRead = ![401, 403, 404].includes(answer.status);
        expect([method, route, type, isRead ? answer.status : 415]).toEqual([
          method,
          route,
          type,
          415,
        ]);
      }
    expect(await state()).toEqual(before);
  });

  test("security line 19: a call with a signature token needs no CSRF, and ignores the session that comes with it", async () => {
    const guest = await openMailedGuest(service, envelopeId, PAUL.email);
    const headers = { "x-signature-token": guest.token };
    const asked = await inject({
      method: "POST",
      url: `${ENVELOPES}${envelopeId}/send_otp/`,
      headers,
      payload: {},
    });
    expect(asked.status).toBe(200);
    // The owner's session does not replace the token.
    const wrong = { "x-signature-token": Buffer.alloc(32, 9).toString("base64url") };
    expect(
      (await inject({ method: "GET", url: `${ENVELOPES}${envelopeId}/guest/`, ...signedIn(wrong) }))
        .status,
    ).toBe(404);
    for (const { method, url, route } of [...unsafeCalls, ...safeCalls].filter(
      ({ url: address }) => address.includes("/me/") || address.includes("/dashboard/"),
    )) {
      const answer = await inject({
        method,
        url,
        ...signedIn({ ...csrf(), ...headers }),
        ...(method === "GET" || method === "HEAD" ? {} : { payload: {} }),
      });
      expect([method, route, answer.status]).toEqual([method, route, 401]);
    }
    for (const action of ["cancel", "purge", "remind"]) {
      const method = action === "purge" ? "DELETE" : "POST";
      const answer = await inject({
        method,
        url: `${ENVELOPES}${envelopeId}/${action}/`,
        ...signedIn({ ...csrf(), ...headers }),
        payload: {},
      });
      expect([action, answer.status]).toEqual([action, 401]);
    }
  });

  test("security line 20: no GET and no HEAD changes a row, whoever asks and whatever it is about", async () => {
    await platform.settle();
    // The push key, and a list that has ended, are made once on demand: this makes them.
    await app.inject({ url: "/api/signature/me/push-subscriptions/", ...signedIn() });
    await app.inject({ url: `${ENVELOPES}${envelopeId}/evidence/`, ...signedIn() });
    const before = await state();
    const addresses = safeCalls.flatMap(({ url }) => [
      url,
      url.replaceAll(envelopeId, draftId),
      url.replaceAll(envelopeId, "personne"),
    ]);
    expect(addresses.length).toBeGreaterThan(40);
    for (const url of addresses)
      for (const method of ["GET", "HEAD"] as const)
        for (const caller of [signedIn(), {}]) await inject({ method, url, ...caller });
    for (const page of [
      "/",
      "/login",
      "/signature/detail/x",
      `/sign/${envelopeId}?token=abc`,
      "/verify/x?sig=y",
      "/reset-password/u/t",
    ])
      for (const method of ["GET", "HEAD"] as const)
        await app.inject({ method, url: page, ...signedIn() });
    // The clock stood still: no list has ended.
    expect(await state()).toEqual(before);
  });

  test("security line 21: no other origin is let in: no CORS header on any answer, and none to a preflight", async () => {
    const cors = (headers: Readonly<Record<string, unknown>>) =>
      Object.keys(headers).filter((name) => name.startsWith("access-control-"));
    for (const origin of ["https://ailleurs.exemple", "null", "https://localhost:8443"]) {
      for (const { url } of safeCalls)
        expect([
          url,
          cors((await inject({ method: "GET", url, ...signedIn({ origin }) })).headers),
        ]).toEqual([url, []]);
      for (const { method, url } of unsafeCalls) {
        const preflight = {
          origin,
          "access-control-request-method": method,
          "access-control-request-headers": "x-csrftoken",
        };
        const answer = await inject({ method: "OPTIONS", url, headers: preflight });
        expect([url, cors(answer.headers), answer.status >= 400]).toEqual([url, [], true]);
      }
    }
  });
});

describe("answers", () => {
  describe("headers", () => {
    /** One request for each kind of answer. */
    const kinds = (): readonly (readonly [string, InjectOptions & { readonly url: string }])[] => [
      ["JSON", { url: "/api/signature/me/", ...signedIn() }],
      ["a list", { url: ENVELOPES, ...signedIn() }],
      ["401", { url: "/api/signature/me/" }],
      ["404 of the API", { url: "/api/nulle-part/" }],
      ["403", { method: "POST", url: "/api/logout/", payload: {} }],
      ["400", { url: `${ENVELOPES}?page=0`, ...signedIn() }],
      ["405", { method: "TRACE" as "GET", url: "/" }],
      ["health", { url: "/api/health/" }],
      ["the description", { url: "/api/openapi.json" }],
      ["a redirect", { url: "/api/signature/activate/u/t/" }],
      ["a PDF", { url: `${ENVELOPES}${envelopeId}/original-document/`, ...signedIn() }],
      [
        "a part of a PDF",
        {
          url: `${ENVELOPES}${envelopeId}/original-document/`,
          ...signedIn({ range: "bytes=0-9" }),
        },
      ],
      ["an export", { url: "/api/signature/me/export/", ...signedIn() }],
      ["the app", { url: "/dashboard" }],
      ["the login", { url: "/login" }],
      ["a reset page", { url: "/reset-password/u/t" }],
      ["a guest's page", { url: "/sign/x?token=abc" }],
      ["a guest's last page", { url: "/signature/guest/success" }],
      ["a proof's page", { url: "/verify/x?sig=y" }],
      ["404 page", { url: "/nulle-part" }],
      ["a script", { url: "/assets/app-1a2b3c.js" }],
      ["the service worker", { url: "/sw.js" }],
      ["a missing file", { url: "/assets/rien.js" }],
      ["the authority's chain", { url: "/pki/ca.pem" }],
      ["the revocation list", { url: "/pki/crl.der" }],
      [
        "a bad OCSP request",
        {
          method: "POST",
          url: "/pki/ocsp",
          payload: "x",
          headers: { "content-type": "application/ocsp-request" },
        },
      ],
      ["the policy", { url: "/politique-de-certification" }],
      ["the local mailbox", { url: "/boite-aux-lettres/" }],
    ];
    const SECRET =
      /^\/(sign|verify|reset-password|signature\/guest|api\/signature\/activate)(\/|$)/;

    test("security line 22: HSTS, nosniff, referrer policy, COOP and CORP are on every kind of answer", async () => {
      for (const [kind, options] of kinds()) {
        const { headers } = await inject(options);
        const hsts = /^max-age=(\d+); includeSubDomains/.exec(
          String(headers["strict-transport-security"]),
        );
        expect([kind, Number(hsts?.[1]) >= 31_536_000]).toEqual([kind, true]);
        expect([kind, headers["x-content-type-options"]]).toEqual([kind, "nosniff"]);
        expect([
          kind,
          headers["cross-origin-opener-policy"],
          headers["cross-origin-resource-policy"],
        ]).toEqual([
          kind,
          "same-origin",
          // The PKI's answers are public.
          /^\/(pki\/|politique)/.test(options.url) ? "cross-origin" : "same-origin",
        ]);
        const path = options.url.split("?")[0] ?? "";
        expect([kind, headers["referrer-policy"]]).toEqual([
          kind,
          SECRET.test(path)
            ? "no-referrer"
            : expect.stringMatching(/^(strict-origin|no-referrer)$/),
        ]);
        expect([kind, "server" in headers || "x-powered-by" in headers]).toEqual([kind, false]);
      }
    });

    test("security line 23: pages have exactly the app's policy, every other answer one that allows nothing; no page has an inline script or handler", async () => {
      const policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
      for (const [kind, options] of kinds()) {
        const { headers, text } = await inject(options);
        const type = String(headers["content-type"] ?? "");
        const csp = String(headers["content-security-policy"] ?? "");
        if (type.startsWith("application/pdf")) continue;
        expect([
          kind,
          /frame-ancestors '(none|self)'/.test(csp),
          /unsafe-eval|script-src[^;]*(unsafe-inline|\*|https?:|data:)/.test(csp),
        ]).toEqual([kind, true, false]);
        if (!type.startsWith("text/html")) {
          expect([kind, csp.startsWith("default-src 'none'")]).toEqual([kind, true]);
          continue;
        }
        if (
          [
            "the app",
            "the login",
            "a reset page",
            "a guest's page",
            "a guest's last page",
            "a proof's page",
            "404 page",
          ].includes(kind)
        )
          expect([kind, csp]).toEqual([kind, policy]);
        expect([
          kind,
          /<script(?![^>]*\bsrc=)[^>]*>/i.test(text),
          /\son[a-z]+\s*=/i.test(text),
          /javascript:/i.test(text),
        ]).toEqual([kind, false, false, false]);
      }
      for (const page of PAGES)
        expect(
          /<script(?![^>]*\bsrc=)[^>]*>|<style|\son[a-z]+\s*=/i.test(await pageSource(page)),
        ).toBe(false);
    });

    test("security line 24: a PDF has its type and name, is never cached, is shown in our own frames only, and has no sandbox policy", async () => {
      for (const path of ["original-document", "document", `documents/${documentId}/file`]) {
        const { status, headers } = await inject({
          url: `${ENVELOPES}${envelopeId}/${path}/`,
          ...signedIn(),
        });
        expect([path, status, headers["content-type"]]).toEqual([path, 200, "application/pdf"]);
        expect(headers["content-disposition"]).toMatch(
          /^(inline|attachment); filename="[\x20-\x7e]+\.pdf"; filename\*=UTF-8''[A-Za-z0-9%._-]+\.pdf$/,
        );
        expect([headers["x-content-type-options"], headers["cache-control"]]).toEqual([
          "nosniff",
          "private, no-store",
        ]);
        expect(headers["content-security-policy"]).toBe("frame-ancestors 'self'");
      }
    });
  });

  test("security line 25: what a request says of its host, scheme or address changes no link and no cookie", async () => {
    const forged = {
      host: "ailleurs.exemple",
      "x-forwarded-host": "ailleurs.exemple",
      "x-forwarded-proto": "http",
      "x-forwarded-for": "203.0.113.9",
      forwarded: "host=ailleurs.exemple",
    };
    const member = await createMember(platform);
    const stranger = openBrowser(app);
    const loggedIn = await stranger.post(
      "/api/token/",
      { username: member.username, password: "encre bleue 47" },
      { headers: forged },
    );
    expect(loggedIn.status).toBe(200);
    expect(
      [loggedIn.headers["set-cookie"]]
        .flat()
        .every((line) => String(line).includes("Secure") && !String(line).includes("Domain")),
    ).toBe(true);
    const { results } = (await stranger.get("/api/signature/me/sessions/", { headers: forged }))
      .body;
    expect(results[0].ip).toBe("127.0.0.1");
    const made = await stranger.post(
      "/api/signature/prints/generate/",
      { envelope: envelopeId, qr_type: "page" },
      { headers: forged },
    );
    const download = await inject({
      url: `${ENVELOPES}${envelopeId}/download/`,
      ...signedIn(forged),
    });
    const redirect = await inject({ url: "/api/signature/activate/u/t/", headers: forged });
    for (const text of [made.text, download.text, String(redirect.headers["location"])])
      expect(text).not.toContain("ailleurs.exemple");
  });

  test("security line 26: any call gets only a French sentence, a code and the request's id: no stack, SQL or path", async () => {
    const junk = [
      "{",
      "[]",
      "null",
      '"x"',
      "{}",
      '{"id":{"$gt":""}}',
      `{"a":"${"x".repeat(5_000)}"}`,
      '{"username":"\\u0000","password":"\\u0000","email":"\\ud800"}',
    ];
    for (const { method, url, route } of unsafeCalls) {
      if (url.endsWith("/logout/") || route.includes("sessions")) continue;
      for (const payload of junk) {
        const answer = await inject({
          method,
          url: url.replaceAll(envelopeId, draftId.replace(/.$/, "0")),
          ...signedIn({ ...csrf(), "content-type": "application/json" }),
          payload,
        });
        expect([method, route, payload.slice(0, 20), answer.status < 500]).toEqual([
          method,
          route,
          payload.slice(0, 20),
          true,
        ]);
        if (answer.status >= 400) expectPlain(route, answer);
      }
    }
    for (const { route } of safeCalls)
      for (const value of [
        "'",
        "1 or 1=1",
        "%00",
        "..%2f..%2fetc%2fpasswd",
        "a".repeat(400),
        "%ff",
        "<script>",
      ]) {
        const answer = await inject({
          method: "GET",
          url: `${route.replace(/\{[^}]+\}/g, value)}?page=${value}&search=${value}&sig=${value}`,
          ...signedIn(),
        });
        expect([route, value, answer.status < 500]).toEqual([route, value, true]);
        if (answer.status >= 400) expectPlain(route, answer);
      }
    for (const url of ["/", "/api/token/", "/pki/ca.pem", "/login", ENVELOPES])
      expect([url, (await inject({ method: "TRACE" as "GET", url })).status]).toEqual([url, 405]);
  });

  test("security line 26: a known address answers 405 to every other method and names its own; an unknown one answers 404, with or without a token", async () => {
    const calls = [...unsafeCalls, ...safeCalls];
    const patterns = calls
      .filter(({ method }) => method !== "HEAD")
      .map(({ method, route }) => ({
        method,
        pattern: new RegExp(`^${route.replace(/\{[^}]+\}/g, "[^/]+")}$`),
      }));
    const methodsOf = (url: string) =>
      new Set(patterns.filter(({ pattern }) => pattern.test(url)).map(({ method }) => method));
    let refused = 0;
    for (const { url } of calls)
      for (const method of [
        "GET",
        "HEAD",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "OPTIONS",
        "TRACE",
      ] as const) {
        const known = methodsOf(url);
        // HEAD goes with GET.
        if (known.has(method as "GET") || (method === "HEAD" && known.has("GET"))) continue;
        refused += 1;
        const answer = await app.inject({ method: method as "GET", url });
        expect([method, url, answer.statusCode]).toEqual([method, url, 405]);
        const allowed = String(answer.headers["allow"]).split(", ");
        expect([url, new Set(allowed.filter((one) => one !== "HEAD"))]).toEqual([url, known]);
        if (method !== "HEAD") expect(answer.json().code).toBe("method_not_allowed");
        const nowhere = await app.inject({
          method: method as "GET",
          url: `${url}nulle-part/ailleurs/encore/`,
        });
        expect([method, url, nowhere.statusCode]).toEqual([method, url, 404]);
      }
    expect(refused).toBeGreaterThan(200);
    expect((await app.inject({ method: "POST", url: "/dashboard" })).headers["allow"]).toBe(
      "GET, HEAD",
    );
  });

  test("a program without a session gets a refusal that fits it: the missing header, the refused token", async () => {
    const told = async (headers: Record<string, string>, method: "GET" | "POST" = "POST") => {
      const answer = await app.inject({ method, url: ENVELOPES, headers });
      return [answer.statusCode, answer.json().code, answer.json().detail];
    };
    const missing = /^Cet appel n’a pas de clé d’API\. .*Authorization: Bearer pk_live_…/;
    const stale = /^Cette page n’est plus à jour\. Rechargez-la, puis réessayez\..*X-CSRFToken/;
    const ended = /^Votre session a expiré/;
    for (const headers of [
      {},
      { authorization: "Basic YTpi" },
      { authorization: "pk_live_abc" },
      { "x-api-key": "pk_live_abc" },
    ]) {
      for (const method of ["GET", "POST"] as const)
        expect(await told(headers, method)).toEqual([
          401,
          "session_expired",
          expect.stringMatching(missing),
        ]);
    }
    // A person with blocked cookies.
    const page = { "sec-fetch-site": "same-origin" };
    for (const method of ["GET", "POST"] as const)
      expect(await told(page, method)).toEqual([
        401,
        "session_expired",
        expect.stringMatching(ended),
      ]);
    for (const name of ["access", "refresh"]) {
      const cookie = `__Host-${name}_token=${"A".repeat(43)}`;
      expect(await told({ cookie, ...page })).toEqual([
        403,
        "csrf_failed",
        expect.stringMatching(stale),
      ]);
    }
    for (const url of [
      "/api/mcp/",
      "/api/signature/me/keys/",
      `${ENVELOPES}01990000-0000-7000-8000-0000000000e1/send/`,
    ]) {
      const answer = await app.inject({ method: "POST", url });
      expect([url, answer.statusCode, answer.headers["www-authenticate"]]).toEqual([
        url,
        401,
        "Bearer",
      ]);
      const foreign = { origin: "https://ailleurs.exemple" };
      const abroad = await app.inject({ method: "POST", url, headers: foreign });
      expect([url, abroad.json().code]).toEqual([url, "foreign_origin"]);
    }
    for (const url of ["/api/token/", "/api/token/refresh/", "/api/logout/"])
      expect([url, (await app.inject({ method: "POST", url })).json().code]).toEqual([
        url,
        "csrf_failed",
      ]);
    for (const method of ["GET", "POST"] as const)
      expect(await told({ authorization: "Bearer abc" }, method)).toEqual([
        401,
        "bearer_not_taken",
        expect.stringContaining("Authorization"),
      ]);
    const file = await app.inject({
      url: `${ENVELOPES}${envelopeId}/original-document/`,
      headers: { authorization: "bearer abc" },
    });
    expect([file.statusCode, file.json().code]).toEqual([401, "bearer_not_taken"]);
    // A browser behind a proxy that adds a token.
    expect(await told({ ...csrfOf(platform), authorization: "Bearer abc" }, "GET")).toEqual([
      401,
      "session_expired",
      expect.stringMatching(ended),
    ]);
  });

  function expectPlain(
    route: string,
    answer: { headers: Readonly<Record<string, unknown>>; text: string },
  ): void {
    expect([route, String(answer.headers["content-type"])]).toEqual([
      route,
      "application/problem+json; charset=utf-8",
    ]);
    const body = JSON.parse(answer.text);
    expect([route, typeof body.detail, /^[A-ZÀÉÈ]/.test(body.detail), body.request_id]).toEqual([
      route,
      "string",
      true,
      answer.headers["x-request-id"],
    ]);
    expect([
      route,
      /\bat [\w.<>]+ \(|node_modules|\.ts:\d|\/(work|srv|home|app|tmp)\/|\bselect\b.+\bfrom\b|syntax error|pg_|kysely/i.test(
        answer.text,
      ),
    ]).toEqual([route, false]);
  }
});

describe("the log of refusals", () => {
  const IP = "198.51.100.7";
  const lines = () =>
    platform.logged.filter(({ message }) => message === "refused").map(({ fields }) => fields);

  // Counts of the other tests have expired.
  beforeEach(() => {
    platform.clock.advance({ minutes: 1 });
  });

  test("security line 62: every refusal leaves one log line that says what was refused, where, to whom and when, and has no secret", async () => {
    const guest = await openMailedGuest(service, envelopeId, PAUL.email);
    const code = await guest.askCode();
    const wrongCode = code === "000000" ? "000001" : "000000";
    const csrfToken = csrf()["x-csrftoken"];
    const ours = { ...csrfOf(platform), "content-type": "application/json" };
    const linked = { "x-signature-token": guest.token };
    const base = "/api/signature/envelopes";
    const refusals: readonly (readonly [string, string | null, InjectOptions])[] = [
      ["not_found", null, { url: "/api/nulle-part/jeton-de-quelqu-un/" }],
      ["not_found", null, { method: "POST", url: "/api/nulle-part/" }],
      [
        "method_not_allowed",
        null,
        { method: "DELETE", url: `/api/signature/activate/u/jeton-de-quelqu-un/` },
      ],
      ["malformed_request", null, { url: "/api/%E0%A4%A/" }],
      ["csrf_failed", "/api/logout/", { method: "POST", url: "/api/logout/", payload: {} }],
      [
        "foreign_origin",
        "/api/logout/",
        {
          method: "POST",
          url: "/api/logout/",
          headers: { ...ours, origin: "https://ailleurs.exemple" },
        },
      ],
      ["session_expired", "/api/signature/me/", { url: "/api/signature/me/" }],
      [
        "link_expired",
        "/api/signature/activate/:uid/:token/",
        { url: "/api/signature/activate/u/jeton-de-quelqu-un/" },
      ],
      [
        "invalid_credentials",
        "/api/token/",
        {
          method: "POST",
          url: "/api/token/",
          headers: ours,
          payload: { username: "personne-ici", password: "mot secret" },
        },
      ],
      [
        "link_expired",
        "/api/signature/change-password/",
        {
          method: "POST",
          url: "/api/signature/change-password/",
          headers: ours,
          payload: { uid: envelopeId, token: "jeton-de-quelqu-un", password: "encre bleue 47" },
        },
      ],
      [
        "not_found",
        `${base}/:id/guest/`,
        {
          url: `${base}/${envelopeId}/guest/`,
          headers: { "x-signature-token": "jeton-de-quelqu-un" },
        },
      ],
      [
        "otp_invalid",
        `${base}/:id/verify_otp/`,
        {
          method: "POST",
          url: `${base}/${envelopeId}/verify_otp/`,
          headers: linked,
          payload: { otp: wrongCode },
        },
      ],
      [
        "otp_required",
        `${base}/:id/sign/`,
        { method: "POST", url: `${base}/${envelopeId}/sign/`, headers: linked, payload: TYPED },
      ],
      [
        "not_found",
        "/api/signature/prints/:id/verify/",
        { url: `/api/signature/prints/${envelopeId}/verify/?sig=signature-de-quelqu-un` },
      ],
      ["validation", ENVELOPES, { url: `${ENVELOPES}?page=0`, ...signedIn() }],
    ];
    for (const [reason, route, options] of refusals) {
      const before = lines().length;
      const answer = await app.inject({ ...options, remoteAddress: IP });
      const written = lines().slice(before);
      const status = answer.statusCode === 302 ? 400 : answer.statusCode;
      expect(written).toEqual([
        {
          reason,
          status,
          method: options.method ?? "GET",
          route: route === null ? null : expect.stringMatching(new RegExp(`^${route}?$`)),
          request_id: answer.headers["x-request-id"],
          ip: IP,
        },
      ]);
    }
    expect(
      platform.logged.filter(({ message }) => message === "login refused").at(-1)?.fields,
    ).toEqual({ userId: null, ip: IP });
    const secrets = [
      "jeton-de-quelqu-un",
      "signature-de-quelqu-un",
      "personne-ici",
      "mot secret",
      guest.token,
      csrfToken,
      `"${wrongCode}"`,
    ];
    for (const secret of secrets) expect(JSON.stringify(platform.logged)).not.toContain(secret);
  });

  test("endless refusals do not fill the disk: 60 lines a minute per network, the rest counted once, other networks' lines unaffected", async () => {
    const ask = (remoteAddress: string) => app.inject({ url: "/api/nulle-part/", remoteAddress });
    const before = lines().length;
    for (let count = 0; count < 100; count += 1) await ask(IP);
    expect(lines().length - before).toBe(60);
    await ask("203.0.113.5");
    expect(lines().at(-1)).toMatchObject({ reason: "not_found", ip: "203.0.113.5" });
    platform.clock.advance({ minutes: 1 });
    await ask(IP);
    expect(platform.logged.at(-2)).toEqual({
      level: "warn",
      fields: { reasons: { not_found: 40 } },
      message: "refusals without a line of their own",
    });
    expect(lines().at(-1)).toMatchObject({ ip: IP });
  });

  test("the log blanks none of a refusal's fields", async () => {
    const written: string[] = [];
    createLog({ write: (line: string) => written.push(line) }).info(
      lines().at(-1) ?? {},
      "refused",
    );
    expect(written.join("")).not.toContain("[…]");
    expect(JSON.parse(written.join(""))).toMatchObject({
      reason: "not_found",
      time: expect.stringMatching(/Z$/),
    });
  });
});
