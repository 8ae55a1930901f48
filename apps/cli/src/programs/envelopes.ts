import { readFile, writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import {
  createParaphe,
  type Envelope,
  type Paraphe,
  ParapheConnectionError,
  ParapheError,
} from "@paraphe/sdk";
import { titleOfFile } from "@paraphe/contracts/person-rules";
import { CommandFault, done, misused, type Outcome, terminalLine } from "../outcome.ts";

export type ProgramRun = {
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
};

const SETTINGS = [
  "",
  "PARAPHE_URL\u00a0: l’adresse du service. PARAPHE_KEY\u00a0: une clé de Paramètres → Programmes.",
  "Un service local\u00a0: NODE_EXTRA_CA_CERTS=<DATA_DIR>/tls/authority.pem.",
  "--json\u00a0: une ligne de JSON, pour un programme. Code de sortie\u00a0: 0 fait, 1 refusé, 64 mal appelée, 75 le service n’a pas répondu.",
];
export const SEND_USAGE = [
  'Usage\u00a0: paraphe send <fichier.pdf>… --to "Nom <adresse>"… [--title <titre>] [--message <texte>] [--days <jours>] [--team <identifiant>] [--sequential] [--draft] [--wait] [--json]',
  "",
  "Envoie des PDF à signer (droits envelopes:write et envelopes:send). Rien n’est créé si l’envoi est refusé. --draft\u00a0: laisse un brouillon. --wait\u00a0: attend la fin. --team\u00a0: l’équipe à qui elle sera, que la clé de l’organisation demande. La sortie est l’identifiant seul\u202f; le reste va sur l’autre sortie (stderr).",
  ...SETTINGS,
];
export const STATUS_USAGE = [
  "Usage\u00a0: paraphe status <identifiant> [--wait] [--json]",
  "",
  "Dit où en est une enveloppe (droit envelopes:read). --wait\u00a0: attend sa fin\u202f; le code de sortie est 1 si elle n’est pas terminée.",
  ...SETTINGS,
];
export const DOWNLOAD_USAGE = [
  "Usage\u00a0: paraphe download <identifiant> [--evidence | --current] [--output <chemin>] [--json]",
  "",
  "Enregistre l’exemplaire signé (refusé avant que tous aient signé\u202f; --current\u00a0: le fichier tel qu’il est), ou le dossier de preuve avec --evidence, à tout moment (droit proof:read). Un fichier présent n’est pas remplacé.",
  ...SETTINGS,
];

export type Service = { readonly url: string; readonly key: string; readonly paraphe: Paraphe };

/** Errors: `CommandFault` without its settings. */
export function openService({ PARAPHE_URL: url, PARAPHE_KEY: key }: NodeJS.ProcessEnv): Service {
  if (url === undefined || !URL.canParse(url))
    throw new CommandFault(
      "PARAPHE_URL manque\u00a0: l’adresse du service, par exemple https://paraphe.example.",
    );
  if (key === undefined || !key.startsWith("pk_live_"))
    throw new CommandFault(
      "PARAPHE_KEY manque\u00a0: une clé de Paramètres → Programmes, qui commence par pk_live_.",
    );
  return { url, key, paraphe: createParaphe({ url, key }) };
}

/** Parsed words, or the sentence about an option that is not understood. */
export function wordsOf<T extends ParseArgsOptionsConfig>(words: readonly string[], options: T) {
  try {
    const config = { args: [...words], allowPositionals: true as const, options };
    return { found: parseArgs<typeof config>(config) };
  } catch (error) {
    const [, option = ""] = /'(-[^\s'=,]*)/.exec(String(error)) ?? [];
    return { fault: `${option}\u00a0: option inconnue, ou valeur absente ou de trop.` };
  }
}

export async function answering(act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ParapheError && error.code === "not_completed")
      throw new CommandFault(
        "Tous n’ont pas encore signé (not_completed)\u00a0: attendez avec paraphe status --wait, ou ajoutez --current pour le fichier tel qu’il est.",
        { cause: error },
      );
    if (error instanceof ParapheError && error.code === "not_found")
      throw new CommandFault(
        "Aucune enveloppe de cet identifiant n’est ouverte à cette clé (not_found).",
        { cause: error },
      );
    if (error instanceof ParapheError)
      throw new CommandFault(`${error.message} (${error.code})`, { cause: error });
    if (error instanceof ParapheConnectionError)
      throw new CommandFault(
        `Le service n’a pas répondu\u00a0: ${error.message.replace(/^[^:]*: /, "")}. Vérifiez PARAPHE_URL\u202f; pour un service local, NODE_EXTRA_CA_CERTS.`,
        { cause: error, code: 75 },
      );
    throw error;
  }
}

export async function runSend(words: readonly string[], run: ProgramRun): Promise<Outcome> {
  const { found, fault } = wordsOf(words, {
    to: { type: "string", multiple: true },
    title: { type: "string" },
    message: { type: "string" },
    days: { type: "string" },
    team: { type: "string" },
    sequential: { type: "boolean" },
    draft: { type: "boolean" },
    wait: { type: "boolean" },
    json: { type: "boolean" },
  });
  const paths = found?.positionals ?? [];
  const { to = [], title, message, days, team, ...how } = found?.values ?? {};
  const wrong = fault ?? sendFault(paths, to, days);
  if (wrong !== undefined) return misused(SEND_USAGE, wrong);
  const recipients = to.flatMap(recipientOf);
  return answering(async () => {
    const { paraphe } = openService(run.environment);
    const files = await Promise.all(paths.map((path) => fileAt(resolve(run.folder, path))));
    const sent = await paraphe.createEnvelope({
      send: how.draft !== true,
      title: title ?? titleOfFile(basename(paths[0] ?? "")),
      ...(message === undefined ? {} : { message }),
      ...(team === undefined ? {} : { team }),
      ...(days === undefined ? {} : { deadline_at: inDays(Number(days)) }),
      flow: how.sequential === true ? "sequential" : "parallel",
      recipients: recipients.map((one, index) =>
        how.sequential === true ? { ...one, order: index + 1 } : one,
      ),
      files,
    });
    const isWaiting = how.draft !== true && how.wait === true;
    if (isWaiting) process.stderr.write(`Envoyée (${sent.id})\u00a0: attente des signatures…\n`);
    const { lines, code } = shown(isWaiting ? await waitFor(paraphe, sent.id) : sent, {
      json: how.json,
      wait: isWaiting,
    });
    if (how.json === true) return { lines, code };
    for (const line of lines.slice(0, -1)) process.stderr.write(`${terminalLine(line)}\n`);
    return { lines: [sent.id], code };
  });
}

function sendFault(paths: readonly string[], to: readonly string[], days = "1") {
  if (paths.length === 0) return "Il manque le PDF à envoyer.";
  if (to.length === 0) return "Il manque --to, une fois par signataire.";
  const wrong = to.find((text) => recipientOf(text).length === 0);
  if (wrong !== undefined) return `--to ${wrong}\u00a0: la forme est "Nom <adresse>".`;
  return /^[1-9]\d{0,2}$/.test(days)
    ? undefined
    : `--days ${days}\u00a0: un nombre de jours, de 1 à 999.`;
}

function idFault([id, more]: readonly string[]) {
  if (id === undefined) return "Il manque l’identifiant de l’enveloppe.";
  return more === undefined ? undefined : `${more} est de trop\u00a0: une enveloppe à la fois.`;
}

export async function runStatus(words: readonly string[], run: ProgramRun): Promise<Outcome> {
  const { found, fault } = wordsOf(words, { wait: { type: "boolean" }, json: { type: "boolean" } });
  const [id = ""] = found?.positionals ?? [];
  const wrong = fault ?? idFault(found?.positionals ?? []);
  if (wrong !== undefined) return misused(STATUS_USAGE, wrong);
  const { wait, json } = found?.values ?? {};
  return answering(async () => {
    const { paraphe } = openService(run.environment);
    const envelope = wait === true ? await waitFor(paraphe, id) : await paraphe.getEnvelope({ id });
    return shown(envelope, { wait, json });
  });
}

export async function runDownload(words: readonly string[], run: ProgramRun): Promise<Outcome> {
  const { found, fault } = wordsOf(words, {
    evidence: { type: "boolean" },
    current: { type: "boolean" },
    output: { type: "string" },
    json: { type: "boolean" },
  });
  const [id = ""] = found?.positionals ?? [];
  const { evidence, current, output, json } = found?.values ?? {};
  const wrong = fault ?? idFault(found?.positionals ?? []);
  if (wrong !== undefined) return misused(DOWNLOAD_USAGE, wrong);
  if (evidence && current)
    return misused(DOWNLOAD_USAGE, "--evidence et --current ne vont pas ensemble.");
  return answering(async () => {
    const { paraphe } = openService(run.environment);
    const { name, bytes } =
      evidence === true
        ? await evidenceOf(paraphe, id)
        : await paraphe.download({ id, ...(current === true ? { current } : {}) });
    const path = resolve(run.folder, output ?? fileNameOf(name));
    await writeFile(path, bytes, { flag: "wx" }).catch((cause: NodeJS.ErrnoException) => {
      throw new CommandFault(
        cause.code === "EEXIST"
          ? `${path} existe déjà\u00a0: donnez un autre chemin avec --output.`
          : `${path} n’a pas pu être écrit (${cause.code}).`,
        { cause },
      );
    });
    return done(
      json === true
        ? JSON.stringify({ id, path, size: bytes.length })
        : `Enregistré\u00a0: ${path}`,
    );
  });
}

async function evidenceOf(paraphe: Paraphe, id: string) {
  const answer = await paraphe.getEnvelopeEvidence({ id });
  return { name: `preuve-${id}.pdf`, bytes: new Uint8Array(await answer.arrayBuffer()) };
}

/** The service's name for it, without a folder. */
const fileNameOf = (name: string): string =>
  basename(name.replaceAll("\\", "/"))
    .replace(/[^\p{L}\p{N}._ -]/gu, "_")
    .replace(/^\.+/, "");

/** `Paul Morel <paul.morel@exemple.fr>`. */
function recipientOf(text: string): { readonly full_name: string; readonly email: string }[] {
  const [, full_name = "", email = ""] =
    /^\s*([^<>]+?)\s*<([^<>\s]+@[^<>\s]+)>\s*$/.exec(text) ?? [];
  return full_name === "" ? [] : [{ full_name, email }];
}

async function fileAt(path: string) {
  const content = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandFault(`${path} ne peut pas être lu (${cause.code}).`, { cause });
  });
  return { name: basename(path), content: new Uint8Array(content) };
}

const DAY_MS = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

const OPEN: ReadonlySet<string> = new Set(["sent", "pending", "action_required"]);
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 15_000;

async function waitFor(paraphe: Paraphe, id: string): Promise<Envelope> {
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_LOOK_MS)) {
    const envelope = await paraphe.getEnvelope({ id });
    if (!OPEN.has(envelope.status)) return envelope;
    await sleep(pauseMs);
  }
}

const STATUSES: Readonly<Record<Envelope["status"], string>> = {
  draft: "brouillon",
  sent: "envoyée",
  pending: "en cours de signature",
  action_required: "à signer par vous",
  completed: "terminée",
  declined: "refusée",
  expired: "échéance dépassée",
  cancelled: "annulée",
};
const ANSWERS: Readonly<Record<Envelope["recipients"][number]["status"], string>> = {
  waiting: "attend son tour",
  unreached: "n’a pas pu être joint",
  notified: "a reçu le lien",
  viewed: "a ouvert le document",
  approved: "a donné son visa",
  signed: "a signé",
  declined: "a refusé",
};

type Shown = { readonly wait?: boolean | undefined; readonly json?: boolean | undefined };

/** Whoever waits for the end hears by the exit code whether all have signed. */
function shown(envelope: Envelope, { wait, json }: Shown): Outcome {
  const { id, title, status, returned, progress, recipients } = envelope;
  const code = wait === true && status !== "completed" ? 1 : 0;
  if (json === true) return { code, lines: [JSON.stringify(envelope)] };
  const lines = [
    `${title}\u00a0: ${STATUSES[status]}, ${progress.signed} sur ${progress.total}`,
    ...recipients.map(
      ({ full_name, email, status: own, decline_reason }) =>
        `  ${full_name} <${email}> ${status === "draft" ? (returned ? "attend la correction" : "pas encore invité") : ANSWERS[own]}${decline_reason === null ? "" : `\u00a0: ${decline_reason}`}`,
    ),
    `Identifiant\u00a0: ${id}`,
  ];
  return { code, lines };
}
