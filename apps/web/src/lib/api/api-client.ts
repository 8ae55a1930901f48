import {
  CSRF_COOKIE,
  CSRF_HEADER,
  REQUEST_TIMEOUT_MS,
  SIGNATURE_TOKEN_HEADER,
} from "@paraphe/contracts";
import { ApiError } from "./api-error.ts";

/** `detail` first, then `error` (specification §8); `errors`, or the field map of `register/`. */
async function readApiError(response: Response): Promise<ApiError> {
  const body = await readJson(response);
  const retryAfter = Number(response.headers.get("retry-after"));
  return new ApiError({
    status: response.status,
    code: text(body["code"]),
    sentence: text(body["detail"]) ?? text(body["error"]),
    errors: fieldMap(body["errors"]) ?? fieldMap(body),
    body,
    retryAfterS: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : undefined,
  });
}

async function readJson(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return isRecord(body) ? body : {};
  } catch (cause) {
    // A proxy's page has no sentence: the caller's default is shown.
    if (cause instanceof SyntaxError || cause instanceof TypeError) return {};
    throw cause;
  }
}

function fieldMap(value: unknown): Record<string, string[]> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string[]] =>
      Array.isArray(entry[1]) && entry[1].every((message) => typeof message === "string"),
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readCookie(name: string): string | undefined {
  const prefix = `${name}=`;
  const pair = document.cookie.split("; ").find((candidate) => candidate.startsWith(prefix));
  return pair === undefined ? undefined : decodeURIComponent(pair.slice(prefix.length));
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type CallOptions = {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** JSON, or multipart for a `FormData`. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** A guest's token: no session cookie, no refresh (contract §2). */
  readonly signatureToken?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly version?: number | undefined;
  readonly accept?: string;
  /** Replaces the limit of 10 s for bodies of several megabytes. */
  readonly timeoutMs?: number;
  /** `fetch` reports no upload progress. */
  readonly transport?: Transport;
};

export type PreparedCall = {
  readonly method: Method;
  readonly url: string;
  readonly headers: Headers;
  readonly body: BodyInit | null;
  readonly signal: AbortSignal;
};

/** Resolves for any status; throws without an answer. */
type Transport = (call: PreparedCall) => Promise<Response>;

export type ApiClient = {
  get<T>(path: string, options?: CallOptions): Promise<T>;
  post<T>(path: string, options?: CallOptions): Promise<T>;
  put<T>(path: string, options?: CallOptions): Promise<T>;
  patch<T>(path: string, options?: CallOptions): Promise<T>;
  delete<T>(path: string, options?: CallOptions): Promise<T>;
  /** The accepted answer as it came, for files and headers. */
  request(method: Method, path: string, options?: CallOptions): Promise<Response>;
};

export type ApiCallbacks = {
  /** `reason`: the service's words when it ended the session. */
  readonly onSessionLost: (reason?: string) => void;
  readonly onUnreachable: () => void;
};

const SESSION_PATH = "/api/verify-token/";
const REFRESH_PATH = "/api/token/refresh/";
const WITHOUT_REFRESH = new Set([REFRESH_PATH, "/api/token/", "/api/logout/"]);

/**
 * The client of every call: cookies, JSON, 10 s, CSRF header, one refresh shared by all calls on a
 * 401 (specification §4 and §7). Errors: `ApiError` when refused or unreachable; the caller's own
 * abort is thrown as it is.
 */
export function createApiClient(base: string, callbacks: ApiCallbacks): ApiClient {
  const send = createSender(base, callbacks);
  const refresh = createRefresh(send);

  const request = async (
    method: Method,
    path: string,
    options: CallOptions = {},
  ): Promise<Response> => {
    // `verify-token/` gives visitors the CSRF cookie too (contract §3).
    const needsCsrf = method !== "GET" && options.signatureToken === undefined;
    if (needsCsrf && readCookie(CSRF_COOKIE) === undefined) await send("GET", SESSION_PATH, {});
    let response = await send(method, path, options);
    if (options.signatureToken === undefined && (await isStaleCsrf(response))) {
      await send("GET", SESSION_PATH, {});
      response = await send(method, path, options);
    }
    if (
      response.status === 401 &&
      options.signatureToken === undefined &&
      !WITHOUT_REFRESH.has(path)
    ) {
      if (await refresh()) response = await send(method, path, options);
      if (response.status === 401) callbacks.onSessionLost(await endingReason(response));
    }
    if (response.ok) return response;
    logRefusal(response.status, path);
    throw await readApiError(response);
  };

  const json = async <T>(method: Method, path: string, options?: CallOptions): Promise<T> => {
    const response = await request(method, path, options);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };

  return {
    get: (path, options) => json("GET", path, options),
    post: (path, options) => json("POST", path, options),
    put: (path, options) => json("PUT", path, options),
    patch: (path, options) => json("PATCH", path, options),
    delete: (path, options) => json("DELETE", path, options),
    request,
  };
}

type Send = (method: Method, path: string, options: CallOptions) => Promise<Response>;

function createSender(base: string, callbacks: ApiCallbacks): Send {
  return async (method, path, options) => {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? REQUEST_TIMEOUT_MS);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    const transport = options.transport ?? fetchTransport;
    try {
      return await transport({ ...prepareCall(base, { method, path, options }), signal });
    } catch (cause) {
      if (options.signal?.aborted) throw cause;
      callbacks.onUnreachable();
      throw new ApiError({ status: 0, sentence: undefined }, { cause });
    }
  };
}

/** Calls made during a refresh wait for the same one. */
function createRefresh(send: Send): () => Promise<boolean> {
  let refreshing: Promise<boolean> | undefined;
  const refreshOnce = async (): Promise<boolean> => {
    const response = await send("POST", REFRESH_PATH, { body: {} });
    if (!(await isStaleCsrf(response))) return response.ok;
    await send("GET", SESSION_PATH, {});
    return (await send("POST", REFRESH_PATH, { body: {} })).ok;
  };
  return () => {
    refreshing ??= refreshOnce().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
}

/**
 * Another tab's login, logout or refresh changed the token. The call was refused before any effect
 * and may be repeated.
 */
async function isStaleCsrf(response: Response): Promise<boolean> {
  return response.status === 403 && (await readCopy(response))["code"] === "csrf_failed";
}

async function endingReason(response: Response): Promise<string | undefined> {
  const { code, detail } = await readCopy(response);
  return code === "wrong_passwords" ? text(detail) : undefined;
}

/** Reads a copy, so that the answer itself can still be read. */
function readCopy(response: Response): Promise<Record<string, unknown>> {
  return readJson(response.clone());
}

const fetchTransport: Transport = ({ url, ...call }) =>
  fetch(url, { ...call, credentials: "include" });

function prepareCall(
  base: string,
  call: { method: Method; path: string; options: CallOptions },
): Omit<PreparedCall, "signal"> {
  const { method, path, options } = call;
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  const headers = new Headers({ accept: options.accept ?? "application/json" });
  const csrf = method === "GET" ? undefined : readCookie(CSRF_COOKIE);
  if (csrf !== undefined) headers.set(CSRF_HEADER, csrf);
  if (options.body !== undefined && !(options.body instanceof FormData))
    headers.set("content-type", "application/json");
  if (options.signatureToken !== undefined)
    headers.set(SIGNATURE_TOKEN_HEADER, options.signatureToken);
  if (options.idempotencyKey !== undefined) headers.set("idempotency-key", options.idempotencyKey);
  if (options.version !== undefined) headers.set("if-match", `"${options.version}"`);
  return { method, url: url.href, headers, body: bodyOf(options.body) };
}

function bodyOf(body: unknown): BodyInit | null {
  if (body === undefined) return null;
  return body instanceof FormData ? body : JSON.stringify(body);
}

/** A 403 is a warning, 500 and above an error (specification §8). Paths hold no personal data. */
function logRefusal(status: number, path: string): void {
  if (status === 403) console.warn(`403 ${path}`);
  if (status >= 500) console.error(`${status} ${path}`);
}
