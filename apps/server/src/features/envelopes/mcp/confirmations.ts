import { timingSafeEqual } from "node:crypto";
import type { Platform } from "../../../platform/platform.ts";
import { announceConfirmation, MCP_CHANNEL } from "./store.ts";

const ANSWER_MS = 5 * 60_000;
const TOKEN_MS = 10 * 60_000;
const MOST_OF_ONE = 8;

export type Subject = {
  readonly keyId: string;
  readonly tool: string;
  /** All that was shown: another message, or a changed envelope, is another act. */
  readonly act: string;
};

/** For a client that cannot ask: the person reads the question, and the next call has the token. */
export function drawConfirmation(platform: Platform, subject: Subject): string {
  const until = String(platform.clock().getTime() + TOKEN_MS);
  return `${until}.${sealOf(platform, subject, until)}`;
}

export function isConfirmed(platform: Platform, subject: Subject, token: string): boolean {
  const [until = "", seal = ""] = token.split(".");
  const ours = Buffer.from(sealOf(platform, subject, until));
  const given = Buffer.from(seal);
  const isOurs = ours.length === given.length && timingSafeEqual(ours, given);
  return isOurs && Number(until) > platform.clock().getTime();
}

function sealOf({ secrets }: Platform, { keyId, tool, act }: Subject, until: string): string {
  const text = new TextEncoder().encode(JSON.stringify([keyId, tool, act, until]));
  return Buffer.from(secrets.hmac("mcp", text)).toString("base64url");
}

export type Confirmations = {
  /** Null beyond eight of one key. */
  open(
    keyId: string,
  ): { readonly id: string; readonly answer: Promise<boolean>; end(): void } | null;
  /** The client's answer, which any process may receive. */
  answer(keyId: string, id: string, isYes: boolean): Promise<void>;
  close(): Promise<void>;
};

type Waiting = { readonly keyId: string; readonly end: (isYes: boolean) => void };

/** Listens to the other processes while somebody is asked. */
export function createConfirmations(platform: Platform): Confirmations {
  const waiting = new Map<string, Waiting>();
  let listening: ReturnType<Platform["listen"]> | null = null;
  const hear = (payload: string) => {
    const [id = "", keyId, said] = payload.split(" ");
    const asked = waiting.get(id);
    if (asked !== undefined && asked.keyId === keyId) asked.end(said === "yes");
  };
  const leave = () => {
    const left = listening;
    listening = null;
    return left?.close();
  };
  return {
    open(keyId) {
      if ([...waiting.values()].filter((one) => one.keyId === keyId).length >= MOST_OF_ONE)
        return null;
      listening ??= platform.listen(MCP_CHANNEL, { onMessage: hear, onGap: () => {} });
      const id = platform.newId();
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => end(false), ANSWER_MS).unref();
      const end = (isYes: boolean) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(isYes);
        if (waiting.size === 0) void leave();
      };
      waiting.set(id, { keyId, end });
      return { id, answer: promise, end: () => end(false) };
    },
    async answer(keyId, id, isYes) {
      const payload = `${id} ${keyId} ${isYes ? "yes" : "no"}`;
      if (waiting.has(id)) hear(payload);
      else if (/^[0-9a-f-]{36}$/.test(id)) await announceConfirmation(platform.db, payload);
    },
    async close() {
      for (const { end } of waiting.values()) end(false);
      await leave();
    },
  };
}
