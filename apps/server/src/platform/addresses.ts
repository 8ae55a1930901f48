import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import type { Settings } from "./settings/settings.ts";

/** Loopback names of browsers (RFC 6761 §6.3, RFC 8252 §8.3). */
export const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Source: RFC 1122 §3.2.1.3, RFC 4291 §2.5.3; mapped IPv4 included. */
export function isLoopbackAddress(ip: string): boolean {
  return LOOPBACK.check(ip, isIPv6(ip) ? "ipv6" : "ipv4");
}

/** Takes a name, or an address as the address bar writes it. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  return host === "localhost" || (isIP(bare) !== 0 && isLoopbackAddress(bare));
}

/** False in production, and where others can reach the service. */
export function isOwnMachine(settings: Pick<Settings, "production" | "publicUrl">): boolean {
  return !settings.production && LOOPBACK_NAMES.includes(new URL(settings.publicUrl).hostname);
}

/** Source: IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast (RFC 5771). */
const NOT_PUBLIC_4 = listOf("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]);
/** Global unicast: RFC 4291 §2.4, IANA IPv6 Global Unicast Assignments. */
const GLOBAL_6 = listOf("ipv6", [["2000::", 3]]);
/** Teredo and other IETF assignments, documentation, 6to4. */
const NOT_PUBLIC_6 = listOf("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Not private, local, mapped or reserved (security line 60). */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !NOT_PUBLIC_4.check(ip);
  return (
    isIPv6(ip) && !ip.includes("%") && GLOBAL_6.check(ip, "ipv6") && !NOT_PUBLIC_6.check(ip, "ipv6")
  );
}

/** Says what calls to a given address may reach; loopback on a developer's machine. */
export function reachOf(
  settings: Pick<Settings, "production" | "publicUrl">,
): (ip: string) => boolean {
  return isOwnMachine(settings)
    ? (ip) => isPublicAddress(ip) || isLoopbackAddress(ip)
    : isPublicAddress;
}

function listOf(
  family: "ipv4" | "ipv6",
  ranges: readonly (readonly [network: string, prefix: number])[],
): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Gives what limits count by: the address, or the /64 of a subscriber's IPv6.
 * Source: RFC 6177 §2, RFC 4291 §2.5.4.
 */
export function networkOf(ip: string): string {
  const mapped = MAPPED.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(ip)) return ip;
  const [head = "", tail] = (ip.split("%")[0] ?? "").split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const zeros =
    tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0");
  const prefix = [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(":")}::/64`;
}

function groupsOf(part: string): readonly string[] {
  return part === "" ? [] : part.split(":");
}
