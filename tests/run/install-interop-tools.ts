import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { TEST_JVM, TEST_JVM_OF_KEYCLOAK } from "../../packages/pades/interop/tool.ts";
import type { MissingTool } from "./install-test-tools.ts";
import { runCommand } from "../../scripts/run-command.ts";

/**
 * Independent validators (DSS, pyHanko), signers, linters of the API document, object stores (Moto,
 * S3Proxy) and PgBouncer, each built once in `.cache/interop/` and again when its sources change.
 */
type Validator = {
  readonly program: string;
  /** Rebuilt when one changes. */
  readonly sources: readonly string[];
  readonly needs: readonly string[];
  build(folder: string): Promise<string | null>;
};

const SOURCES = "packages/pades/interop";
const MAVEN_ENV = { MAVEN_OPTS: TEST_JVM.join(" ") };

const dss: Validator = {
  program: "DSS",
  sources: [
    "pom.xml",
    ...["Judge", "Makers", "LowagieStamper"].map((name) => `src/main/java/${name}.java`),
  ].map((path) => `${SOURCES}/dss/${path}`),
  needs: ["java", "javac", "mvn"],
  build: (folder) =>
    run(
      "mvn",
      [
        "-q",
        "-B",
        "-ntp",
        "-f",
        `${SOURCES}/dss/pom.xml`,
        `-DbuildFolder=${folder}`,
        "compile",
        "dependency:copy-dependencies",
      ],
      MAVEN_ENV,
    ),
};

/** Leaves out endesive's dependencies beyond signing. */
const pyhanko = pythonTool("pyHanko", `${SOURCES}/pyhanko/requirements.txt`, ["--no-deps"]);
const nodeMakers = nodeTool("node-makers", `${SOURCES}/node-makers`);
/** Redocly and Spectral: 174 packages that nothing else needs. */
const linters = nodeTool("API-linters", "tests/api/linters");
const schemathesis = pythonTool("Schemathesis", "tests/api/requirements.txt", ["--no-deps"]);
/** Of several hundred megabytes, only what its object store needs. */
const moto = pythonTool("Moto", "apps/server/testing/object-store/requirements.txt", ["--no-deps"]);

const S3_PROXY = "apps/server/testing/object-store/s3proxy/pom.xml";
const s3proxy: Validator = {
  program: "S3Proxy",
  sources: [S3_PROXY],
  needs: ["java", "mvn"],
  build: (folder) =>
    run(
      "mvn",
      [
        "-q",
        "-B",
        "-ntp",
        "-f",
        S3_PROXY,
        `-DbuildFolder=${folder}`,
        "dependency:copy-dependencies",
      ],
      MAVEN_ENV,
    ),
};

const KEYCLOAK = "apps/server/testing/servers/keycloak/pom.xml";
const keycloak: Validator = {
  program: "Keycloak",
  sources: [KEYCLOAK],
  needs: ["java", "mvn"],
  async build(folder) {
    const words = ["-q", "-B", "-ntp", "-f", KEYCLOAK, `-DbuildFolder=${folder}`];
    const failure = await run("mvn", [...words, "dependency:unpack"]);
    if (failure !== null) return failure;
    const [home = ""] = globSync(join(folder, "keycloak-*"));
    // Once: it takes 13 s of CPU, a start afterwards 20.
    return run(join(home, "bin", "kc.sh"), ["build", "--db=dev-mem"], {
      JAVA_OPTS_APPEND: TEST_JVM_OF_KEYCLOAK,
    });
  },
};

const POOLER = "apps/server/testing/pooler.sh";
const pgbouncer: Validator = {
  program: "PgBouncer",
  sources: [POOLER],
  needs: ["apt-get", "gcc", "make", "pkg-config"],
  build: (folder) => run("sh", [POOLER, folder]),
};

function nodeTool(program: string, source: string): Validator {
  const files = ["package.json", "package-lock.json"];
  return {
    program,
    sources: files.map((name) => `${source}/${name}`),
    needs: ["npm"],
    build(folder) {
      for (const name of files) copyFileSync(`${source}/${name}`, join(folder, name));
      return run("npm", ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"]);
    },
  };
}

function pythonTool(program: string, requirements: string, words: readonly string[]): Validator {
  const install = [
    "install",
    "-q",
    "--disable-pip-version-check",
    "--no-compile",
    ...words,
    "-r",
    requirements,
  ];
  return {
    program,
    sources: [requirements],
    needs: ["python3"],
    async build(folder) {
      // The machine's pip, where there is one, saves unpacking another.
      const isQuick =
        (await run("python3", ["-m", "venv", "--without-pip", folder])) === null &&
        (await run("python3", ["-m", "pip", "--python", `${folder}/bin/python`, ...install])) ===
          null;
      if (isQuick) return null;
      return (
        (await run("python3", ["-m", "venv", folder])) ??
        run(`${folder}/bin/python`, ["-m", "pip", ...install])
      );
    },
  };
}

/** Gives null, or a failed command's last line. */
async function run(
  command: string,
  words: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<string | null> {
  const { code, output } = await runCommand(command, words, { env: { ...process.env, ...more } });
  if (code === 0) return null;
  const said = output.split("\n").filter((line) => line.trim() !== "");
  return `${command}: ${said.find((line) => line.includes("ERROR")) ?? said.at(-1) ?? "failed"}`;
}

async function install(
  root: string,
  { program, sources, needs, build }: Validator,
): Promise<MissingTool[]> {
  const folder = join(root, ".cache/interop", program.toLowerCase());
  const stamp = join(folder, "installed");
  const made = createHash("sha256");
  for (const source of sources) made.update(readFileSync(join(root, source)));
  const digest = made.digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return [];
  const absent = needs.filter(
    (command) =>
      spawnSync(command, [command === "java" || command === "javac" ? "-version" : "--version"])
        .error,
  );
  if (absent.length > 0)
    return [
      {
        program,
        why: `${absent.join(", ")} not installed (a JDK 17 and Maven; Python 3 with venv)`,
      },
    ];
  console.log(`Installation de ${program} (une seule fois)`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const failure = await build(folder);
  if (failure) return [{ program, why: failure }];
  writeFileSync(stamp, digest);
  return [];
}

/** In parallel: each waits for its registry. Gives the missing ones with the reason. */
export async function installInteropTools(root: string): Promise<MissingTool[]> {
  return (
    await Promise.all(
      [dss, pyhanko, nodeMakers, linters, schemathesis, moto, s3proxy, keycloak, pgbouncer].map(
        (validator) => install(root, validator),
      ),
    )
  ).flat();
}

export function installPooler(root: string): Promise<MissingTool[]> {
  return install(root, pgbouncer);
}
