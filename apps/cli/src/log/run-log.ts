import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fromHex, toHex } from "@paraphe/kernel/bytes";
import type { ProofContent } from "@paraphe/contracts/proof/proof-file";
import { canonicalJson } from "@paraphe/kernel/canonical-json";
import {
  leafHash,
  logEvidence,
  readCertificates,
  rootOf,
  type TrustedCheckpointVerdict,
  verifyCheckpoint,
  verifyConsistency,
  verifyProof,
  verifyTrustedCheckpoint,
} from "@paraphe/proof";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Checkpoint,
  checkpointSchema,
  consistencySchema,
  leavesSchema,
  logAuthoritiesSchema,
  MAX_LEAVES,
} from "@paraphe/contracts";
import { errorCode } from "../../../server/src/platform/error-code.ts";

/** Clocks may differ; committed events are due at once. */
const MARGIN_MS = 10 * 60_000;

type ProofToCompare = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly localAt: string;
  readonly leaves: ReadonlySet<string>;
  readonly now: Date;
};

/**
 * Says whether a local checkpoint covers this `preuve.json`'s journal: a rewritten journal could be
 * appended to an intact log. The last event before it, or a later one, is its leaf; so is the event
 * of each signature time-stamped before, whatever the journal's date.
 */
async function compareJournal({
  name,
  bytes,
  localAt,
  leaves,
  now,
}: ProofToCompare): Promise<LogCheck> {
  const said = (state: LogCheck["state"], sentence: string): LogCheck => ({
    state,
    subject: name,
    sentence,
  });
  const { checks, proof } = await verifyProof({ proof: bytes, files: [], roots: [], now });
  const failed = checks.find(({ state }) => state === "failed");
  if (failed !== undefined || proof === null)
    return said("failed", `cette preuve ne tient pas par elle-même. ${failed?.sentence ?? ""}`);
  const limit = Date.parse(localAt) - MARGIN_MS;
  const last = Math.max(lastDated(proof, limit), lastSigned(proof, limit));
  if (last === -1)
    return said(
      "not_checked",
      "d’après son historique et ses signatures, rien ne s’était passé avant le point de contrôle gardé.",
    );
  const isCovered = proof.journal.events
    .slice(last)
    .some(({ sequence, hash }) => leaves.has(leafOf(proof, sequence, hash)));
  return isCovered
    ? said(
        "ok",
        `ses ${last + 1} premiers événements sont ceux que le point de contrôle gardé couvre.`,
      )
    : said(
        "failed",
        "son historique n’est pas celui que le point de contrôle gardé couvre\u00a0: des événements passés ont été changés ou retirés.",
      );
}

function lastDated({ journal }: ProofContent, limit: number): number {
  return journal.events.findLastIndex(({ at }) => Date.parse(at) <= limit);
}

/** Goes by time-stamp, which no journal can move; -1: none. */
function lastSigned({ journal, signatures }: ProofContent, limit: number): number {
  const stamped = signatures.filter(
    ({ timestamp }) => timestamp !== null && Date.parse(timestamp.time) <= limit,
  );
  // A signer has the same name in each document.
  const signers = new Set(stamped.map(({ field, serial_number }) => field ?? serial_number)).size;
  const signings = journal.events.flatMap(({ action }, index) =>
    action === "recipient_signed" ? [index] : [],
  );
  return signings[Math.min(signers, signings.length) - 1] ?? -1;
}

/** Source: ADR 0013; RFC 9162 §2.1.1. */
function leafOf({ envelope }: ProofContent, sequence: number, head: string): string {
  const entry = canonicalJson({ envelope_id: envelope, head, sequence });
  return toHex(leafHash(new TextEncoder().encode(entry)));
}

/** 0 valid, 1 the past was rewritten, 2 incomplete, 64 misused (sysexits.h: EX_USAGE). */
export type LogAnswer = { readonly code: 0 | 1 | 2 | 64; readonly lines: readonly string[] };

export const USAGE = [
  "Usage\u00a0: paraphe log <point-de-contrôle.json> [<preuve.json>…] [--root <ca.pem>]…",
  "",
  "Confronte un point de contrôle gardé au journal de transparence que le service publie, et des preuves à ce point de contrôle.",
  "--root\u00a0: le certificat de la racine du service, tel que vous l’avez gardé (PEM ou DER)\u202f; sans lui, ceux que le service publie aujourd’hui.",
  "Seuls les appels publics du service sont utilisés. Code de sortie\u00a0: 0 tout tient, 1 le passé a été réécrit, 2 tout n’a pas pu être vérifié.",
];
const STATES: Readonly<Record<LogCheck["state"], string>> = {
  ok: "juste",
  failed: "FAUX",
  not_checked: "non vérifié",
};
const PROVING_NOTHING: Readonly<Record<Exclude<LocalVerdict["state"], "sound">, string>> = {
  unsound:
    "Ce fichier n’est pas un point de contrôle, ou sa signature ou son horodatage ne tient pas\u00a0: il ne prouve rien.",
  unknown:
    "Ce point de contrôle n’est pas signé et horodaté par les autorités de ce service\u00a0: il ne prouve rien contre lui. Si vous avez gardé sa racine, donnez-la avec --root.",
  revoked:
    "Le cachet qui a signé ce point de contrôle, ou l’autorité qui l’a horodaté, était déjà révoqué\u00a0: il ne prouve rien, ni pour ni contre ce service.",
};
const OTHER_LEAVES = {
  state: "failed",
  subject: "Feuilles publiées",
  sentence: "elles ne sont pas celles que le point de contrôle gardé atteste.",
} as const;

type LogRun = { readonly folder: string; readonly ask: AskLog; readonly now: Date };

export async function runLog(
  words: readonly string[],
  { folder, ask, now }: LogRun,
): Promise<LogAnswer> {
  const { paths, rootPaths } = readWords(words);
  const [localPath, ...proofPaths] = paths;
  if (localPath === undefined) return { code: 64, lines: USAGE };
  const checks: LogCheck[] = [];
  try {
    const read = async (path: string) => new Uint8Array(await readFile(resolve(folder, path)));
    const roots = (await Promise.all(rootPaths.map(read))).flatMap(readCertificates);
    if (rootPaths.length > 0 && roots.length === 0) return { code: 64, lines: USAGE };
    const reader = { ask, roots, now };
    const found = await readLocal(await read(localPath), reader);
    if (found.state !== "sound") return { code: 2, lines: [PROVING_NOTHING[found.state]] };
    const { local } = found;
    checks.push(await compareCheckpoint(local, reader), ...describeRevocation(local));
    const leaves = proofPaths.length === 0 ? null : await leavesOf(local, ask);
    if (leaves === null && proofPaths.length > 0) checks.push(OTHER_LEAVES);
    for (const path of leaves === null ? [] : proofPaths)
      checks.push(
        await compareJournal({
          name: basename(path),
          bytes: await read(path),
          localAt: local.checkpoint.at,
          leaves: leaves ?? new Set(),
          now,
        }),
      );
    return answerOf(checks);
  } catch (error) {
    if (error instanceof ServiceAwayError) return answerOf([...checks, away(error)]);
    if (!(error instanceof Error && "path" in error)) throw error;
    return {
      code: 64,
      lines: [`Ce fichier ne peut pas être lu\u00a0: ${String(error.path)}`, "", ...USAGE],
    };
  }
}

function answerOf(checks: readonly LogCheck[]): LogAnswer {
  return {
    code: codeOf(checks),
    lines: checks.map(
      ({ state, subject, sentence }) => `${STATES[state]}  ${subject}\u00a0: ${sentence}`,
    ),
  };
}

/** OpenSSL's codes of an untrusted issuer, such as a new service's own. */
const UNTRUSTED = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

function away({ host, why }: ServiceAwayError): LogCheck {
  const advice = UNTRUSTED.has(why)
    ? " Son certificat TLS vient d’une autorité que cette machine ne connaît pas\u00a0: indiquez-la par NODE_EXTRA_CA_CERTS (d’une installation locale, tls/authority.pem dans DATA_DIR)."
    : "";
  return {
    state: "not_checked",
    subject: "Service",
    sentence: `${host} n’a pas répondu comme il le devait (${why})\u00a0: rien n’est dit du passé.${advice}`,
  };
}

function readWords(words: readonly string[]): Record<"paths" | "rootPaths", readonly string[]> {
  try {
    const { positionals, values } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { root: { type: "string", multiple: true } },
    });
    return { paths: positionals, rootPaths: values.root ?? [] };
  } catch {
    return { paths: [], rootPaths: [] };
  }
}

function codeOf(checks: readonly LogCheck[]): LogAnswer["code"] {
  if (checks.some(({ state }) => state === "failed")) return 1;
  return checks.every(({ state }) => state === "ok") ? 0 : 2;
}

/** Reads a service's public log; null for a 404. */
export type AskLog = (origin: string, call: string) => Promise<unknown>;

/** An absent service proves nothing about its past. `why`: system or TLS error code, or status. */
export class ServiceAwayError extends Error {
  override readonly name = "ServiceAwayError";
  readonly host: string;
  readonly why: string;
  constructor(host: string, why: string, options?: ErrorOptions) {
    super(`${host}: ${why}`, options);
    this.host = host;
    this.why = why;
  }
}

const LOG = "/api/signature/transparency/";
const MOST_TRIES = 10;

/** Errors: `ServiceAwayError` unless the answer is 200 with JSON, or 404. */
export const askService: AskLog = async (origin, call) => {
  const { host } = new URL(origin);
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(new URL(`${LOG}${call}`, origin)).catch((cause: unknown) => {
      throw new ServiceAwayError(host, errorCode(cause) ?? "fetch", { cause });
    });
    if (answer.ok)
      return answer.json().catch((cause: unknown) => {
        throw new ServiceAwayError(host, "JSON", { cause });
      });
    if (answer.status === 404) return null;
    if (answer.status !== 429 || tries === MOST_TRIES)
      throw new ServiceAwayError(host, String(answer.status));
    // A large log meets rate limits.
    await sleep(1_000 * Number(answer.headers.get("retry-after") ?? 60));
  }
};

export type LogCheck = {
  readonly state: "ok" | "failed" | "not_checked";
  readonly subject: string;
  readonly sentence: string;
};

type NamedCheckpoint = { readonly checkpoint: Checkpoint; readonly origin: string };
/** Verified by the reader's roots. `revocation`: whether its state is known. */
type LocalCheckpoint = NamedCheckpoint & { readonly revocation: "checked" | "unknown" };

/** The reader's roots (DER), else those the service publishes. */
type LogReader = {
  readonly ask: AskLog;
  readonly roots: readonly Uint8Array[];
  readonly now: Date;
};

/**
 * `unsound`: invalid; `unknown`: under no root of the reader; `revoked`: by then. None is evidence.
 */
export type LocalVerdict =
  | { readonly state: "sound"; readonly local: LocalCheckpoint }
  | { readonly state: "unsound" | "unknown" | "revoked" };

export async function readLocal(bytes: Uint8Array, reader: LogReader): Promise<LocalVerdict> {
  const checkpoint = parsed(bytes);
  const alone = checkpoint === null ? null : await verifyCheckpoint(checkpoint);
  if (checkpoint === null || !alone?.ok) return { state: "unsound" };
  const origin = alone.facts.log;
  const verdict = await verifyTrusted({ checkpoint, origin }, reader);
  if (verdict.ok)
    return { state: "sound", local: { checkpoint, origin, revocation: verdict.revocation } };
  return { state: verdict.fault === "revoked" ? "revoked" : "unknown" };
}

function parsed(bytes: Uint8Array): Checkpoint | null {
  try {
    return checkpointSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}

async function verifyTrusted(
  { checkpoint, origin }: NamedCheckpoint,
  { ask, roots, now }: LogReader,
): Promise<TrustedCheckpointVerdict> {
  const published =
    logAuthoritiesSchema.safeParse(await ask(origin, "authorities/")).data ?? NOBODY;
  return verifyTrustedCheckpoint(checkpoint, { evidence: logEvidence(published, roots), now });
}
const NOBODY = { roots: [], timestamps: [], certificates: [] };

export function describeRevocation({ revocation }: LocalCheckpoint): readonly LogCheck[] {
  if (revocation === "checked") return [];
  const sentence =
    "le service ne publie pas de quoi savoir si le cachet du point de contrôle gardé était révoqué.";
  return [{ state: "not_checked", subject: "Révocation", sentence }];
}

/** Says whether the log begins with what the checkpoint attests. Source: RFC 9162 §2.1.4. */
export async function compareCheckpoint(
  { checkpoint: local, origin }: NamedCheckpoint,
  reader: LogReader,
): Promise<LogCheck> {
  const { ask } = reader;
  const said = (state: LogCheck["state"], sentence: string): LogCheck => ({
    state,
    subject: "Continuité du journal",
    sentence,
  });
  const latest = checkpointSchema.safeParse(await ask(origin, "checkpoints/latest/")).data;
  if (latest === undefined)
    return said("failed", "le service ne publie plus aucun point de contrôle.");
  if (!(await verifyCheckpoint(latest)).ok)
    return said("failed", "le dernier point de contrôle publié ne tient pas par lui-même.");
  if (!(await verifyTrusted({ checkpoint: latest, origin }, { ...reader, roots: [] })).ok)
    return said(
      "failed",
      "le dernier point de contrôle publié n’est pas signé et horodaté par les autorités que le service publie.",
    );
  if (latest.size < local.size)
    return said(
      "failed",
      `le journal n’a plus que ${latest.size} empreintes, le point de contrôle gardé en atteste ${local.size}.`,
    );
  const consistency = consistencySchema.safeParse(
    await ask(origin, `consistency/?first=${local.size}&second=${latest.size}`),
  ).data;
  if (consistency === undefined)
    return said("not_checked", "le service n’a pas donné de quoi vérifier.");
  const holds = verifyConsistency({
    first: local.size,
    firstRoot: fromHex(local.root),
    second: latest.size,
    secondRoot: fromHex(latest.root),
    path: consistency.path.map(fromHex),
  });
  return holds
    ? said(
        "ok",
        `les ${latest.size} empreintes d’aujourd’hui commencent par les ${local.size} du point de contrôle gardé.`,
      )
    : said(
        "failed",
        "le journal ne commence plus par ce que le point de contrôle gardé atteste\u00a0: il a été réécrit.",
      );
}

/** Gives leaves of a checkpoint in hex; null when their root differs. */
export async function leavesOf(
  { checkpoint: { size, root }, origin }: LocalCheckpoint,
  ask: AskLog,
): Promise<ReadonlySet<string> | null> {
  const hashes: string[] = [];
  while (hashes.length < size) {
    const to = Math.min(size, hashes.length + MAX_LEAVES);
    const page = leavesSchema.safeParse(
      await ask(origin, `leaves/?from=${hashes.length}&to=${to}`),
    ).data;
    if (
      page === undefined ||
      page.from !== hashes.length ||
      page.hashes.length !== to - hashes.length
    )
      return null;
    hashes.push(...page.hashes);
  }
  return Buffer.compare(rootOf(hashes.map(fromHex)), fromHex(root)) === 0 ? new Set(hashes) : null;
}
