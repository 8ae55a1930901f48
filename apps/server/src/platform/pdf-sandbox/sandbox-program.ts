import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { SandboxAwayError } from "./pdf-sandbox.ts";

const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));
const PROGRAMS = join(ROOT, ".cache/sandbox");

/** Includes dependencies; not the root, where `./data` has `MASTER_KEY` and files. */
export const FOLDERS: readonly string[] = [
  "",
  "apps/server",
  ...readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}`),
]
  .flatMap((workspace) => [
    join(ROOT, workspace, "node_modules"),
    ...(workspace === "" ? [] : [join(ROOT, workspace, "src")]),
  ])
  .filter(existsSync)
  .map((folder) => realpathSync(folder))
  .concat(PROGRAMS);

const MANIFESTS: readonly string[] = [
  ...new Set(FOLDERS.map((folder) => relative(ROOT, dirname(folder)))),
]
  .map((workspace) => join(ROOT, workspace, "package.json"))
  .filter(existsSync);

/** Includes the packages' fonts, WebAssembly and native code; not our sources. */
export function readableByChildren(program: string): readonly string[] {
  const packages = FOLDERS.filter((folder) => basename(folder) === "node_modules");
  return [...[...packages, program].map((folder) => join(folder, "*")), ...MANIFESTS];
}

export const TASKS = {
  pdf: new URL("./tasks.ts", import.meta.url),
  images: new URL("../images/image-tasks.ts", import.meta.url),
} as const;

const CHILD = "sandbox-child";
const INPUTS = "inputs.json";
/** Other processes of this folder may start children of an older program. */
const KEPT_MS = 7 * 86_400_000;

const found = new Map<string, Promise<string>>();

/**
 * Puts the tasks into few scripts with compiled code, made anew from changed sources. A child
 * cannot write there (ADR 0040).
 * Errors: `SandboxAwayError`.
 */
export async function sandboxProgram(tasksModule: URL): Promise<string> {
  const { href } = tasksModule;
  const program = found.get(href) ?? findOrMake(tasksModule);
  found.set(href, program);
  const forget = () => found.get(href) === program && found.delete(href);
  program.catch(forget);
  const child = join(await program, `${CHILD}.mjs`);
  if (existsSync(child)) return child;
  forget();
  return sandboxProgram(tasksModule);
}

async function findOrMake(tasksModule: URL): Promise<string> {
  const place = join(PROGRAMS, basename(tasksModule.pathname, ".ts"));
  const inputs = join(place, INPUTS);
  if (existsSync(inputs)) {
    const paths = JSON.parse(readFileSync(inputs, "utf8")) as readonly string[];
    const made = join(place, fingerprint(new Map(paths.map(read))));
    if (existsSync(made)) return made;
  }
  return make(tasksModule, place);
}

type Inputs = ReadonlyMap<string, string | Uint8Array>;

const read = (path: string) => [path, existsSync(path) ? readFileSync(path) : "absent"] as const;

/** Hashes contents, as a copied tree has other times. */
function fingerprint(inputs: Inputs): string {
  const hash = createHash("sha256").update([process.version, process.arch, ROOT].join("\0"));
  for (const [path, contents] of inputs) hash.update(`\0${path}\0`).update(contents);
  return hash.digest("hex").slice(0, 32);
}

async function make(tasksModule: URL, place: string): Promise<string> {
  const draft = join(place, `draft-${process.pid}`);
  try {
    await mkdir(draft, { recursive: true });
    const inputs = await bundle(fileURLToPath(tasksModule), draft);
    await promisify(execFile)(process.execPath, [join(draft, `${CHILD}.mjs`)], { env: {} });
    const program = join(place, fingerprint(inputs));
    const list = join(draft, INPUTS);
    await writeFile(list, JSON.stringify([...inputs.keys()]));
    await copyFile(list, `${program}.json`);
    await rename(`${program}.json`, join(place, INPUTS));
    await rename(draft, program).catch((error: unknown) => {
      if (!existsSync(program)) throw error;
    });
    await removeOld(place);
    return program;
  } catch (cause) {
    throw new SandboxAwayError("The PDF sandbox's program is not made: see npm run prestart", {
      cause,
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Gives the files they come from, as read. */
async function bundle(tasksModule: string, folder: string): Promise<Inputs> {
  const { rolldown } = await import("rolldown");
  const inputs = new Map<string, string | Uint8Array>(
    [fileURLToPath(import.meta.url), join(ROOT, "package-lock.json"), ...MANIFESTS].map(read),
  );
  const common = { platform: "node", logLevel: "silent", tsconfig: false } as const;
  const record = {
    name: "record",
    transform(code: string, id: string) {
      if (isAbsolute(id)) inputs.set(id, code);
      return id.includes(CHILD)
        ? null
        : code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href));
    },
  };
  const child = await rolldown({
    ...common,
    input: fileURLToPath(new URL(`./${CHILD}.ts`, import.meta.url)),
    plugins: [record],
  });
  await child.write({ file: join(folder, `${CHILD}.mjs`), format: "esm" });
  const tasks = await rolldown({
    ...common,
    input: { tasks: tasksModule },
    external: /^@napi-rs\//,
    plugins: [record],
  });
  const { output } = await tasks.generate({
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
  });
  for (const file of output)
    if (file.type === "chunk") await writeFile(join(folder, file.fileName), asScript(file.code));
  await child.close();
  await tasks.close();
  return inputs;
}

/** Defines CommonJS' names, is strict as ESM, and is ASCII for V8. */
function asScript(code: string): string {
  const ascii = code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `(function (exports, require, module, __filename, __dirname) {"use strict";${ascii}\n})`;
}

async function removeOld(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const path = join(place, name);
    if (Date.now() - (await stat(path)).mtimeMs > KEPT_MS)
      await rm(path, { recursive: true, force: true });
  }
}

if (import.meta.main) for (const tasks of Object.values(TASKS)) await sandboxProgram(tasks);
