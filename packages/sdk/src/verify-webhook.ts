import type { WebhookEvent } from "./api.generated.ts";

const encoder = new TextEncoder();
const TOLERANCE_S = 300;

/** The message is not the service's, or is too old. Answer 401. */
export class WebhookSignatureError extends Error {
  override readonly name = "WebhookSignatureError";
}

type HeaderBag =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type WebhookMessage = {
  /** As received, before any JSON parser. */
  readonly body: string | Uint8Array;
  readonly headers: HeaderBag;
  /** `whsec_…` (two while one replaces the other) or `whpk_…`. */
  readonly secrets: string | readonly string[];
  readonly toleranceS?: number;
  readonly now?: Date;
};

/**
 * Gives the event that the service signed. Compare `webhook-id`: each comes at least once.
 * Errors: `WebhookSignatureError`.
 * Source: Standard Webhooks 1.0.0, "Signature scheme": `v1` HMAC-SHA-256, `v1a` Ed25519.
 */
export async function verifyWebhook(message: WebhookMessage): Promise<WebhookEvent> {
  const { headers, toleranceS = TOLERANCE_S, now = new Date() } = message;
  const body =
    typeof message.body === "string" ? message.body : new TextDecoder().decode(message.body);
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  if (!/^\d{1,12}$/.test(timestamp)) refuse("webhook-timestamp is no number of seconds");
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > toleranceS)
    refuse(`webhook-timestamp is more than ${toleranceS} s away: compare this machine's clock`);
  const signatures = headerOf(headers, "webhook-signature").split(" ");
  const signed = encoder.encode(`${id}.${timestamp}.${body}`);
  const secrets = typeof message.secrets === "string" ? [message.secrets] : message.secrets;
  for (const key of await Promise.all(secrets.map(readKey)))
    for (const signature of signatures) if (await isBy(key, signature, signed)) return parse(body);
  return refuse("no signature is by this secret: compare it, and give the body as it was received");
}

function refuse(why: string): never {
  throw new WebhookSignatureError(why);
}

function headerOf(headers: HeaderBag, name: string): string {
  const isBag = typeof (headers as Headers).get === "function";
  const value = isBag
    ? (headers as Headers).get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === "string" && value !== ""
    ? value
    : refuse(`the header ${name} is missing`);
}

type Key = { readonly version: "v1" | "v1a"; readonly key: CryptoKey };

async function readKey(secret: string): Promise<Key> {
  const [, kind, text = ""] = /^(whsec|whpk)_([\w+/=-]+)$/.exec(secret) ?? [];
  const bytes = bytesOf(text);
  if (kind === "whsec") {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
    return { version: "v1", key };
  }
  if (kind !== "whpk") throw new TypeError("A webhook's secret begins with whsec_ or whpk_");
  const key = await crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
  return { version: "v1a", key };
}

async function isBy(
  { version, key }: Key,
  signature: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const [name, text = ""] = signature.split(",");
  if (name !== version || !/^[\w+/]+=*$/.test(text)) return false;
  return crypto.subtle.verify(key.algorithm.name, key, bytesOf(text), signed);
}

export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** A signed body is the service's own JSON. */
const parse = (body: string): WebhookEvent => JSON.parse(body) as WebhookEvent;
