import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { toHex } from "@paraphe/kernel/bytes";
import type { ProofContent } from "@paraphe/contracts/proof/proof-file";
import { canonicalJson } from "@paraphe/kernel/canonical-json";
import { leafHash, readCertificates, verifyProof } from "@paraphe/proof";
import {
  type AskLog,
  compareCheckpoint,
  leavesOf,
  type LogCheck,
  readLocal,
  type LocalVerdict,
  describeRevocation,
  ServiceAwayError,
} from "./compare-checkpoint.ts";

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
