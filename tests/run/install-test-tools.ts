import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runCommand } from "../../scripts/run-command.ts";

/** A program or file, its Debian package, and alternatives. */
type Tool = { readonly program: string; readonly debian: string; readonly instead?: string };
const TOOLS: readonly Tool[] = [
  { program: "chromium", debian: "chromium" },
  { program: "chromium-headless-shell", debian: "chromium-headless-shell", instead: "chromium" },
  { program: "pdfsig", debian: "poppler-utils" },
  { program: "qpdf", debian: "qpdf" },
  { program: "openssl", debian: "openssl" },
  // For the examples of docs/programs.
  { program: "curl", debian: "curl" },
  { program: "python3", debian: "python3" },
  { program: "php", debian: "php-cli" },
  { program: "softhsm2-util", debian: "softhsm2" },
  { program: "/usr/lib/postgresql/15/bin/postgres", debian: "postgresql-15" },
  // For PgBouncer.
  { program: "/usr/include/event.h", debian: "libevent-dev" },
  { program: "/usr/include/openssl/ssl.h", debian: "libssl-dev" },
];

export type MissingTool = { readonly program: string; readonly why: string };

function isInstalled(program: string): boolean {
  if (program.startsWith("/")) return existsSync(program);
  return (process.env.PATH ?? "")
    .split(delimiter)
    .some((folder) => folder !== "" && existsSync(join(folder, program)));
}

async function install(packages: readonly string[]): Promise<string | null> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const run = async (words: readonly string[]) =>
    (await runCommand("apt-get", words, { env })).code === 0;
  const isInstalledNow = () =>
    run(["install", "-y", "-qq", "--no-install-recommends", ...packages]);
  console.log(`Installation des outils de test : ${packages.join(", ")}`);
  if ((await isInstalledNow()) || ((await run(["update", "-qq"])) && (await isInstalledNow())))
    return null;
  return "apt-get could not install it";
}

/**
 * npm omits the optional `pkcs11js` where Node's headers cannot be downloaded. The system's serve:
 * it uses Node-API alone, which is stable.
 */
async function compileHsmClient({ mayInstall }: { mayInstall: boolean }): Promise<void> {
  const absent = ["g++", "make", "python3"].filter((program) => !isInstalled(program));
  const packages = existsSync("/usr/include/node/node_api.h") ? absent : ["libnode-dev", ...absent];
  if (packages.length > 0 && (!mayInstall || (await install(packages)) !== null)) return;
  const { optionalDependencies } = JSON.parse(readFileSync("apps/server/package.json", "utf8"));
  const wanted = `pkcs11js@${optionalDependencies.pkcs11js}`;
  const env = { ...process.env, npm_config_nodedir: "/usr" };
  await runCommand(
    "npm",
    ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", wanted],
    { env, echo: true },
  );
  await runCommand("npm", ["rebuild", "pkcs11js"], { env, echo: true });
}

/** Installs missing programs as root with apt-get; gives those still missing, with the reason. */
export async function installTestTools(): Promise<MissingTool[]> {
  const missing = TOOLS.filter(({ program }) => !isInstalled(program));
  const may = process.getuid?.() === 0 && isInstalled("apt-get");
  if (!existsSync("node_modules/pkcs11js/build/Release/pkcs11.node"))
    await compileHsmClient({ mayInstall: may });
  if (missing.length === 0) return [];
  const failure = may
    ? await install([...new Set(missing.map(({ debian }) => debian))])
    : "not root, or no apt-get: install it by hand";
  return missing
    .filter(({ program, instead = program }) => !isInstalled(program) && !isInstalled(instead))
    .map(({ program, debian }) => ({
      program,
      why: `${failure ?? "absent after its installation"} (Debian package ${debian})`,
    }));
}
