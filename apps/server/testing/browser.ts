import type { FastifyInstance, InjectOptions } from "fastify";
import { randomBytes } from "node:crypto";
import { CSRF_SECRET_COOKIE, csrfTokenOf } from "../src/platform/http/csrf-cookies.ts";
import type { Platform } from "../src/platform/platform.ts";

export function csrfOf(platform: Pick<Platform, "secrets">): {
  readonly cookie: string;
  readonly "x-csrftoken": string;
} {
  const secret = randomBytes(32).toString("base64url");
  return {
    cookie: `${CSRF_SECRET_COOKIE}=${secret}`,
    "x-csrftoken": csrfTokenOf(platform, secret),
  };
}

export type StoredCookie = { readonly value: string; readonly line: string };

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into every kind of answer
  readonly body: any;
  readonly text: string;
  readonly bytes: Uint8Array;
};

export const refusal = ({
  status,
  body,
}: Pick<Answer, "status" | "body">): readonly [number, string] => [status, body.code];

type CallOptions = Omit<Partial<InjectOptions>, "body" | "payload"> & { readonly body?: unknown };

/** Stores cookies and sends the CSRF token, as our pages do. */
export type TestBrowser = {
  readonly cookies: Map<string, StoredCookie>;
  get(url: string, options?: CallOptions): Promise<Answer>;
  post(url: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  send(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    url: string,
    options?: CallOptions,
  ): Promise<Answer>;
};

/** Its first call fetches the CSRF cookie. */
export function openBrowser(app: FastifyInstance, defaults: { ip?: string } = {}): TestBrowser {
  const cookies = new Map<string, StoredCookie>();

  async function call(options: InjectOptions): Promise<Answer> {
    const response = await app.inject({
      remoteAddress: defaults.ip ?? "127.0.0.1",
      ...options,
      cookies: {
        ...Object.fromEntries([...cookies].map(([name, cookie]) => [name, cookie.value])),
        ...options.cookies,
      },
    });
    for (const line of [response.headers["set-cookie"] ?? []].flat()) keep(cookies, line);
    const isJson = /json/.test(String(response.headers["content-type"] ?? ""));
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson ? response.json() : null,
      text: response.body,
      bytes: response.rawPayload,
    };
  }

  async function send(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    url: string,
    { body, headers, ...options }: CallOptions = {},
  ): Promise<Answer> {
    if (!cookies.has("csrftoken")) await call({ method: "GET", url: "/api/verify-token/" });
    return call({
      method,
      url,
      ...options,
      ...(body === undefined ? {} : { payload: body as object }),
      headers: { "x-csrftoken": cookies.get("csrftoken")?.value ?? "", ...headers },
    });
  }

  return {
    cookies,
    get: (url, { body: _none, ...options } = {}) => call({ method: "GET", url, ...options }),
    post: (url, body, options = {}) => send("POST", url, { body, ...options }),
    send,
  };
}

function keep(cookies: Map<string, StoredCookie>, line: string): void {
  const [pair = "", ...flags] = line.split("; ");
  const name = pair.slice(0, pair.indexOf("="));
  const gone = flags.some(
    (flag) => /^max-age=0$/i.test(flag) || /^expires=thu, 01 jan 1970/i.test(flag),
  );
  if (gone) cookies.delete(name);
  else cookies.set(name, { value: decodeURIComponent(pair.slice(name.length + 1)), line });
}

export function multipart(
  fields: Readonly<Record<string, string>>,
  files: readonly { field: string; name: string; type: string; bytes: Uint8Array }[] = [],
) {
  const boundary = "----paraphe-test-boundary";
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(fields))
    parts.push(
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      ),
    );
  for (const file of files) {
    parts.push(
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${file.field}"; filename="${file.name}"\r\nContent-Type: ${file.type}\r\n\r\n`,
      ),
      Buffer.from(file.bytes),
      Buffer.from("\r\n"),
    );
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return {
    body: Buffer.concat(parts),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}
