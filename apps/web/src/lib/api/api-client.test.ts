// @vitest-environment node
/// <reference types="node" />
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ApiClient, createApiClient } from "./api-client.ts";
import { ApiError } from "./api-error.ts";

// @vitest-environment node
/// <reference types="node" />

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let base: string;
let handle: Handler;
let seen: IncomingMessage[];
const onSessionLost = vi.fn();
const onUnreachable = vi.fn();
let api: ApiClient;

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body));
}

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error("an ApiError was expected", { cause: error });
  return error;
}

beforeEach(async () => {
  seen = [];
  onSessionLost.mockReset();
  onUnreachable.mockReset();
  vi.stubGlobal("document", { cookie: "autre=1; csrftoken=jeton%2Bcsrf" });
  server = createServer((request, response) => {
    seen.push(request);
    request.resume().on("end", () => handle(request, response));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api = createApiClient(base, { onSessionLost, onUnreachable });
});

afterEach(async () => {
  vi.unstubAllGlobals();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

test("sends the CSRF cookie back in X-CSRFToken on a change, not on a read", async () => {
  handle = (_request, response) => answer(response, 200, {});
  await api.post("/api/logout/", { body: {} });
  await api.get("/api/signature/me/");
  expect(seen[0]?.headers["x-csrftoken"]).toBe("jeton+csrf");
  expect(seen[1]?.headers["x-csrftoken"]).toBeUndefined();
});

test("sends JSON and cookies, and waits 10 seconds", async () => {
  handle = (_request, response) => answer(response, 200, {});
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const sent = vi.spyOn(globalThis, "fetch");
  await api.post("/api/logout/", { body: { a: 1 } });
  expect(timeout).toHaveBeenCalledWith(10_000);
  expect(sent.mock.calls[0]?.[1]).toMatchObject({ credentials: "include", body: '{"a":1}' });
  expect(seen[0]?.headers["content-type"]).toBe("application/json");
  expect(seen[0]?.headers.accept).toBe("application/json");
});

test.each(["POST", "PUT", "PATCH", "DELETE"] as const)(
  "%s carries the CSRF token",
  async (method) => {
    handle = (_request, response) => answer(response, 200, {});
    await api.request(method, "/x/", { body: {} });
    expect([seen[0]?.method, seen[0]?.headers["x-csrftoken"]]).toEqual([method, "jeton+csrf"]);
  },
);

test("without a CSRF cookie, asks for one before the first change", async () => {
  vi.stubGlobal("document", { cookie: "" });
  handle = (request, response) => {
    if (request.url === "/api/verify-token/")
      vi.stubGlobal("document", { cookie: "csrftoken=neuf" });
    answer(response, 200, {});
  };
  await api.post("/api/token/", { body: {} });
  expect(seen.map((request) => request.url)).toEqual(["/api/verify-token/", "/api/token/"]);
  expect(seen[1]?.headers["x-csrftoken"]).toBe("neuf");
});

test("carries query, version and idempotency key, and leaves empty query values out", async () => {
  handle = (_request, response) => answer(response, 200, {});
  await api.patch("/api/signature/envelopes/1/", {
    body: {},
    version: 4,
    idempotencyKey: "clé".normalize("NFD").slice(0, 2),
    query: { page: 2, search: "" },
  });
  expect(seen[0]?.url).toBe("/api/signature/envelopes/1/?page=2");
  expect(seen[0]?.headers["if-match"]).toBe('"4"');
  expect(seen[0]?.headers["idempotency-key"]).toBe("cl");
});

test("refreshes once for all the calls that meet a 401 together, then sends each again", async () => {
  let fresh = false;
  handle = (request, response) => {
    if (request.url === "/api/token/refresh/") {
      setTimeout(() => {
        fresh = true;
        answer(response, 200, {});
      }, 50);
      return;
    }
    answer(
      response,
      fresh ? 200 : 401,
      fresh ? { ok: true } : { detail: "Votre session a expiré. Veuillez vous reconnecter." },
    );
  };
  const answers = await Promise.all([api.get("/a/"), api.get("/b/"), api.get("/c/")]);
  expect(answers).toEqual([{ ok: true }, { ok: true }, { ok: true }]);
  expect(seen.filter((request) => request.url === "/api/token/refresh/")).toHaveLength(1);
  expect(onSessionLost).not.toHaveBeenCalled();
});

test("a CSRF token that another tab's refresh has replaced is read again, and the call made again, once", async () => {
  handle = (request, response) => {
    if (request.url === "/api/verify-token/") {
      vi.stubGlobal("document", { cookie: "csrftoken=neuf" });
      return answer(response, 200, {});
    }
    const isFresh = request.headers["x-csrftoken"] === "neuf";
    return isFresh
      ? answer(response, 200, { done: true })
      : answer(response, 403, { code: "csrf_failed" });
  };
  expect(await api.post("/x/", { body: {} })).toEqual({ done: true });
  expect(seen.map(({ url }) => url)).toEqual(["/x/", "/api/verify-token/", "/x/"]);
});

test("a refresh that meets a replaced CSRF token is made again with the new one", async () => {
  let over = true;
  handle = (request, response) => {
    if (request.url === "/api/verify-token/") {
      vi.stubGlobal("document", { cookie: "csrftoken=neuf" });
      return answer(response, 401, {});
    }
    if (request.url === "/api/token/refresh/") {
      over = request.headers["x-csrftoken"] !== "neuf";
      return over ? answer(response, 403, { code: "csrf_failed" }) : answer(response, 200, {});
    }
    return over ? answer(response, 401, {}) : answer(response, 200, { here: true });
  };
  expect(await api.get("/y/")).toEqual({ here: true });
  expect(onSessionLost).not.toHaveBeenCalled();
});

test("a CSRF token that is refused twice is a refusal, shown in the service's words", async () => {
  handle = (_request, response) =>
    answer(response, 403, { code: "csrf_failed", detail: "Rechargez la page." });
  expect((await refusal(api.post("/x/", { body: {} }))).message).toContain("Rechargez la page.");
  expect(seen.map(({ url }) => url)).toEqual(["/x/", "/api/verify-token/", "/x/"]);
});

test("calls back once the session cannot be refreshed", async () => {
  handle = (_request, response) => answer(response, 401, { detail: "Non" });
  expect((await refusal(api.get("/api/signature/me/"))).status).toBe(401);
  expect(seen.map((request) => request.url)).toEqual(["/api/signature/me/", "/api/token/refresh/"]);
  expect(onSessionLost).toHaveBeenCalledOnce();
});

test("never refreshes for a login that was refused", async () => {
  handle = (_request, response) =>
    answer(response, 401, { detail: "Nom d'utilisateur ou mot de passe incorrect." });
  const error = await refusal(api.post("/api/token/", { body: {} }));
  expect(error.details.sentence).toBe("Nom d'utilisateur ou mot de passe incorrect.");
  expect(seen).toHaveLength(1);
  expect(onSessionLost).not.toHaveBeenCalled();
});

test("a guest's call carries its token and is never refreshed", async () => {
  handle = (_request, response) => answer(response, 401, {});
  await refusal(api.get("/api/signature/envelopes/1/guest/", { signatureToken: "secret" }));
  expect(seen).toHaveLength(1);
  expect(seen[0]?.headers["x-signature-token"]).toBe("secret");
});

test("reads detail before error, the code, the field errors and the wait", async () => {
  handle = (_request, response) =>
    answer(
      response,
      429,
      {
        detail: "Patientez",
        error: "autre",
        code: "too_many_requests",
        errors: { email: ["Email requis"] },
      },
      { "retry-after": "12" },
    );
  const error = await refusal(api.post("/x/", { body: {} }));
  expect(error.details).toMatchObject({
    sentence: "Patientez",
    code: "too_many_requests",
    retryAfterS: 12,
  });
  expect(error.fieldErrors).toEqual({ email: ["Email requis"] });
});

test("reads the error message when there is no detail, and the field map at the top level", async () => {
  handle = (_request, response) =>
    answer(response, 400, { error: "Refusé", username: ["Ce nom est déjà pris."] });
  const error = await refusal(api.post("/x/", { body: {} }));
  expect(error.details.sentence).toBe("Refusé");
  expect(error.fieldErrors).toEqual({ username: ["Ce nom est déjà pris."] });
});

test("an answer that is not JSON leaves the sentence to the caller's default", async () => {
  handle = (_request, response) =>
    response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>");
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  expect((await refusal(api.get("/x/"))).details.sentence).toBeUndefined();
  expect(log).toHaveBeenCalledOnce();
});

test.each([500, 503])("a %i is an error in the log", async (status) => {
  handle = (_request, response) => answer(response, status, {});
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  await refusal(api.get("/x/"));
  expect(log).toHaveBeenCalledWith(`${status} /x/`);
});

test("a 403 is only a warning in the log", async () => {
  handle = (_request, response) => answer(response, 403, {});
  const warning = vi.spyOn(console, "warn").mockImplementation(() => {});
  await refusal(api.get("/x/"));
  expect(warning).toHaveBeenCalledWith("403 /x/");
});

test("gives up after its time and says that nothing answered", async () => {
  handle = () => {};
  const error = await refusal(api.get("/lent/", { timeoutMs: 100 }));
  expect(error.isUnreachable).toBe(true);
  expect(onUnreachable).toHaveBeenCalledOnce();
});

test("an abort by the caller is no outage", async () => {
  handle = () => {};
  const abort = new AbortController();
  const call = api.get("/lent/", { signal: abort.signal });
  setTimeout(() => abort.abort(), 30);
  await expect(call).rejects.toThrow("abort");
  expect(onUnreachable).not.toHaveBeenCalled();
});
