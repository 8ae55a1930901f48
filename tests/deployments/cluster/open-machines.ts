import { spawnSync } from "node:child_process";
import { run } from "../need-tools.ts";
import { endWithThis } from "./start-process.ts";

/** Where the examples have 10.0.0: a network of nobody's. Source: RFC 2544, annex C.2.2. */
export const NETWORK = "198.18.0.";
const BRIDGE = "paraphe0";
/** What comes in and what goes out is dropped, answers of the kernel too: who is outside hears nothing, not even a refusal. */
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

/** A machine of its own as the network sees it: its own address and ports, and a cable that can be pulled. */
export type Machine = {
  readonly name: string;
  readonly address: string;
  /** What has this command run there. */
  on(command: readonly string[]): readonly string[];
  /** Drops each packet without a word. */
  cutOff(): void;
  joinAgain(): void;
};

/** What its end of the cable and its network are called here. */
const placeOf = (name: string): string => `paraphe-${name}`;

function removeIfThere(kind: "link" | "netns", name: string): void {
  spawnSync("ip", [kind, "delete", name], { stdio: "ignore" });
}

/** Makes machines on one bridge, this one on it too; they end with this process. `numbers`: the last of each one's address. */
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
  // What a run that was killed left.
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
