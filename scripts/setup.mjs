// Prepares the work tree: dependencies, and what its arguments ask for.
// Built-in modules alone: any Node from 20 on runs it before installation.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const projectNode = join(root, "node_modules/node/bin/node");
const OLDEST_NODE = 20;
/** `tools`: for tests and checks; `client`, with the PDF sandbox: made when sources are newer. */
const wanted = process.argv.slice(2);
const withTools = wanted.includes("tools");

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  fail(
    `Paraphe demande Node ${OLDEST_NODE} ou plus récent (trouvé\u00a0: ${process.versions.node}). Installez-le depuis https://nodejs.org/`,
  );
}
if (!isInstalled()) install();
ensureProjectNode();
if (wanted.includes("client")) {
  if (!isClientBuilt()) buildClient();
  makeSandbox();
}

/** npm's record of node_modules has every package of the lock that this start needs. */
function isInstalled() {
  const record = join(root, "node_modules/.package-lock.json");
  if (!existsSync(record)) return false;
  const wanted = readPackages(join(root, "package-lock.json"));
  const found = readPackages(record);
  return Object.entries(wanted).every(([path, entry]) => {
    const needless =
      path === "" || entry.optional || entry.devOptional || (entry.dev && !withTools);
    if (entry.link) return existsSync(join(root, path));
    return needless || !path.startsWith("node_modules/") || found[path]?.version === entry.version;
  });
}

function readPackages(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages ?? {};
}

function install() {
  say("Installation des dépendances (une seule fois, quelques minutes)…");
  const words = [
    "ci",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    ...(withTools ? [] : ["--omit=dev"]),
  ];
  const npm = process.env.npm_execpath;
  const outcome = npm?.endsWith(".js") ? run(process.execPath, [npm, ...words]) : run("npm", words);
  if (outcome !== 0)
    fail(
      "L’installation des dépendances a échoué. Vérifiez l’accès au registre npm, puis relancez la commande.",
    );
}

/** The package `node` needs its install script, which may have been refused. */
function ensureProjectNode() {
  if (runsProjectNode()) return;
  const folder = join(root, "node_modules/node");
  run(process.execPath, ["installArchSpecificPackage.js"], folder);
  if (!runsProjectNode())
    fail(
      "Le Node du projet n’a pas pu être installé. Supprimez le dossier node_modules, puis relancez la commande.",
    );
}

function runsProjectNode() {
  return existsSync(projectNode) && spawnSync(projectNode, ["--version"]).status === 0;
}

/** The stamp comes last: an interrupted build is repeated. */
function isClientBuilt() {
  const stamp = join(root, "apps/web/dist/.stamp");
  return existsSync(stamp) && readFileSync(stamp, "utf8") === clientFingerprint();
}

function buildClient() {
  say("Construction de l’interface…");
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const fingerprint = clientFingerprint();
  rmSync(join(root, "apps/web/dist/.stamp"), { force: true });
  const outcome = run(projectNode, [vite, "build", "--logLevel", "warn"], join(root, "apps/web"));
  if (outcome !== 0)
    fail("La construction de l’interface a échoué\u00a0: voyez les lignes ci-dessus.");
  writeFileSync(join(root, "apps/web/dist/.stamp"), fingerprint);
}

/** Made at set-up: a running service may not be allowed to write here. */
function makeSandbox() {
  if (run(projectNode, ["apps/server/src/platform/pdf-sandbox/sandbox-program.ts"]) !== 0)
    fail("La préparation du bac à sable des PDF a échoué\u00a0: voyez les lignes ci-dessus.");
}

/** Names, sizes and times of the client's sources, and the lock file. */
function clientFingerprint() {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  const folders = [
    "apps/web",
    "packages/kernel/src",
    "packages/contracts/src",
    "packages/pades/src",
    "packages/proof/src",
  ];
  for (const path of folders.flatMap((folder) => filesOf(join(root, folder)))) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path.slice(root.length)}\0${size}\0${Math.trunc(mtimeMs)}\n`);
  }
  return hash.digest("hex");
}

function filesOf(folder) {
  const skipped = new Set(["dist", "node_modules", ".vite"]);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !skipped.has(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesOf(join(folder, entry.name)) : [join(folder, entry.name)],
    );
}

function run(command, words, cwd = root) {
  return (
    spawnSync(command, words, { cwd, stdio: ["ignore", "inherit", "inherit"], shell: false })
      .status ?? 1
  );
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
