import type { ApiClient, CallOptions, PreparedCall } from "./api-client.ts";

type UploadOptions = CallOptions & {
  readonly body: FormData;
  /** Fraction sent, 0 to 1. */
  readonly onProgress: (fraction: number) => void;
};

/** 10 MB on a phone's network take minutes. */
const UPLOAD_TIMEOUT_MS = 300_000;

/** Calls as the client does, with progress. Errors: `ApiError`. */
export function upload<T>(
  client: ApiClient,
  call: { method: "POST" | "PATCH"; path: string },
  options: UploadOptions,
): Promise<T> {
  const { onProgress, ...rest } = options;
  const method = call.method === "POST" ? client.post<T> : client.patch<T>;
  return method(call.path, {
    timeoutMs: UPLOAD_TIMEOUT_MS,
    ...rest,
    transport: (prepared) => sendWithProgress(prepared, onProgress),
  });
}

function sendWithProgress(
  call: PreparedCall,
  onProgress: (fraction: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(call.method, call.url);
    request.withCredentials = true;
    call.headers.forEach((value, name) => request.setRequestHeader(name, value));
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    });
    request.addEventListener("load", () => {
      resolve(
        new Response(request.status === 204 ? null : request.responseText, {
          status: request.status,
          headers: responseHeaders(request),
        }),
      );
    });
    request.addEventListener("error", () => reject(new TypeError("no answer to the upload")));
    request.addEventListener("abort", () =>
      reject(call.signal.reason ?? new DOMException("aborted", "AbortError")),
    );
    call.signal.addEventListener("abort", () => request.abort(), { once: true });
    if (call.signal.aborted) {
      reject(call.signal.reason);
      return;
    }
    request.send(call.body as XMLHttpRequestBodyInit | null);
  });
}

function responseHeaders(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const name of ["content-type", "retry-after"]) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}
