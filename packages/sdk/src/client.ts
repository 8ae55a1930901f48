import {
  CALLS,
  type CallRule,
  type DownloadAnswer,
  type FileContent,
  type Operations,
  type Problem,
  type ProblemCode,
} from "./api.generated.ts";
import { bytesOf } from "./verify-webhook.ts";

/** A refusal (RFC 9457): `code` is for programs, the message is a French sentence. */
export class ParapheError extends Error {
  override readonly name = "ParapheError";
  readonly status: number;
  readonly code: ProblemCode | (string & {});
  /** Messages by field (`recipients.0.email`). */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string;
  /** Further members depend on the code. */
  readonly problem: Problem & Readonly<Record<string, unknown>>;
  readonly retryAfterS: number | null;

  constructor(problem: ParapheError["problem"], retryAfterS: number | null = null) {
    const fields = Object.entries(problem.errors ?? {}).map(([name, all]) => `${name}: ${all[0]}`);
    super([problem.detail, ...fields].join(" "));
    this.status = problem.status;
    this.code = problem.code;
    this.errors = problem.errors ?? {};
    this.requestId = problem.request_id;
    this.problem = problem;
    this.retryAfterS = retryAfterS;
  }
}

/** No answer of the service, after every try. */
export class ParapheConnectionError extends Error {
  override readonly name = "ParapheConnectionError";
}

export type ParapheOptions = {
  /** `https://paraphe.example`, without a path. */
  readonly url: string;
  /** `pk_live_…`; the public log needs none. */
  readonly key?: string;
  /** Tries after the first: 3 by default. */
  readonly retries?: number;
  /** Of one try: 60 000 by default. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
};

export type CallOptions = {
  /** Drawn by the client for each `POST`, the same at each try. */
  readonly idempotencyKey?: string;
  /** The envelope's `version` that was read; 409 `version_conflict` when it has changed. */
  readonly ifMatch?: number;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
};

type Name = keyof Operations;
type Input<N extends Name> = Operations[N]["input"];
type Output<N extends Name> = Operations[N]["output"];
type Words<I> = {} extends I
  ? [input?: I, options?: CallOptions]
  : [input: I, options?: CallOptions];
type Calls = {
  readonly [N in Name]: (...words: Words<Input<N>>) => Promise<Output<N>>;
};
type Paged = { [N in Name]: Operations[N] extends { readonly row: unknown } ? N : never }[Name];
type Row<N extends Paged> = Operations[N] extends { readonly row: infer R } ? R : never;
type Lists = {
  readonly [N in Paged]: (...words: Words<Omit<Input<N>, "page">>) => AsyncGenerator<Row<N>>;
};

export type DownloadedFile = {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

export type Paraphe = Calls & {
  readonly all: Lists;
  /**
   * The signed PDF, or a zip of several; one of them by `document`. 409 `not_completed` before all
   * have signed, unless `current`: the file as it is.
   */
  download(
    asked: { readonly id: string; readonly document?: string; readonly current?: true },
    options?: CallOptions,
  ): Promise<DownloadedFile>;
};

/** A typed method for each call that a key may make, by its operation's name. */
export function createParaphe(options: ParapheOptions): Paraphe {
  const caller = createCaller(options);
  const names = Object.keys(CALLS) as Name[];
  const calls = Object.fromEntries(
    names.map((name) => [
      name,
      (input: Given = {}, more: CallOptions = {}) => caller.call(CALLS[name], input, more),
    ]),
  );
  const lists = Object.fromEntries(
    names.map((name) => [
      name,
      (input: Given = {}, more: CallOptions = {}) => rowsOf(caller, CALLS[name], { input, more }),
    ]),
  );
  return {
    ...(calls as unknown as Calls),
    all: lists as unknown as Lists,
    async download(asked, more = {}) {
      const rule = CALLS.getEnvelopeDownload;
      const { download_url, file_name } = (await caller.call(rule, asked, more)) as DownloadAnswer;
      const answer = await caller.fetch(download_url, more);
      const type = answer.headers.get("content-type") ?? "";
      return { name: file_name, type, bytes: new Uint8Array(await answer.arrayBuffer()) };
    },
  };
}

type Given = Readonly<Record<string, unknown>>;

async function* rowsOf(
  caller: Caller,
  rule: CallRule,
  { input, more }: { readonly input: Given; readonly more: CallOptions },
): AsyncGenerator<unknown> {
  for (let page = 1, seen = 0; ; page += 1) {
    const answer = (await caller.call(rule, { page_size: 100, ...input, page }, more)) as {
      readonly count: number;
      readonly count_capped?: boolean;
      readonly results: readonly unknown[];
    };
    yield* answer.results;
    seen += answer.results.length;
    const isWhole = seen >= answer.count && answer.count_capped !== true;
    if (isWhole || answer.results.length === 0) return;
  }
}

type Caller = {
  call(rule: CallRule, input: Given, options: CallOptions): Promise<unknown>;
  /** An address that the service gave: it has a token of its own, and needs no key. */
  fetch(path: string, options: CallOptions): Promise<Response>;
};

function createCaller({
  url,
  key,
  retries = 3,
  timeoutMs = 60_000,
  ...rest
}: ParapheOptions): Caller {
  const origin = new URL(url);
  const given = rest.fetch ?? fetch;
  const attempt = async (path: string, request: RequestInit, options: CallOptions) => {
    const limit = AbortSignal.timeout(options.timeoutMs ?? timeoutMs);
    const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]);
    // No cookie: a session of the same browser has nothing to do here.
    return given(new URL(path, origin), { ...request, signal, credentials: "omit" });
  };
  const send = (path: string, request: RequestInit, options: CallOptions) =>
    retry(() => attempt(path, request, options), { request, retries, signal: options.signal });
  return {
    async call(rule, input, options) {
      const { path, body } = await encode(rule, input);
      const headers: Record<string, string> = {
        accept: rule.isFile ? "*/*" : "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === null
          ? {}
          : { "content-type": typeof body === "string" ? "application/json" : "application/pdf" }),
        ...(rule.method === "POST"
          ? { "idempotency-key": options.idempotencyKey ?? crypto.randomUUID() }
          : {}),
        ...(options.ifMatch === undefined ? {} : { "if-match": `"${options.ifMatch}"` }),
      };
      const request = { method: rule.method, headers, ...(body === null ? {} : { body }) };
      const answer = await send(path, request, options);
      if (rule.isFile) return answer;
      return answer.status === 204 ? undefined : readJson(answer);
    },
    fetch: (path, options) => send(path, { method: "GET" }, options),
  };
}

/** Answers that a later try may change. */
const TRY_AGAIN = new Set([429, 502, 503, 504]);
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

type Retrying = {
  readonly request: RequestInit;
  readonly retries: number;
  readonly signal: AbortSignal | undefined;
};

/**
 * Errors: `ParapheError` for a refusal, `ParapheConnectionError` without an answer. A `PATCH` whose
 * answer was lost is not repeated: it may have been done.
 */
async function retry(
  attempt: () => Promise<Response>,
  { request, retries, signal }: Retrying,
): Promise<Response> {
  for (let tried = 0; ; tried += 1) {
    const answer = await attempt().catch((error: unknown) => {
      if (signal?.aborted || tried >= retries || request.method === "PATCH")
        throw signal?.aborted ? error : unreachable(error);
      return null;
    });
    if (answer?.ok) return answer;
    const retryAfterS = answer === null ? null : waitOf(answer);
    const isFinal = answer !== null && (tried >= retries || !TRY_AGAIN.has(answer.status));
    const tooLong = retryAfterS !== null && retryAfterS * 1_000 > LONGEST_WAIT_MS;
    if (answer !== null && (isFinal || tooLong)) throw await refusalOf(answer, retryAfterS);
    await answer?.body?.cancel();
    const backOff = Math.min(FIRST_WAIT_MS * 2 ** tried, LONGEST_WAIT_MS) * (0.5 + Math.random());
    await pause(retryAfterS === null ? backOff : retryAfterS * 1_000, signal);
  }
}

/** A proxy or a portal may answer in the service's place. */
async function readJson(answer: Response): Promise<unknown> {
  const text = await answer.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    const type = answer.headers.get("content-type") ?? "no type";
    throw new ParapheConnectionError(`Expected JSON of the service, got ${type}`, { cause });
  }
}

function unreachable(cause: unknown): Error {
  const { message, cause: under } = cause as { message?: string; cause?: { message?: string } };
  const why = under?.message ?? message ?? String(cause);
  return new ParapheConnectionError(`The service did not answer: ${why}`, { cause });
}

/** In seconds, or an HTTP date (RFC 9110 §10.2.3). */
function waitOf({ headers }: Response): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

async function refusalOf(answer: Response, retryAfterS: number | null): Promise<ParapheError> {
  const text = await answer.text();
  const isProblem = /json/.test(answer.headers.get("content-type") ?? "");
  const problem = isProblem ? (JSON.parse(text) as ParapheError["problem"]) : null;
  if (problem !== null && typeof problem.code === "string")
    return new ParapheError(problem, retryAfterS);
  const detail = `Expected an answer of the service, met ${answer.status}: ${text.slice(0, 200)}`;
  const { status } = answer;
  const made = { type: "about:blank", title: "", code: "no_problem", request_id: "" };
  return new ParapheError({ ...made, status, detail }, retryAfterS);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Members of the path and of the query; what is left is the body. */
async function encode(
  { path, query, hasBody, takesFile }: CallRule,
  input: Given,
): Promise<{ readonly path: string; readonly body: string | Blob | null }> {
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (name: string): string | undefined => {
    const value = left.get(name);
    left.delete(name);
    if (value === undefined || value === null) return undefined;
    return typeof value === "string" ? value : JSON.stringify(value);
  };
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = take(name);
    if (value === undefined || value === "") throw new TypeError(`${name} is missing`);
    return encodeURIComponent(value);
  });
  const asked = new URLSearchParams();
  for (const name of query) {
    const value = take(name);
    if (value !== undefined) asked.set(name, value);
  }
  const search = asked.size > 0 ? `?${asked}` : "";
  if (takesFile === true) {
    const file = left.get("file") as FileContent | undefined;
    if (file === undefined) throw new TypeError("file is missing");
    const content = typeof file === "string" ? bytesOf(file) : file;
    const body = content instanceof Blob ? content : new Blob([new Uint8Array(content)]);
    return { path: place + search, body };
  }
  if (!hasBody && left.size > 0)
    throw new TypeError(`This call takes no ${[...left.keys()].join(", ")}`);
  const body = hasBody ? JSON.stringify(await withFiles(Object.fromEntries(left))) : null;
  return { path: place + search, body };
}

async function withFiles(value: unknown): Promise<unknown> {
  if (value instanceof Blob) return toBase64(new Uint8Array(await value.arrayBuffer()));
  if (value instanceof Uint8Array) return toBase64(value);
  if (Array.isArray(value)) return Promise.all(value.map(withFiles));
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  const members = Object.entries(value).map(async ([name, one]) => [name, await withFiles(one)]);
  return Object.fromEntries(await Promise.all(members)) as unknown;
}

/** A call takes so many arguments at most. */
const CHUNK = 8_192;

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}
