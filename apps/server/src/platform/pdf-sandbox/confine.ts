import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PRLIMIT = "/usr/bin/prlimit";
const UNSHARE = "/usr/bin/unshare";
/** Root may make a network namespace; others in a user namespace, where the system lets them. */
const WITHOUT_NETWORK: readonly (readonly string[])[] = [
  ["--net"],
  ["--user", "--map-current-user", "--net"],
  ["--user", "--map-root-user", "--net"],
];

/** Says whether the kernel can hold children to their memory: without it, V8's heap alone is bounded. */
export function hasMemoryLimit(prlimit: string = PRLIMIT): boolean {
  return process.platform === "linux" && existsSync(prlimit);
}

/** Gives the command that starts another one in a network of its own, where nothing is; null where the system has none. Source: network_namespaces(7). */
export function networkTaker(unshare: string = UNSHARE): readonly string[] | null {
  if (process.platform !== "linux" || !existsSync(unshare)) return null;
  const words = WITHOUT_NETWORK.find((flags) => spawnSync(unshare, [...flags, "--", "/bin/true"]).status === 0);
  return words ? [unshare, ...words, "--"] : null;
}

let taker: readonly string[] | null | undefined;

/** Says whether children are kept from the network; asked of the system once. */
export function hasNoNetwork(): boolean {
  if (taker === undefined) taker = networkTaker();
  return taker !== null;
}

/** Gives the command of a child, confined as far as this system can: each word before it hands over to the next, so that the process stays one. */
export function confined(command: readonly string[], { memoryMb }: { readonly memoryMb: number }): readonly string[] {
  const network = hasNoNetwork() ? (taker ?? []) : [];
  const memory = hasMemoryLimit() ? [PRLIMIT, `--data=${memoryMb * 1024 * 1024}`, "--core=0", "--nofile=256", "--"] : [];
  return [...network, ...memory, ...command];
}
