import { type ApiCallbacks, createApiClient } from "./api-client.ts";
import { readApiBase } from "./api-base.ts";

const noop = () => {};
let callbacks: ApiCallbacks = { onSessionLost: noop, onUnreachable: noop };

const base = readApiBase(import.meta.env["VITE_API_BASE"], globalThis.location.origin);

/** Why the client may not start, if it may not. */
export const startRefusal = base.ok ? undefined : base.reason;

/** The one API client of the page. */
export const api = createApiClient(base.ok ? base.base : "https://invalid.invalid", {
  onSessionLost: (reason) => callbacks.onSessionLost(reason),
  onUnreachable: () => callbacks.onUnreachable(),
});

/** Gives the whole address of a call, for what does not go through the client: a stream of events. */
export function apiUrl(path: string): string {
  return new URL(path, base.ok ? base.base : "https://invalid.invalid").href;
}

/** Says what to do when the session is lost and when no answer comes. */
export function listenToApi(listeners: Partial<ApiCallbacks>): void {
  callbacks = { ...callbacks, ...listeners };
}
