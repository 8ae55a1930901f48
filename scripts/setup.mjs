// Prepares the work tree before a command: dependencies once, and of the rest what its words ask for.
// Plain JavaScript on built-in modules: it runs under any Node from 20 on, before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const projectNode = join(root, "node_modules/node/bin/node");
const OLDEST_NODE = 20;
/** `tools`: the development tools too, which the tests and checks need; `client`: the client, built when its sources are newer. */
const wanted = process.argv.slice(2);
const withTools = wanted.includes("tools");

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  fail(
    `Paraphe demande Node ${OLDEST_NODE} ou plus récent (trouvé\u00a0: ${process.versions.node}). Installez-le depuis https://nodejs.org/`,
  );
}
if (!isInstalled()) install();
ensureProjectNode();
if (wanted.includes("client") && !isClientBuilt()) buildClient();

/** True when npm's own record of node_modules holds every package of the lock file that this start needs. */
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

/** The package `node` fetches its program by an install script, which may have been refused. */
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

/** The stamp is written last: a build that was cut short is done again. */
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

/** What the client is built from: its files' names, sizes and times, and the lock file. */
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

/** Runs a program on our terminal and gives its exit code. */
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
