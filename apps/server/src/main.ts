import cluster from "node:cluster";
import { flushCompileCache } from "node:module";
import { createLog } from "./platform/logs/log.ts";
import { MAILBOX_PATH, isMailboxShown } from "./platform/mailbox/mailbox-transports.ts";
import { readSettings } from "./platform/settings/read-settings.ts";
import type { Settings } from "./platform/settings/settings.ts";
import { startFault } from "./start-fault.ts";
import { refuseInsideProgram } from "./platform/pdf-sandbox/sandbox-process.ts";
import { checkOpenFiles, makeFolder } from "./platform/settings/read-variable.ts";
import { startWebProcesses, WebProcessError, type WebProcesses } from "./web-processes.ts";

/** Contract §1. */
const STOP_DEADLINE_MS = 9_800;

process.title = "paraphe";
try {
  await run();
} catch (error) {
  if (error instanceof WebProcessError) process.exit(error.exitCode);
  const fault = startFault(error);
  process.stderr.write(
    `${fault?.line ?? (error instanceof Error ? error.stack : String(error))}\n`,
  );
  process.exit(fault?.exitCode ?? 1);
}

async function run(): Promise<void> {
  const stopAsked = Promise.race([waitForSignal(), waitForBug(STOP_DEADLINE_MS)]);
  const settings = readSettings(process.env, process.cwd());
  await checkMachine(settings);
  if (settings.role === "migrate") return migrate(settings);
  const { compose } = await import("./compose.ts");
  const shares = settings.role === "all" && settings.webProcesses > 1;
  const service = await compose(shares ? { ...settings, role: "worker" } : settings);
  let firstStart: string | null = null;
  let web: WebProcesses | null = null;
  const stop = async () => {
    await web?.stop();
    await service.stop();
  };
  try {
    await service.start();
    if (shares) web = await startWebProcesses(settings.webProcesses, service.platform.log);
    if (settings.role !== "worker") firstStart = await service.firstStart();
  } catch (error) {
    await stop();
    throw error;
  }
  if (!cluster.isWorker) announce(settings, firstStart);
  // Flushed now: after a kill, the next process would compile again.
  flushCompileCache();
  const exitCode = await stopAsked;
  setTimeout(() => process.exit(exitCode), STOP_DEADLINE_MS).unref();
  await stop();
  process.exit(exitCode);
}

/** Runs before any process starts. */
async function migrate(settings: Settings): Promise<void> {
  const { migrateServer } = await import("./platform/open-platform.ts");
  await migrateServer(settings);
  process.stdout.write("La base est à jour\n");
  process.exit(0);
}

function waitForSignal(): Promise<number> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve(0));
  });
}

/** The last line is the address that scripts wait for. */
function announce(settings: Settings, firstStart: string | null): void {
  if (firstStart !== null)
    process.stdout.write(
      `Premier démarrage (une seule fois, sous 24 heures)\u00a0: ${firstStart}\n`,
    );
  if (settings.role !== "worker" && isMailboxShown(settings)) {
    process.stdout.write(`Boîte aux lettres locale : ${settings.publicUrl}${MAILBOX_PATH}\n`);
  }
  process.stdout.write(
    `Paraphe est prêt : ${settings.role === "worker" ? "tâches de fond" : settings.publicUrl}\n`,
  );
}

/**
 * Gives the exit code after an uncaught error. The state is unknown, so the process stops in order,
 * within the deadline.
 */
export function waitForBug(deadlineMs: number): Promise<number> {
  const log = createLog();
  return new Promise((resolve) => {
    process.on("uncaughtException", (error) => {
      log.error({ error }, "an error escaped everybody: the process stops");
      setTimeout(() => process.exit(1), deadlineMs).unref();
      resolve(1);
    });
  });
}

/** Runs before the service's code loads, for a quick refusal. Errors: `SettingsError`. */
async function checkMachine(settings: Settings): Promise<void> {
  checkOpenFiles();
  refuseInsideProgram(privatePlaces(settings));
  await makeFolder({ variable: "DATA_DIR", folder: settings.dataDir, example: "/var/lib/paraphe" });
  if (settings.checkpointDir !== null)
    await makeFolder({
      variable: "CHECKPOINT_DIR",
      folder: settings.checkpointDir,
      example: "/mnt/temoin/paraphe",
    });
  const archiveDir = archiveDirOf(settings);
  if (archiveDir !== null)
    await makeFolder({ variable: "WAL_ARCHIVE_DIR", folder: archiveDir, example: "/mnt/journaux" });
}

function archiveDirOf({ database }: Pick<Settings, "database">): string | null {
  return database.kind === "embedded" ? database.archiveDir : null;
}

function privatePlaces({
  dataDir,
  storage,
  storageFallback,
  tls,
  checkpointDir,
  database,
}: Settings) {
  const archiveDir = archiveDirOf({ database });
  return [
    { variable: "DATA_DIR", path: dataDir, example: "/var/lib/paraphe" },
    ...(storage.kind === "folder"
      ? [{ variable: "STORAGE_URL", path: storage.folder, example: "/var/lib/paraphe/files" }]
      : []),
    ...(storageFallback?.kind === "folder"
      ? [
          {
            variable: "STORAGE_FALLBACK_URL",
            path: storageFallback.folder,
            example: "/var/lib/paraphe/files",
          },
        ]
      : []),
    ...(tls.mode === "files"
      ? [{ variable: "TLS_KEY", path: tls.keyFile, example: "/etc/paraphe/cle.pem" }]
      : []),
    ...(archiveDir === null
      ? []
      : [{ variable: "WAL_ARCHIVE_DIR", path: archiveDir, example: "/mnt/journaux" }]),
    ...(checkpointDir === null
      ? []
      : [{ variable: "CHECKPOINT_DIR", path: checkpointDir, example: "/mnt/temoin/paraphe" }]),
  ];
}
