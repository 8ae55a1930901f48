import { spawn } from "node:child_process";
import { createGunzip } from "node:zlib";
import { pipeline } from "node:stream/promises";
import { CommandFault } from "../command-fault.ts";
import { feed } from "./postgres-programs.ts";

/** Unpacks the folder of a database. Errors: `CommandFault` with tar's own words. */
export async function unpackBase(archive: AsyncIterable<Uint8Array>, folder: string): Promise<void> {
  await feed(
    spawn("tar", ["--extract", "--no-same-owner", "--file=-", `--directory=${folder}`], {
      stdio: ["pipe", "ignore", "pipe"],
      env: { ...process.env, LC_ALL: "C" },
    }),
    "tar",
    gunzip(archive),
  );
}

/** Reads all of it, and looks that it is the folder of a database. Errors: `CommandFault`. */
export async function checkBase(archive: AsyncIterable<Uint8Array>): Promise<void> {
  const child = spawn("tar", ["--list", "--file=-"], { stdio: ["pipe", "pipe", "pipe"] });
  const names = new Set<string>();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    const lines = `${rest}${part}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (NEEDED.includes(line)) names.add(line);
  });
  await feed(child, "tar", gunzip(archive));
  const missing = NEEDED.find((name) => !names.has(name));
  if (missing !== undefined) throw new CommandFault(`La base de cette sauvegarde est incomplète\u00a0: ${missing} y manque.`);
}

/** Without each of these PostgreSQL does not start. */
const NEEDED = ["PG_VERSION", "backup_label", "global/pg_control", "paraphe-password"];

async function* gunzip(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const opened = createGunzip();
  const filled = pipeline(archive, opened);
  // Met by whoever reads.
  filled.catch(() => {});
  yield* opened as AsyncIterable<Uint8Array>;
  await filled;
}
