import type { PreparedCall } from "../../../lib/api-client.ts";

/** What the calls of a page that is going may weigh together is 64 KiB; the rest is room for the headers. Source: Fetch §4.6, keepalive quota. */
const KEEPALIVE_BYTES = 60_000;

/** Tells whether a body may outlive its page. */
export function fitsKeepalive(body: unknown): boolean {
  return new TextEncoder().encode(JSON.stringify(body)).length <= KEEPALIVE_BYTES;
}

/** Sends a call that the browser carries to its end even when the page is reloaded or closed meanwhile. */
export function sendKeptAlive({ url, ...call }: PreparedCall): Promise<Response> {
  return fetch(url, { ...call, credentials: "include", keepalive: true });
}
