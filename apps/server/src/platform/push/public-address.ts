import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Addresses that are not of the public Internet. Source: IANA IPv4 Special-Purpose Address Registry (RFC 6890), and multicast (RFC 5771). */
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
/** All that is public today: global unicast (RFC 4291 §2.4, IANA IPv6 Global Unicast Address Assignments)… */
const GLOBAL_6 = listOf("ipv6", [["2000::", 3]]);
/** …but for what stands for another address, or for none: Teredo and other assignments of the IETF, 6to4, documentation. */
const NOT_PUBLIC_6 = listOf("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Tells whether an address is of the public Internet: no private, local, mapped or reserved one is (security line 60). */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !NOT_PUBLIC_4.check(ip);
  return isIPv6(ip) && !ip.includes("%") && GLOBAL_6.check(ip, "ipv6") && !NOT_PUBLIC_6.check(ip, "ipv6");
}

function listOf(family: "ipv4" | "ipv6", ranges: readonly (readonly [network: string, prefix: number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}
