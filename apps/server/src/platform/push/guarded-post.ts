import { lookup as resolveName, type LookupAddress, type LookupOptions } from "node:dns";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from "node:net";

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
  return (
    isIPv6(ip) && !ip.includes("%") && GLOBAL_6.check(ip, "ipv6") && !NOT_PUBLIC_6.check(ip, "ipv6")
  );
}

function listOf(
  family: "ipv4" | "ipv6",
  ranges: readonly (readonly [network: string, prefix: number])[],
): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}

const TIMEOUT_MS = 5_000;
const MAXIMUM_ANSWER = 1_048_576;

/** Read by the person whose browser it is: kept as the answer. */
const FORBIDDEN = "Cette adresse de notification n’est pas appelée.";

/** The address leads where this service does not go: nothing was sent. */
export class ForbiddenAddressError extends Error {
  override readonly name = "ForbiddenAddressError";
}

type GuardedRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Uint8Array;
  /** Says of a resolved address whether it may be gone to. */
  readonly mayReach: (ip: string) => boolean;
  /** Milliseconds for the whole exchange, name resolution included; 5 000 unless told. */
  readonly timeoutMs?: number;
};

type GuardedAnswer = { readonly status: number; readonly text: string };

/**
 * Posts to an address that a person gave: https only, the resolved addresses judged at the moment of the connection (so that a name cannot
 * change its mind between a check and the call), no redirection followed, 5 s, 1 MB (security line 60).
 * Errors: `ForbiddenAddressError`; otherwise whatever the network said.
 */
export async function guardedPost(guarded: GuardedRequest): Promise<GuardedAnswer> {
  const url = new URL(guarded.url);
  if (url.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw new ForbiddenAddressError("Only plain https addresses are called");
  // An address written as such is connected to without being looked up.
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !guarded.mayReach(literal)) throw new ForbiddenAddressError(FORBIDDEN);
  const signal = AbortSignal.timeout(guarded.timeoutMs ?? TIMEOUT_MS);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = httpsRequest(
      url,
      {
        method: "POST",
        headers: { ...guarded.headers, "content-length": guarded.body.length },
        agent: false,
        lookup: judgedLookup(guarded.mayReach),
        signal,
      },
      resolve,
    );
    request.on("error", reject);
    request.end(guarded.body);
  });
  return { status: answer.statusCode ?? 0, text: await readBounded(answer) };
}

/** Resolves a name, and gives its addresses only when each of them may be reached: a name of both worlds is a trap. */
function judgedLookup(mayReach: (ip: string) => boolean): LookupFunction {
  return (hostname: string, options: LookupOptions, callback): void => {
    resolveName(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, []);
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => mayReach(address)))
        return callback(new ForbiddenAddressError(FORBIDDEN), []);
      return options.all === true
        ? callback(null, addresses)
        : callback(null, first.address, first.family);
    });
  };
}

async function readBounded(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAXIMUM_ANSWER) {
      answer.destroy();
      throw new Error("The answer is longer than 1 MB");
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
