import type { IncomingHttpHeaders } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { NETWORK } from "./of-this-worker.ts";

export type ApiAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
  /** JSON body, or undefined. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what the contract promises, and fails if it is not there
  readonly json: any;
};

type ApiBody = {
  readonly json?: unknown;
  readonly form?: FormData;
  readonly raw?: { readonly type: string; readonly bytes: Uint8Array };
};
type ApiOptions = ApiBody & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly csrf?: "none";
  readonly forwarded?: "none";
};

export type ApiClient = {
  readonly cookies: ReadonlyMap<string, string>;
  get(path: string, options?: ApiOptions): Promise<ApiAnswer>;
  post(path: string, options?: ApiOptions): Promise<ApiAnswer>;
  put(path: string, options?: ApiOptions): Promise<ApiAnswer>;
  patch(path: string, options?: ApiOptions): Promise<ApiAnswer>;
  delete(path: string, options?: ApiOptions): Promise<ApiAnswer>;
  close(): void;
};

async function encode(body: ApiBody): Promise<{ type: string; bytes: Uint8Array } | null> {
  if (body.raw) return body.raw;
  if (body.json !== undefined)
    return { type: "application/json", bytes: new TextEncoder().encode(JSON.stringify(body.json)) };
  if (!body.form) return null;
  const response = new Response(body.form);
  return {
    type: response.headers.get("content-type") ?? "",
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
}

function keepCookies(cookies: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [pair = "", ...attributes] = line.split(";");
    const at = pair.indexOf("=");
    const gone = attributes.some((attribute) =>
      /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute),
    );
    if (gone) cookies.delete(pair.slice(0, at));
    else cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

function readJson(type: string | undefined, bytes: Uint8Array): unknown {
  return type && /json/.test(type) ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
}

/**
 * Client with a cookie jar that returns the CSRF cookie as a script would. `token`: a guest's link,
 * without a session. The local authority's certificate is not checked.
 */
export function createApiClient(baseUrl: string, token?: string): ApiClient {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const cookies = new Map<string, string>();

  async function call(method: string, path: string, options: ApiOptions = {}): Promise<ApiAnswer> {
    const body = await encode(options);
    const csrf = cookies.get("csrftoken");
    const headers = {
      accept: "application/json",
      ...(options.forwarded === "none" ? {} : { "x-forwarded-for": NETWORK }),
      ...(cookies.size > 0
        ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }
        : {}),
      ...(csrf && method !== "GET" && options.csrf !== "none" && !token
        ? { "x-csrftoken": decodeURIComponent(csrf) }
        : {}),
      ...(token ? { "x-signature-token": token } : {}),
      ...(body
        ? { "content-type": body.type, "content-length": String(body.bytes.byteLength) }
        : {}),
      ...options.headers,
    };
    return new Promise((resolve, reject) => {
      const sent = httpsRequest(new URL(path, baseUrl), { agent, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = new Uint8Array(Buffer.concat(chunks));
          keepCookies(cookies, response.headers["set-cookie"] ?? []);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes,
            json: readJson(response.headers["content-type"], bytes),
          });
        });
      });
      sent.on("error", reject);
      sent.end(body?.bytes);
    });
  }

  return {
    cookies,
    get: (path, options) => call("GET", path, options),
    post: (path, options) => call("POST", path, options),
    put: (path, options) => call("PUT", path, options),
    patch: (path, options) => call("PATCH", path, options),
    delete: (path, options) => call("DELETE", path, options),
    close: () => agent.destroy(),
  };
}
