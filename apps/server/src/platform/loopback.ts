import { BlockList, isIP, isIPv6 } from "node:net";
import type { Settings } from "./settings/settings.ts";

/** The names that mean this machine to a browser (RFC 6761 §6.3, RFC 8252 §8.3). */
export const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Tells whether an address is of this machine (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3), a mapped IPv4 one included. */
export function isLoopbackAddress(ip: string): boolean {
  return LOOPBACK.check(ip, isIPv6(ip) ? "ipv6" : "ipv4");
}

/** Tells whether a name, or an address as an address bar has it, is this machine. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  return host === "localhost" || (isIP(bare) !== 0 && isLoopbackAddress(bare));
}

/** Tells whether this service is somebody's own, tried on their machine: its public address is no one else's, and it is not in production. */
export function isOwnMachine(settings: Pick<Settings, "production" | "publicUrl">): boolean {
  return !settings.production && LOOPBACK_NAMES.includes(new URL(settings.publicUrl).hostname);
}
