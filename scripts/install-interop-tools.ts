import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MissingTool } from "./install-test-tools.ts";

/**
 * The validators that others wrote, asked about every file we sign: the European Commission's DSS (Maven Central) and pyHanko (PyPI); other makers of signatures,
 * beside them and from npm; and the store of objects that judges what we lock in one: Moto (PyPI). Each is built once into `.cache/interop/` and again when what it is made from changes.
 */
type Validator = {
  readonly program: string;
  /** Built again when one of these changes. */
  readonly sources: readonly string[];
  readonly needs: readonly string[];
  build(folder: string): string | null;
};

const SOURCES = "packages/pades/interop";

const dss: Validator = {
  program: "DSS",
  sources: ["pom.xml", ...["Judge", "Makers", "LowagieStamper"].map((name) => `src/main/java/${name}.java`)].map(
    (path) => `${SOURCES}/dss/${path}`,
  ),
  needs: ["java", "javac", "mvn"],
  build: (folder) =>
    run("mvn", ["-q", "-B", "-ntp", "-f", `${SOURCES}/dss/pom.xml`, `-DbuildFolder=${folder}`, "compile", "dependency:copy-dependencies"]),
};

/** What endesive asks for beyond signing is left out. */
const pyhanko = pythonTool("pyHanko", `${SOURCES}/pyhanko/requirements.txt`, ["--no-deps"]);
const nodeMakers: Validator = {
  program: "node-makers",
  sources: [`${SOURCES}/node-makers/package.json`, `${SOURCES}/node-makers/package-lock.json`],
  needs: ["npm"],
  build(folder) {
    for (const name of ["package.json", "package-lock.json"]) copyFileSync(`${SOURCES}/node-makers/${name}`, join(folder, name));
    return run("npm", ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"]);
  },
};
/** Of the several hundred megabytes that it asks for to play all of a cloud, its store of objects needs what is named there. */
const moto = pythonTool("Moto", "apps/server/testing/object-store/requirements.txt", ["--no-deps"]);

function pythonTool(program: string, requirements: string, words: readonly string[]): Validator {
  return {
    program,
    sources: [requirements],
    needs: ["python3"],
    build: (folder) =>
      run("python3", ["-m", "venv", folder]) ??
      run(`${folder}/bin/python`, ["-m", "pip", "install", "-q", "--disable-pip-version-check", ...words, "-r", requirements]),
  };
}

/** Gives null, or the last thing a failed command said. */
function run(command: string, words: readonly string[]): string | null {
  const { status, stdout, stderr, error } = spawnSync(command, words, { encoding: "utf8", maxBuffer: 64 << 20 });
  if (status === 0) return null;
  const said = `${stdout ?? ""}\n${stderr ?? ""}`.split("\n").filter((line) => line.trim() !== "");
  return `${command}: ${error?.message ?? said.find((line) => line.includes("ERROR")) ?? said.at(-1) ?? "failed"}`;
}

function install(root: string, { program, sources, needs, build }: Validator): MissingTool[] {
  const folder = join(root, ".cache/interop", program.toLowerCase());
  const stamp = join(folder, "installed");
  const made = createHash("sha256");
  for (const source of sources) made.update(readFileSync(join(root, source)));
  const digest = made.digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return [];
  const absent = needs.filter(
    (command) => spawnSync(command, [command === "java" || command === "javac" ? "-version" : "--version"]).error,
  );
  if (absent.length > 0) return [{ program, why: `${absent.join(", ")} not installed (a JDK 17 and Maven; Python 3 with venv)` }];
  console.log(`Installation de ${program} (une seule fois)`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const failure = build(folder);
  if (failure) return [{ program, why: failure }];
  writeFileSync(stamp, digest);
  return [];
}

/** Makes sure of the validators; gives those that are missing, with the reason. */
export function installInteropTools(root: string): MissingTool[] {
  return [dss, pyhanko, nodeMakers, moto].flatMap((validator) => install(root, validator));
}
