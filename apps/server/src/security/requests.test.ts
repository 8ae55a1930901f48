import { afterAll, beforeAll, expect, test } from "vitest";
import { ENVELOPES, PAUL } from "../../testing/envelope.ts";
import { openMailedGuest } from "../../testing/guest.ts";
import { openSecurityStage, type SecurityStage } from "../../testing/security-stage.ts";

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

beforeAll(async () => {
  stage = await openSecurityStage();
  ({ platform, app, service, envelopeId, draftId, unsafeCalls, safeCalls, signedIn, csrf, inject, state } = stage);
});
afterAll(() => stage.close());

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
      const answer = await inject({ method, url, ...signedIn(headers as Record<string, string>), payload: {} });
      expect([method, route, answer.status, answer.code]).toEqual([method, route, 403, "csrf_failed"]);
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
      const answer = await inject({ method, url, ...signedIn({ ...csrf(), ...(headers as Record<string, string>) }), payload: {} });
      expect([method, route, answer.status, answer.code]).toEqual([method, route, 403, "foreign_origin"]);
    }
  expect(await state()).toEqual(before);
});

test("security line 18: a JSON body sent as text, as a form or without a type is never read: 415, and nothing changes", async () => {
  const before = await state();
  const reading = unsafeCalls.filter(({ url }) => !url.endsWith("/register/"));
  for (const { method, url, route } of reading)
    for (const type of ["text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "application/octet-stream"]) {
      const answer = await inject({
        method,
        url,
        ...signedIn({ ...csrf(), "content-type": type }),
        payload: '{"password":"x","otp":"123456"}',
      });
      // Who may not call at all is told so before the body is looked at.
      const isRead = ![401, 403, 404].includes(answer.status);
      expect([method, route, type, isRead ? answer.status : 415]).toEqual([method, route, type, 415]);
    }
  expect(await state()).toEqual(before);
});

test("security line 19: a call with a signature token needs no CSRF, and ignores the session that comes with it", async () => {
  const guest = await openMailedGuest(service, envelopeId, PAUL.email);
  const headers = { "x-signature-token": guest.token };
  const asked = await inject({ method: "POST", url: `${ENVELOPES}${envelopeId}/send_otp/`, headers, payload: {} });
  expect(asked.status).toBe(200);
  // The owner's session opens nothing where the token does not.
  const wrong = { "x-signature-token": Buffer.alloc(32, 9).toString("base64url") };
  expect((await inject({ method: "GET", url: `${ENVELOPES}${envelopeId}/guest/`, ...signedIn(wrong) })).status).toBe(404);
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
  // The service's key for push messages is made when it is first asked for, once for all; an authority's list, when the last one ends.
  await app.inject({ url: "/api/signature/me/push-subscriptions/", ...signedIn() });
  await app.inject({ url: `${ENVELOPES}${envelopeId}/evidence/`, ...signedIn() });
  const before = await state();
  const addresses = safeCalls.flatMap(({ url }) => [url, url.replaceAll(envelopeId, draftId), url.replaceAll(envelopeId, "personne")]);
  expect(addresses.length).toBeGreaterThan(40);
  for (const url of addresses)
    for (const method of ["GET", "HEAD"] as const) for (const caller of [signedIn(), {}]) await inject({ method, url, ...caller });
  for (const page of ["/", "/login", "/signature/detail/x", `/sign/${envelopeId}?token=abc`, "/verify/x?sig=y", "/reset-password/u/t"])
    for (const method of ["GET", "HEAD"] as const) await app.inject({ method, url: page, ...signedIn() });
  // Authorities publish a list when the last one ends: that is time's doing, and the clock stood still.
  expect(await state()).toEqual(before);
});

test("security line 21: no other origin is let in: no CORS header on any answer, and none to a preflight", async () => {
  const cors = (headers: Readonly<Record<string, unknown>>) => Object.keys(headers).filter((name) => name.startsWith("access-control-"));
  for (const origin of ["https://ailleurs.exemple", "null", "https://localhost:8443"]) {
    for (const { url } of safeCalls)
      expect([url, cors((await inject({ method: "GET", url, ...signedIn({ origin }) })).headers)]).toEqual([url, []]);
    for (const { method, url } of unsafeCalls) {
      const preflight = { origin, "access-control-request-method": method, "access-control-request-headers": "x-csrftoken" };
      const answer = await inject({ method: "OPTIONS", url, headers: preflight });
      expect([url, cors(answer.headers), answer.status >= 400]).toEqual([url, [], true]);
    }
  }
});
