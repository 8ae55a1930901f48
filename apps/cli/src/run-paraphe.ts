import { setTimeout as wait } from "node:timers/promises";
import type { Platform } from "../../server/src/platform/platform.ts";
import { type Outcome, misused } from "./outcome.ts";

type Command = {
  readonly summary: string;
  /** The answer goes to stdout with any exit code. */
  readonly isReport: boolean;
  usage(): Promise<readonly string[]>;
  run(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<Outcome>;
};

/** The folder where npm or `bin/paraphe` was called. */
const folderOf = ({ INIT_CWD }: NodeJS.ProcessEnv): string => INIT_CWD ?? process.cwd();
const progress = (line: string): void => void process.stderr.write(`${line}\n`);

function untilStopped(): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

/** Commands load on demand, as some need no database. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    "backup",
    {
      summary: "sauvegarde la base et les fichiers, service en marche",
      isReport: false,
      usage: async () => (await import("./backup/run-backup.ts")).USAGE,
      run: async (words, environment) => {
        const { runBackup } = await import("./backup/run-backup.ts");
        return runBackup(words, { environment, folder: folderOf(environment) });
      },
    },
  ],
  [
    "restore",
    {
      summary: "rétablit une sauvegarde, dans un DATA_DIR ou une base vides",
      isReport: false,
      usage: async () => (await import("./backup/run-restore.ts")).USAGE,
      run: async (words, environment) => {
        const { runRestore } = await import("./backup/run-restore.ts");
        return runRestore(words, { environment, folder: folderOf(environment) });
      },
    },
  ],
  [
    "verify-backup",
    {
      summary: "relit une sauvegarde en entier",
      isReport: true,
      usage: async () => (await import("./backup/run-verify-backup.ts")).USAGE,
      run: async (words, environment) => {
        const { runVerifyBackup } = await import("./backup/run-verify-backup.ts");
        return runVerifyBackup(words, { environment, folder: folderOf(environment) });
      },
    },
  ],
  [
    "doctor",
    {
      summary: "dit ce qui ne va pas dans cette installation, et quoi faire",
      isReport: true,
      usage: async () => (await import("./doctor/run-doctor.ts")).USAGE,
      run: async (words, environment) => {
        const { runDoctor } = await import("./doctor/run-doctor.ts");
        return runDoctor(words, { environment });
      },
    },
  ],
  [
    "upgrade",
    {
      summary: "dit ce que cette version ferait de la base, et si l’on peut revenir",
      isReport: false,
      usage: async () => (await import("./upgrade/run-upgrade.ts")).USAGE,
      run: async (words, environment) => {
        const { runUpgrade } = await import("./upgrade/run-upgrade.ts");
        return runUpgrade(words, { environment });
      },
    },
  ],
  [
    "admin",
    {
      summary: "invite à s’inscrire, nomme les administrateurs",
      isReport: false,
      usage: async () => (await import("./admin/run-admin.ts")).USAGE,
      run: async (words, environment) => {
        const { runAdmin } = await import("./admin/run-admin.ts");
        return onService(environment, (platform) => runAdmin(platform, words));
      },
    },
  ],
  [
    "keys",
    {
      summary: "montre, remplace et révoque les clés du service",
      isReport: false,
      usage: async () => (await import("./keys/run-keys.ts")).USAGE,
      run: async (words, environment) => {
        const { runKeys } = await import("./keys/run-keys.ts");
        return onService(environment, (platform) => runKeys(platform, words, environment));
      },
    },
  ],
  [
    "move-store",
    {
      summary: "déplace les fichiers vers un autre stockage, service en marche",
      isReport: false,
      usage: async () => (await import("./store/run-move-store.ts")).USAGE,
      run: async (words, environment) => {
        const { runMoveStore } = await import("./store/run-move-store.ts");
        return onService(environment, (platform) =>
          runMoveStore(platform, words, { environment, wait, progress }),
        );
      },
    },
  ],
  [
    "verify-store",
    {
      summary: "contrôle la base et les fichiers l’un par l’autre",
      isReport: true,
      usage: async () => (await import("./store/run-verify-store.ts")).USAGE,
      run: async (words, environment) => {
        const { runVerifyStore } = await import("./store/run-verify-store.ts");
        return runVerifyStore(words, (work) => onService(environment, work));
      },
    },
  ],
  [
    "audit",
    {
      summary: "contrôle les journaux et les fichiers par leurs propres preuves",
      isReport: true,
      usage: async () => (await import("./audit/run-audit.ts")).USAGE,
      run: async (words, environment) => {
        const { runAudit } = await import("./audit/run-audit.ts");
        return onService(environment, (platform) => runAudit(platform, words));
      },
    },
  ],
  [
    "send",
    {
      summary: "envoie des PDF à signer, avec une clé",
      isReport: true,
      usage: async () => (await import("./programs/envelopes.ts")).SEND_USAGE,
      run: async (words, environment) => {
        const { runSend } = await import("./programs/envelopes.ts");
        return runSend(words, { environment, folder: folderOf(environment) });
      },
    },
  ],
  [
    "status",
    {
      summary: "dit où en est une enveloppe, avec une clé",
      isReport: true,
      usage: async () => (await import("./programs/envelopes.ts")).STATUS_USAGE,
      run: async (words, environment) => {
        const { runStatus } = await import("./programs/envelopes.ts");
        return runStatus(words, { environment, folder: folderOf(environment) });
      },
    },
  ],
  [
    "download",
    {
      summary: "enregistre un exemplaire signé ou sa preuve, avec une clé",
      isReport: true,
      usage: async () => (await import("./programs/envelopes.ts")).DOWNLOAD_USAGE,
      run: async (words, environment) => {
        const { runDownload } = await import("./programs/envelopes.ts");
        return runDownload(words, { environment, folder: folderOf(environment) });
      },
    },
  ],
  [
    "listen",
    {
      summary: "poste les événements à un programme de cette machine, comme un webhook",
      isReport: true,
      usage: async () => (await import("./programs/listen.ts")).LISTEN_USAGE,
      run: async (words, environment) => {
        const { runListen } = await import("./programs/listen.ts");
        const folder = folderOf(environment);
        const print = (line: string) => void process.stdout.write(`${line}\n`);
        return runListen(words, { environment, folder, signal: untilStopped(), print });
      },
    },
  ],
  [
    "verify",
    {
      summary: "vérifie une preuve et ses fichiers, sans le service",
      isReport: true,
      usage: async () => (await import("./verify/run-verify.ts")).USAGE,
      run: async (words, environment) => {
        const { runVerify } = await import("./verify/run-verify.ts");
        return runVerify(words, { folder: folderOf(environment), now: new Date() });
      },
    },
  ],
  [
    "log",
    {
      summary: "confronte un point de contrôle gardé au journal publié",
      isReport: true,
      usage: async () => (await import("./log/run-log.ts")).USAGE,
      run: async (words, environment) => {
        const { runLog } = await import("./log/run-log.ts");
        const { askService } = await import("./log/run-log.ts");
        return runLog(words, { folder: folderOf(environment), ask: askService, now: new Date() });
      },
    },
  ],
]);

type Answer = { readonly outcome: Outcome; readonly isReport: boolean };

export async function runParaphe(
  [name = "", ...words]: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Answer> {
  if (name === "help" || name === "--help" || name === "-h") return answer(await help(words));
  const command = COMMANDS.get(name);
  if (command === undefined)
    return answer(
      misused(name === "" ? overview() : [`Commande inconnue\u00a0: ${name}`, "", ...overview()]),
    );
  if (words.includes("--help") || words.includes("-h"))
    return answer({ code: 0, lines: await command.usage() });
  return { outcome: await command.run(words, environment), isReport: command.isReport };
}

const answer = (outcome: Outcome): Answer => ({ outcome, isReport: true });

async function help([name, ...more]: readonly string[]): Promise<Outcome> {
  if (name === undefined) return { code: 0, lines: overview() };
  const command = COMMANDS.get(name);
  if (command === undefined || more.length > 0)
    return misused([`Commande inconnue\u00a0: ${[name, ...more].join(" ")}`, "", ...overview()]);
  return { code: 0, lines: await command.usage() };
}

function overview(): readonly string[] {
  const width = Math.max(...[...COMMANDS.keys()].map((name) => name.length));
  return [
    "Usage\u00a0: paraphe <commande>",
    "",
    ...[...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(width)}   ${summary}`),
    "",
    "paraphe <commande> --help en dit plus. Les réglages sont ceux du service (DATA_DIR, DATABASE_URL…).",
    "Code de sortie\u00a0: 0 fait, 1 refusé ou défaut trouvé, 2 tout n’a pas pu être vérifié, 64 mauvais usage, 75 à refaire plus tard, 78 réglage refusé.",
  ];
}

const STATEMENT_MS = 3_600_000;

/** Runs a command on the configured service, running or not. */
async function onService<T>(
  environment: NodeJS.ProcessEnv,
  work: (platform: Platform) => Promise<T>,
): Promise<T> {
  const { openPlatform } = await import("../../server/src/platform/open-platform.ts");
  const { readSettings } = await import("../../server/src/platform/settings/read-settings.ts");
  const settings = readSettings(environment, process.cwd());
  const { platform, close } = await openPlatform({
    ...settings,
    logLevel: settings.logLevel === "info" ? "warn" : settings.logLevel,
    databaseShare: { ...settings.databaseShare, statementMs: STATEMENT_MS },
  });
  return work(platform).finally(close);
}
