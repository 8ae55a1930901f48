import { type ApiCallbacks, createApiClient } from "./api-client.ts";

/** API base, or why the client may not start: HTTPS is required (specification §7). */
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

export const startRefusal = base.ok ? undefined : base.reason;

export const api = createApiClient(base.ok ? base.base : "https://invalid.invalid", {
  onSessionLost: (reason) => callbacks.onSessionLost(reason),
  onUnreachable: () => callbacks.onUnreachable(),
});

/** For streams of events, which do not go through the client. */
export function apiUrl(path: string): string {
  return new URL(path, base.ok ? base.base : "https://invalid.invalid").href;
}

export function listenToApi(listeners: Partial<ApiCallbacks>): void {
  callbacks = { ...callbacks, ...listeners };
}
