import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  attachedProof,
  type GivenFile,
  CHECK_NAMES,
  type CheckState,
  type ProofCheck,
  type ProofReport,
  readCertificates,
  readSealKeys,
  verifyProof,
} from "@paraphe/proof";
import { terminalLine } from "../outcome.ts";

const STATES: Readonly<Record<CheckState, string>> = {
  ok: "juste",
  failed: "FAUX",
  not_checked: "non vérifié",
};
const VERDICTS = { valid: "VALIDE", invalid: "NON VALIDE", indeterminate: "INDÉTERMINÉ" } as const;

/** French: proof, checks, limits, verdict. Files' texts stay on their line. */
function describeReport(report: ProofReport): readonly string[] {
  const { verdict, summary, checks, limits } = report;
  const rows: readonly (readonly [string, string, string])[] = [
    ["Contrôle", "Résultat", "Détail"],
    ...checks.map(
      (check) => [CHECK_NAMES[check.name], STATES[check.state], detailOf(check)] as const,
    ),
  ];
  const [first, second] = [0, 1].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [
    ...headOf(report),
    ...rows.map(
      ([name, state, detail]) =>
        `${name.padEnd(first ?? 0)}  ${state.padEnd(second ?? 0)}  ${detail}`,
    ),
    "",
    "Ce qu’aucun contrôle hors ligne ne dit\u00a0:",
    ...limits.map((limit) => `- ${limit}`),
    "",
    `${VERDICTS[verdict]} – ${summary}`,
  ].map(terminalLine);
}

/** Gives lines about a proof whose seal no check refuses. */
function headOf({ proof, checks }: ProofReport): readonly string[] {
  const isSealed = checks.some(({ name, state }) => name === "content" && state === "ok");
  const isSomebodys = SEALING.every((name) =>
    checks.every((check) => check.name !== name || check.state !== "failed"),
  );
  if (proof === null || !isSealed || !isSomebodys) return [];
  return [
    `Preuve de l’enveloppe ${proof.envelope}, qui se dit faite le ${proof.checked_at} par ${proof.service}`,
    "",
  ];
}

const SEALING: readonly ProofCheck["name"][] = ["seal", "seal_key", "seal_chain"];

function detailOf({ subject, sentence }: ProofCheck): string {
  return subject === null ? sentence : `${subject}\u00a0: ${sentence}`;
}

/** 0 valid, 1 invalid, 2 incomplete, 64 misused (sysexits.h). */
type VerifyAnswer = { readonly code: 0 | 1 | 2 | 64; readonly lines: readonly string[] };

export const USAGE = [
  "Usage\u00a0: paraphe verify <preuve.json | dossier-de-preuve.pdf> [<contrat.pdf>…] [--root <ca.pem>]… [--jwks <jwks.json>]…",
  "",
  "Vérifie une preuve et ses fichiers par eux-mêmes\u00a0: rien n’est demandé au service ni à personne.",
  "--root\u00a0: le certificat de la racine du service, en qui vous avez confiance (PEM ou DER).",
  "--jwks\u00a0: les clés du cachet du service, en qui vous avez confiance (RFC\u00a07517, /.well-known/jwks.json)\u202f; la racine est alors celle que le cachet nomme.",
  "Sans l’un ni l’autre, rien n’est dit valide\u202f; avec les deux, l’un et l’autre doivent tenir.",
  "Code de sortie\u00a0: 0 tout est vérifié et valide, 1 quelque chose ne tient pas, 2 tout n’a pas pu être vérifié.",
];
const EXIT_CODES = { valid: 0, invalid: 1, indeterminate: 2 } as const;

export async function runVerify(
  words: readonly string[],
  { folder, now }: { readonly folder: string; readonly now: Date },
): Promise<VerifyAnswer> {
  const { paths, ...trusted } = readWords(words);
  const [proofPath, ...filePaths] = paths;
  if (proofPath === undefined) return { code: 64, lines: USAGE };
  try {
    const read = async (path: string): Promise<GivenFile> => ({
      name: basename(path),
      bytes: new Uint8Array(await readFile(resolve(folder, path))),
    });
    const roots: Uint8Array[] = [];
    for (const path of trusted.roots) {
      const found = readCertificates((await read(path)).bytes);
      if (found.length === 0)
        return { code: 64, lines: [`${path} ne contient aucun certificat lisible.`, "", ...USAGE] };
      roots.push(...found);
    }
    const sealKeys: string[] = [];
    for (const path of trusted.keySets) {
      const found = readSealKeys((await read(path)).bytes);
      if (found.length === 0)
        return {
          code: 64,
          lines: [`${path} ne contient aucune clé lisible (EC, P-256).`, "", ...USAGE],
        };
      sealKeys.push(...found);
    }
    const named = async (path: string) => ({
      ...(await read(path)),
      name: nameAmong(filePaths, path),
    });
    const files = await Promise.all(filePaths.map(named));
    const { bytes } = await read(proofPath);
    const isAttached = Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "%PDF-";
    const proof = isAttached ? await attachedProof(bytes) : bytes;
    if (proof === null)
      return {
        code: 64,
        lines: [
          `${proofPath} ne porte pas preuve.json\u00a0: joignez preuve.json, ou le dossier de preuve, auquel il est attaché.`,
          "",
          ...USAGE,
        ],
      };
    const report = await verifyProof({ proof, isAttached, files, roots, sealKeys, now });
    return { code: EXIT_CODES[report.verdict], lines: describeReport(report) };
  } catch (error) {
    if (!(error instanceof Error && "path" in error)) throw error;
    return {
      code: 64,
      lines: [`Ce fichier ne peut pas être lu\u00a0: ${String(error.path)}`, "", ...USAGE],
    };
  }
}

function nameAmong(paths: readonly string[], path: string): string {
  const name = basename(path);
  return paths.some((other) => other !== path && basename(other) === name) ? path : name;
}

function readWords(
  words: readonly string[],
): Record<"paths" | "roots" | "keySets", readonly string[]> {
  try {
    const { positionals, values } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        root: { type: "string", multiple: true },
        jwks: { type: "string", multiple: true },
      },
    });
    return { paths: positionals, roots: values.root ?? [], keySets: values.jwks ?? [] };
  } catch {
    return { paths: [], roots: [], keySets: [] };
  }
}
