import { lookup as resolveName, type LookupAddress, type LookupOptions } from "node:dns";
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from "node:http";
import { type Agent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isLoopbackHost } from "./addresses.ts";

const TIMEOUT_MS = 5_000;
const MAXIMUM_ANSWER = 1_048_576;

const FORBIDDEN = "Cette adresse de notification n’est pas appelée.";

export class ForbiddenAddressError extends Error {
  override readonly name = "ForbiddenAddressError";
}

type GuardedRequest = {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Uint8Array;
  readonly mayReach: (ip: string) => boolean;
  /** Includes name resolution; 5 000 by default. */
  readonly timeoutMs?: number;
  /** Keeps https connections open; by default each call opens its own. */
  readonly agent?: Agent;
  /** Allows http to this machine where it may be reached: a developer's receiver. */
  readonly localHttp?: true;
  /** Cuts the answer after so many bytes; by default one over 1 MB is an error. */
  readonly cutAt?: number;
};

type GuardedAnswer = {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
};

/**
 * Calls an address that a person gave (security line 60): https, no redirection, 5 s, 1 MB; checked
 * as the connection opens, since DNS may change.
 * Errors: `ForbiddenAddressError`; otherwise the network's.
 */
export async function guardedCall(guarded: GuardedRequest): Promise<GuardedAnswer> {
  const url = new URL(guarded.url);
  const isLocal =
    guarded.localHttp === true &&
    url.protocol === "http:" &&
    isLoopbackHost(url.hostname) &&
    guarded.mayReach("127.0.0.1");
  if ((url.protocol !== "https:" && !isLocal) || url.username !== "" || url.password !== "")
    throw new ForbiddenAddressError("Only plain https addresses are called");
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !guarded.mayReach(literal)) throw new ForbiddenAddressError(FORBIDDEN);
  const signal = AbortSignal.timeout(guarded.timeoutMs ?? TIMEOUT_MS);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (isLocal ? httpRequest : httpsRequest)(
      url,
      {
        method: guarded.method,
        headers:
          guarded.method === "GET"
            ? guarded.headers
            : { ...guarded.headers, "content-length": guarded.body.length },
        agent: (isLocal ? undefined : guarded.agent) ?? false,
        lookup: checkedLookup(guarded.mayReach),
        signal,
      },
      resolve,
    );
    request.on("error", reject);
    request.end(guarded.body);
  });
  const { statusCode = 0, headers } = answer;
  return { status: statusCode, headers, text: await readBounded(answer, guarded.cutAt) };
}

export async function guardedPost(
  guarded: Omit<GuardedRequest, "method">,
): Promise<Pick<GuardedAnswer, "status" | "text">> {
  const { status, text } = await guardedCall({ ...guarded, method: "POST" });
  return { status, text };
}

export function guardedFetch(mayReach: (ip: string) => boolean) {
  return async (url: string, { method, headers, body }: FetchOptions): Promise<Response> => {
    const { status, text, ...answer } = await guardedCall({
      url,
      method: method === "POST" ? "POST" : "GET",
      headers: Object.fromEntries(new Headers(headers)),
      body: new TextEncoder().encode(body?.toString() ?? ""),
      mayReach,
    });
    const shown = Object.entries(answer.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : [],
    );
    const isEmpty = [204, 205, 304].includes(status);
    return new Response(isEmpty ? null : text, { status, headers: Object.fromEntries(shown) });
  };
}

type FetchOptions = {
  readonly method?: string | undefined;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: string | URLSearchParams | undefined;
};

function checkedLookup(mayReach: (ip: string) => boolean): LookupFunction {
  return (hostname: string, options: LookupOptions, callback): void => {
    resolveName(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, []);
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => mayReach(address)))
        return callback(new ForbiddenAddressError(FORBIDDEN), []);
      return options.all === true
        ? callback(null, addresses)
        : callback(null, first.address, first.family);
    });
  };
}

async function readBounded(answer: IncomingMessage, cutAt?: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (cutAt !== undefined && size > cutAt) {
      parts.push(part.subarray(0, part.length - (size - cutAt)));
      break;
    }
    if (size > MAXIMUM_ANSWER) {
      answer.destroy();
      throw new Error("The answer is longer than 1 MB");
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
