import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Adds to the lock file the optional packages of other platforms, which npm omits and `npm ci` then
 * misses.
 * An entry has a version and the platforms in the package's name.
 * `integrity` is fetched from the registry for everything production installs.
 */
type Entry = {
  version?: string;
  integrity?: string;
  link?: boolean;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32", "wasm32"];
const PROCESSORS: readonly [RegExp, string][] = [
  [/arm64|aarch64/, "arm64"],
  [/arm/, "arm"],
  [/ppc64/, "ppc64"],
  [/riscv64/, "riscv64"],
  [/s390x/, "s390x"],
  [/ia32/, "ia32"],
  [/loong64/, "loong64"],
  [/x64/, "x64"],
];

const path = join(import.meta.dirname, "../package-lock.json");
const lock = JSON.parse(await readFile(path, "utf8")) as { packages: Record<string, Entry> };
const added: Record<string, Entry> = {};
for (const [parent, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (isLocked(parent, name) || added[key]) continue;
    const platform = platformOf(name);
    if (platform && /^\d/.test(version))
      added[key] = { version, ...platform, ...(entry.dev ? { dev: true } : {}), optional: true };
  }
}
const all = { ...lock.packages, ...added };
const unhashed = Object.entries(all).filter(
  ([key, { dev, link, integrity }]) =>
    key.includes("node_modules/") && !dev && !link && integrity === undefined,
);
const lacking = [...Object.keys(added), ...unhashed.map(([key]) => `the integrity of ${key}`)];
if (process.argv.includes("--check")) {
  if (lacking.length > 0)
    console.log(`package-lock.json lacks ${lacking.join(", ")}: run npm run lock:complete`);
  process.exitCode = lacking.length > 0 ? 1 : 0;
} else {
  for (const [key, entry] of unhashed)
    all[key] = { version: entry.version ?? "", integrity: integrityOf(key, entry), ...entry };
  const packages = Object.fromEntries(Object.entries(all).sort(([a], [b]) => compareNames(a, b)));
  await writeFile(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
  console.log(`${lacking.length} added`);
}

function integrityOf(key: string, { version }: Entry): string {
  const name = key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length);
  const told = execFileSync("npm", ["view", `${name}@${version}`, "dist.integrity"], {
    encoding: "utf8",
  }).trim();
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(told))
    throw new Error(`Expected the integrity of ${name}@${version}, met ${told}`);
  return told;
}

/** npm looks beside the parent, then in each folder above. */
function isLocked(parent: string, name: string): boolean {
  for (let at = parent; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1))) {
    if (lock.packages[`${at === "" ? "" : `${at}/`}node_modules/${name}`]) return true;
    if (at === "") return false;
    if (!at.includes("node_modules/")) return lock.packages[`node_modules/${name}`] !== undefined;
  }
}

function platformOf(name: string): Pick<Entry, "os" | "cpu" | "libc"> | null {
  const words = name.slice(name.lastIndexOf("/") + 1);
  const system = SYSTEMS.find((one) => words.includes(one));
  const processor = PROCESSORS.find(([pattern]) => pattern.test(words))?.[1];
  if (!system || !processor) return null;
  const libc = /musl/.test(words)
    ? ["musl"]
    : /gnu/.test(words) && system === "linux"
      ? ["glibc"]
      : null;
  return { cpu: [processor], os: [system], ...(libc ? { libc } : {}) };
}

/** npm's order: the root, then workspaces and node_modules by name. */
function compareNames(a: string, b: string): number {
  return a.localeCompare(b, "en");
}
