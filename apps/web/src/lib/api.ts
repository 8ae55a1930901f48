import { type ApiCallbacks, createApiClient } from "./api-client.ts";

/**
 * Gives the API base, or why the client may not start: the base must exist and use HTTPS (specification §7).
 * Without a configured base the client talks to the origin that served it.
 */
export function readApiBase(
  configured: string | undefined,
  origin: string,
): { ok: true; base: string } | { ok: false; reason: string } {
  const candidate = configured?.trim() || (origin === "null" ? "" : origin);
  if (candidate === "") return { ok: false, reason: "L’adresse du service est absente." };
  let url: URL;
  try {
    url = new URL(candidate);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    return { ok: false, reason: `L’adresse du service n’est pas valide : ${candidate}` };
  }
  if (url.protocol !== "https:")
    return {
      ok: false,
      reason: `L’adresse du service doit commencer par https:// (${candidate}).`,
    };
  return { ok: true, base: url.origin };
}

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
