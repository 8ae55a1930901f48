import { TimestampUnavailableError } from "./timestamp-unavailable-error.ts";

const TIMEOUT_MS = 8_000;

export type BoundedRequest = {
  readonly url: string;
  readonly maxBytes: number;
  /** Sent by POST when there is one. */
  readonly body?: Uint8Array;
  readonly contentType?: string;
  readonly accept?: string;
};

/** Asks the operator's time-stamping authority, or its issuers' services: no redirection, a few seconds, so many bytes. Throws `TimestampUnavailableError`. */
export async function boundedFetch(request: BoundedRequest): Promise<Uint8Array> {
  try {
    const response = await fetch(request.url, {
      method: request.body === undefined ? "GET" : "POST",
      headers: {
        ...(request.contentType === undefined ? {} : { "content-type": request.contentType }),
        ...(request.accept === undefined ? {} : { accept: request.accept }),
      },
      ...(request.body === undefined ? {} : { body: Buffer.from(request.body) }),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new TimestampUnavailableError(`The time-stamping authority answered ${response.status}`);
    return await readBounded(response, request.maxBytes);
  } catch (error) {
    if (error instanceof TimestampUnavailableError) throw error;
    throw new TimestampUnavailableError("The time-stamping authority cannot be reached", { cause: error });
  }
}

async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new TimestampUnavailableError("The time-stamping authority's answer is too long");
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
