import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../support/start-server.ts";
import { run } from "../need-tools.ts";
import { type RunningProgram, startProgram, waitUntil } from "./start-process.ts";

const FOLDER = join(import.meta.dirname, "../../../.cache/garage");
const PROGRAM = join(FOLDER, "bin/garage");
const VERSION = "2.5.0";
const NODES = 3;
export const REGION = "garage";

type StoreNode = {
  readonly name: string;
  readonly port: number;
  /** Health of the quorum. */
  readonly checkPort: number;
  start(): void;
  kill(): Promise<void>;
};

export type Garage = {
  readonly nodes: readonly StoreNode[];
  readonly key: { readonly AWS_ACCESS_KEY_ID: string; readonly AWS_SECRET_ACCESS_KEY: string };
  stop(): Promise<void>;
};

/** Builds Garage once, from crates.io. Errors: throws what is missing, or what cargo says. */
export function needGarage(): void {
  if (existsSync(PROGRAM)) return;
  if (
    !existsSync("/usr/bin/cargo") &&
    !(process.env["PATH"] ?? "").split(":").some((place) => existsSync(join(place, "cargo")))
  )
    throw new Error("Garage is built with cargo (https://rustup.rs), which is not installed");
  console.log("Installation de Garage (une seule fois, vingt minutes)");
  run("cargo", ["install", "garage", "--version", VERSION, "--locked", "--root", FOLDER]);
}

/** Starts three nodes that each store every object, with one bucket and its key. */
export async function startGarage(folder: string, bucket: string): Promise<Garage> {
  const secret = randomBytes(32).toString("hex");
  const nodes: (StoreNode & { readonly file: string })[] = [];
  for (let index = 1; index <= NODES; index += 1)
    nodes.push(await makeNode(`garage${index}`, { folder, secret }));
  for (const node of nodes) node.start();
  const on = (node: { readonly file: string }, ...words: readonly string[]) =>
    run(PROGRAM, ["-c", node.file, ...words]);
  const [first] = nodes;
  if (!first) throw new Error("Expected a node");
  for (const node of nodes)
    await waitUntil(`${node.name} answers`, async () => on(node, "status") !== "");
  const ids = nodes.map((node) => on(node, "node", "id", "-q").trim().split("\n").at(-1) ?? "");
  for (const id of ids.slice(1)) on(first, "node", "connect", id);
  for (const id of ids) on(first, "layout", "assign", "-z", "dc1", "-c", "1G", id.slice(0, 16));
  on(first, "layout", "apply", "--version", "1");
  await waitUntil(
    "the nodes agree",
    async () => (await fetch(`http://127.0.0.1:${first.checkPort}/health`)).ok,
  );
  on(first, "bucket", "create", bucket);
  const made = on(first, "key", "create", "paraphe");
  const read = (label: string) => new RegExp(`${label}:\\s+(\\S+)`).exec(made)?.[1] ?? "";
  const key = { AWS_ACCESS_KEY_ID: read("Key ID"), AWS_SECRET_ACCESS_KEY: read("Secret key") };
  on(first, "bucket", "allow", "--read", "--write", bucket, "--key", key.AWS_ACCESS_KEY_ID);
  return {
    nodes,
    key,
    stop: async () => void (await Promise.all(nodes.map((node) => node.kill()))),
  };
}

async function makeNode(
  name: string,
  { folder, secret }: { folder: string; secret: string },
): Promise<StoreNode & { readonly file: string }> {
  const own = join(folder, name);
  const [port, rpcPort, checkPort] = [
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
  ];
  mkdirSync(own);
  const file = join(folder, `${name}.toml`);
  const lines = [
    `metadata_dir = "${join(own, "meta")}"`,
    `data_dir = "${join(own, "data")}"`,
    'db_engine = "lmdb"',
    `replication_factor = ${NODES}`,
    `rpc_secret = "${secret}"`,
    `rpc_bind_addr = "127.0.0.1:${rpcPort}"`,
    `rpc_public_addr = "127.0.0.1:${rpcPort}"`,
    "[s3_api]",
    `s3_region = "${REGION}"`,
    `api_bind_addr = "127.0.0.1:${port}"`,
    "[admin]",
    `api_bind_addr = "127.0.0.1:${checkPort}"`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
  let running: RunningProgram | null = null;
  return {
    name,
    port,
    checkPort,
    file,
    start: () =>
      void (running = startProgram({
        name,
        folder,
        command: [PROGRAM, "-c", file, "server"],
        env: { RUST_LOG: "garage=warn" },
      })),
    kill: async () => running?.kill(),
  };
}
