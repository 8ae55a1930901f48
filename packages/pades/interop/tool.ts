import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function missingTool(name: string): string | false {
  const found =
    spawnSync(name, [
      name === "pdfsig" || name === "pdftoppm"
        ? "-v"
        : name === "openssl"
          ? "version"
          : "--version",
    ]).error === undefined;
  if (found) return false;
  if (process.env.CI) throw new Error(`${name} is not installed, and CI is set`);
  return `${name} is not installed`;
}

/** Starts fast: no second compiler, parallel collector or class verification. */
export const TEST_JVM = [
  "-XX:+UseSerialGC",
  "-XX:TieredStopAtLevel=1",
  "-XX:+UnlockDiagnosticVMOptions",
  "-XX:-BytecodeVerificationRemote",
] as const;
/** Keycloak's script names a garbage collector itself. */
export const TEST_JVM_OF_KEYCLOAK = TEST_JVM.filter((word) => !word.endsWith("GC")).join(" ");

export type Folder = {
  readonly path: string;
  write(name: string, bytes: Uint8Array | string): string;
  remove(): void;
};

export function temporaryFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "pades-interop-"));
  return {
    path,
    write(name, bytes) {
      const file = join(path, name);
      writeFileSync(file, bytes);
      return file;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export function run(
  program: string,
  args: readonly string[],
): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  return { code: status, output: `${stdout}${stderr}` };
}

/** Runs a tool while the validators go on. */
export function runAside(
  program: string,
  words: readonly string[],
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
    // Interleaved, stderr would cut through the lines of stdout.
    const [said, complained]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => said.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => complained.push(chunk));
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ code, output: Buffer.concat([...said, ...complained]).toString("utf8") }),
    );
  });
}

export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
