import { spawnSync } from "node:child_process";
import { run } from "../need-tools.ts";
import { endWithThis } from "./start-process.ts";

/** A test network in place of the examples' 10.0.0. Source: RFC 2544, annex C.2.2. */
export const NETWORK = "198.18.0.";
const BRIDGE = "paraphe0";
/** Drops packets both ways, the kernel's answers too, so that no refusal is heard. */
const SILENCE = [
  "add table inet cut",
  ...(["input iif", "output oif"] as const).flatMap((way) => {
    const [hook, device] = way.split(" ");
    return [
      `add chain inet cut ${hook} { type filter hook ${hook} priority 0 ; }`,
      `add rule inet cut ${hook} ${device} != lo drop`,
    ];
  }),
].join(" ; ");

/** A network namespace with its own address, ports and cable. */
export type Machine = {
  readonly name: string;
  readonly address: string;
  on(command: readonly string[]): readonly string[];
  /** Drops each packet silently. */
  cutOff(): void;
  joinAgain(): void;
};

const placeOf = (name: string): string => `paraphe-${name}`;

function removeIfThere(kind: "link" | "netns", name: string): void {
  spawnSync("ip", [kind, "delete", name], { stdio: "ignore" });
}

/**
 * Makes namespaces on one bridge; they end with this process. `numbers`: last byte of each address.
 */
export function openMachines(numbers: Readonly<Record<string, number>>): {
  readonly machines: readonly Machine[];
  close(): void;
} {
  const ip = (...words: readonly string[]) => run("ip", words);
  const close = () => {
    for (const place of Object.keys(numbers).map(placeOf)) {
      removeIfThere("link", place);
      removeIfThere("netns", place);
    }
    removeIfThere("link", BRIDGE);
  };
  // Left by a killed run.
  close();
  endWithThis(close);
  ip("link", "add", BRIDGE, "type", "bridge");
  ip("address", "add", `${NETWORK}1/24`, "dev", BRIDGE);
  ip("link", "set", BRIDGE, "up");
  const machines = Object.entries(numbers).map(([name, number]): Machine => {
    const address = `${NETWORK}${number}`;
    const place = placeOf(name);
    const on = (command: readonly string[]) => ["ip", "netns", "exec", place, ...command];
    const inside = (...words: readonly string[]) => ip("netns", "exec", place, ...words);
    ip("netns", "add", place);
    ip("link", "add", place, "type", "veth", "peer", "name", "eth0", "netns", place);
    ip("link", "set", place, "master", BRIDGE, "up");
    inside("ip", "link", "set", "lo", "up");
    inside("ip", "address", "add", `${address}/24`, "dev", "eth0");
    inside("ip", "link", "set", "eth0", "up");
    return {
      name,
      address,
      on,
      cutOff: () => void inside("nft", SILENCE),
      joinAgain: () => void inside("nft", "delete table inet cut"),
    };
  });
  return { machines, close };
}
