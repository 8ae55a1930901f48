import { createServer, type IncomingMessage, request as ask, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * `down` breaks the connection; `silent` never answers; `stored, then 500` acts and denies it; `cut
 * short` ends mid-answer; `wrong bytes` changes the first byte; `full` refuses writes.
 */
type Fault = "down" | "silent" | "stored, then 500" | "cut short" | "wrong bytes" | "full";

export type FaultyProxy = {
  readonly endpoint: string;
  /** From now on, `times` calls, only of `method`, after `after` good ones; null ends it. */
  meet(
    fault: Fault | null,
    rules?: { readonly times?: number; readonly method?: string; readonly after?: number },
  ): void;
  /** The calls since the last time, without their query. */
  seen(): readonly string[];
  close(): Promise<void>;
};

/** A faulty network before a store of objects. */
export async function openFaultyProxy(target: string): Promise<FaultyProxy> {
  let current: {
    readonly fault: Fault;
    left: number;
    after: number;
    readonly method: string | undefined;
  } | null = null;
  let calls: string[] = [];
  const sockets = new Set<Socket>();
  const nextFault = (method: string | undefined): Fault | null => {
    if (current === null || (current.method !== undefined && current.method !== method))
      return null;
    if (current.after > 0) current.after -= 1;
    else if (current.left > 0) {
      current.left -= 1;
      return current.fault;
    }
    return null;
  };
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${new URL(request.url ?? "", target).pathname}`);
    void answer({ request, response, target, fault: nextFault(request.method) });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    meet(fault, { times = Number.POSITIVE_INFINITY, method, after = 0 } = {}) {
      current = fault === null ? null : { fault, left: times, after, method };
    },
    seen() {
      const since = calls;
      calls = [];
      return since;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

type Call = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
  readonly fault: Fault | null;
};

async function answer({ request, response, target, fault }: Call): Promise<void> {
  const body = await buffer(request).catch(() => Buffer.alloc(0));
  if (fault === "silent") return;
  if (fault === "down") return void request.socket.destroy();
  if (fault === "full")
    return void response
      .writeHead(507, { "content-type": "application/xml" })
      .end("<Error><Code>InsufficientStorage</Code></Error>");
  const passed = ask(
    `${target}${request.url}`,
    { method: request.method, headers: request.headers },
    async (answered) => {
      const given = await buffer(answered);
      if (fault === "stored, then 500")
        return response
          .writeHead(500, { "content-type": "application/xml" })
          .end("<Error><Code>InternalError</Code></Error>");
      if (fault === "wrong bytes" && given.length > 0) given[0] = (given[0] ?? 0) ^ 1;
      response.writeHead(answered.statusCode ?? 500, answered.headers);
      if (fault !== "cut short") return response.end(given);
      return response.write(given.subarray(0, Math.floor(given.length / 2)), () =>
        request.socket.destroy(),
      );
    },
  );
  passed.on("error", () => request.socket.destroy()).end(body);
}
