import type { IncomingMessage, Server } from "node:http";
import { constants, type Http2ServerRequest } from "node:http2";
import { BlockList, isIPv6, type Socket } from "node:net";
import { networkOf } from "../addresses.ts";
import type { Platform } from "../platform.ts";
import { createMinuteCounter } from "../throttle/throttle.ts";

/** Per network: an office behind one address, six per browser. */
const MOST_CONNECTIONS = 256;
/** Per network: an office that uploads together. */
export const MOST_BODIES = 200;
/** Log lines a minute, of all networks. */
const MOST_LINES = 20;

/**
 * Cuts a network's connections or bodies beyond the limit (HTTP/2: ENHANCE_YOUR_CALM, RFC 9113 §7).
 * A reverse proxy of `TRUST_PROXY` bounds its own; an unnamed one passes for one visitor, hence the
 * log lines.
 */
export function boundConnections(
  server: Pick<Server, "on">,
  platform: Pick<Platform, "settings" | "log" | "clock">,
): void {
  const proxies = addressesOf(platform.settings.trustProxy);
  const noteCut = createCutLines(platform);
  const connections = createCount(MOST_CONNECTIONS);
  const bodies = createCount(MOST_BODIES);
  const networkOfVisitor = ({
    remoteAddress = "",
  }: Pick<Socket, "remoteAddress">): string | null => {
    const network = networkOf(remoteAddress);
    return isAmong(proxies, network, remoteAddress) ? null : network;
  };
  server.on("connection", (socket: Socket) => {
    const network = networkOfVisitor(socket);
    if (network === null) return;
    if (!connections.add(network)) {
      noteCut(network, "connections", MOST_CONNECTIONS);
      return socket.destroy();
    }
    return socket.once("close", () => connections.remove(network));
  });
  server.on("request", (request: IncomingMessage | Http2ServerRequest) => {
    const network = hasBody(request) ? networkOfVisitor(request.socket) : null;
    if (network === null) return;
    if (!bodies.add(network)) {
      noteCut(network, "bodies", MOST_BODIES);
      return hangUp(request);
    }
    let isCounted = true;
    const forget = () => {
      if (isCounted) bodies.remove(network);
      isCounted = false;
    };
    request.once("end", forget).once("close", forget);
  });
}

function createCutLines({ log, clock }: Pick<Platform, "log" | "clock">) {
  const ofOne = createMinuteCounter(1);
  const ofAll = createMinuteCounter(MOST_LINES);
  return (network: string, what: "connections" | "bodies", most: number): void => {
    const now = clock();
    if (!ofOne.hit(network, now).allowed || !ofAll.hit("all", now).allowed) return;
    log.warn(
      { ip: network, what, most },
      "connections cut: this network holds too many; a reverse proxy is to be named in TRUST_PROXY",
    );
  };
}

/** `add` is false, and counts nothing, beyond `most`. */
function createCount(most: number): {
  add(network: string): boolean;
  remove(network: string): void;
} {
  const held = new Map<string, number>();
  return {
    add(network) {
      const count = (held.get(network) ?? 0) + 1;
      if (count > most) return false;
      held.set(network, count);
      return true;
    },
    remove(network) {
      const left = (held.get(network) ?? 1) - 1;
      if (left === 0) held.delete(network);
      else held.set(network, left);
    },
  };
}

/** Source: RFC 9112 §6.3; RFC 9113 §8.1, END_STREAM. */
function hasBody(request: IncomingMessage | Http2ServerRequest): boolean {
  if ("stream" in request) return !request.stream.endAfterHeaders;
  return (
    request.headers["transfer-encoding"] !== undefined ||
    Number(request.headers["content-length"] ?? 0) > 0
  );
}

function hangUp(request: IncomingMessage | Http2ServerRequest): void {
  if (!("stream" in request)) return void request.socket.destroy();
  const { session } = request.stream;
  session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  return session?.destroy();
}

function addressesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** A mapped IPv4 address is looked up as the IPv4 in `network`. */
function isAmong(list: BlockList, network: string, address: string): boolean {
  const isMapped = isIPv6(address) && !network.includes(":");
  return isIPv6(address) && !isMapped ? list.check(address, "ipv6") : list.check(network, "ipv4");
}
