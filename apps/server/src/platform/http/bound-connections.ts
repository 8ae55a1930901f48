import type { Server } from "node:http";
import { BlockList, isIPv6, type Socket } from "node:net";
import type { Settings } from "../settings/settings.ts";
import { networkOf } from "../throttle/network-of.ts";

/** Connections that one network may hold open at once: an office behind one address, each browser with its six. */
export const MOST_CONNECTIONS = 256;

/** Bounds the connections that come from one network; those of a reverse proxy are everybody's, and are its own to bound. */
export function boundConnections(server: Pick<Server, "on">, { trustProxy }: Pick<Settings, "trustProxy">): void {
  const proxies = addressesOf(trustProxy);
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? "");
    if (isAmong(proxies, network, socket.remoteAddress ?? "")) return;
    const count = (open.get(network) ?? 0) + 1;
    if (count > MOST_CONNECTIONS) return socket.destroy();
    open.set(network, count);
    return socket.once("close", () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
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

/** An IPv4 address mapped into IPv6 is looked for as the former: `network` is it, bare. */
function isAmong(list: BlockList, network: string, address: string): boolean {
  const isMapped = isIPv6(address) && !network.includes(":");
  return isIPv6(address) && !isMapped ? list.check(address, "ipv6") : list.check(network, "ipv4");
}
