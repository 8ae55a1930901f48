import {
  type OfflineReport,
  PAGES_UNCHECKED,
  type ProofCheckName,
  type Trust,
} from "@paraphe/proof";
import { exactlySigned } from "../../../lib/format/format-validity.ts";
import { formatInstant, formatLongDay } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import type { MeaningLine } from "../../../ui/meaning-list/meaning-list.tsx";

type Block = { readonly heading: string; readonly lines: readonly MeaningLine[] };

/** `word` replaces the verdict's own. */
export type ResultWords = {
  readonly verdict: OfflineReport["verdict"];
  readonly word?: string;
  readonly reason: string;
  readonly blocks: readonly Block[];
};

/** `isPaper`: a printed page's address was given; `host`: of this page. */
type Context = { readonly isPaper: boolean; readonly trust: Trust; readonly host: string };

export function describeResult(report: OfflineReport, context: Context): ResultWords {
  if (report.verdict === "invalid") return describeInvalid(report.checks);
  if (report.verdict === "valid") return describeValid(report, context);
  return report.proof === null
    ? describeWithoutProof(report, context)
    : describeIncomplete(report, context);
}

/** Roots not trusted yet, whose fingerprints an expert compares by hand. */
export function rootsToCompare({
  verdict,
  proof,
  checks,
  roots,
}: OfflineReport): OfflineReport["roots"] {
  return verdict === "indeterminate" && proof !== null && !isRooted(checks) ? roots : [];
}

const isRooted = (checks: OfflineReport["checks"]): boolean =>
  checks.some(({ name, state }) => name === "root" && state === "ok");

/** Leaves out the fingerprints, which stand in the details. */
function plainly(sentence: string): string {
  return sentence
    .replace(/ \(empreinte SHA-256 [^)]*\)/, "")
    .replace(/ Empreinte du fichier \(SHA-256\)\u00a0: [0-9a-f]*\.$/, "");
}

/** Plain sentences that replace those for experts. */
const PLAIN: Partial<Readonly<Record<ProofCheckName, string>>> = {
  form: "Ce fichier de preuve a été modifié, ou n’est pas une preuve de ce service.",
  seal: "La preuve n’est plus celle que le service a scellée.",
  content: "La preuve n’est plus celle que le service a scellée.",
};

function describeInvalid(checks: OfflineReport["checks"]): ResultWords {
  const failed = checks.find(({ state }) => state === "failed");
  return {
    verdict: "invalid",
    reason:
      (failed === undefined ? undefined : (PLAIN[failed.name] ?? plainly(failed.sentence))) ??
      "Quelque chose ne tient pas.",
    blocks: [
      {
        heading: "Que faire\u202f?",
        lines: [
          { tone: "bad", text: "Ne vous y fiez pas, même si la page imprimée semble juste." },
          { tone: "note", text: "Demandez l’original à la personne qui vous l’a remis." },
        ],
      },
    ],
  };
}

const means = (lines: readonly MeaningLine[]): Block => ({
  heading: "Ce que cela signifie",
  lines,
});

const lastOf = (times: readonly string[]): string => {
  const last = times.toSorted().at(-1);
  return last === undefined ? "la signature" : `le ${formatInstant(last)}`;
};

/** Only this page's service vouches for its authorities. */
const serviceTrust = ({ trust, host }: Context): readonly MeaningLine[] =>
  trust === "service"
    ? [
        {
          tone: "note",
          text: `La confiance vient de ce service («\u00a0${host}\u00a0»), qui publie lui-même ses autorités\u00a0: vérifiez que c’est bien lui.`,
        },
      ]
    : [];

function describeValid({ proof, limits }: OfflineReport, context: Context): ResultWords {
  const signers = proof?.signers ?? [];
  const isOne = proof?.files.length === 1;
  const since = lastOf(signers.flatMap(({ signed_at }) => signed_at ?? []));
  const paper: MeaningLine = {
    tone: "good",
    text: "Le QR code a bien été signé par le service, et parle de ce fichier.",
  };
  return {
    verdict: "valid",
    reason: isOne
      ? `Le document n’a pas été modifié depuis ${since}.`
      : `Les documents n’ont pas été modifiés depuis ${since}.`,
    blocks: [
      means([
        {
          tone: "good",
          text: exactlySigned({ files: proof?.files.length ?? 0, signers: signers.length }),
        },
        ...(context.isPaper ? [paper] : []),
        ...serviceTrust(context),
        ...attachedNote(limits),
        {
          tone: "note",
          text: `Hors ligne, cette page ne sait pas ce qui s’est passé depuis que la preuve a été faite, le ${formatLongDay(proof?.checked_at ?? "")}.`,
        },
      ]),
    ],
  };
}

const PAPER_PROVES_NO_TEXT: MeaningLine = {
  tone: "note",
  text: "Une photo ne prouve pas le texte de la page\u00a0: ouvrez l’original et comparez, page à page.",
};
const PROOF_MISSING =
  "preuve.json, ou le dossier de preuve\u00a0: demandez-le à la personne qui vous a remis le document, ou téléchargez preuve.json depuis sa page publique.";
const ROOT_MISSING =
  "Un fichier de confiance, que le service publie\u00a0: «\u00a0Aller plus loin\u00a0», plus bas, dit où le prendre et comment l’ajouter.";
const OR_A_PHOTO: MeaningLine = {
  tone: "note",
  text: "ou une photo du QR code imprimé\u00a0: il mène à la page publique, qui montre l’original.",
};
/** `missing`: what the reader can bring; `notes`: whatever else is known. */
const incomplete = (missing: readonly MeaningLine[], notes: readonly MeaningLine[]) => [
  ...(missing.length > 0 ? [{ heading: "Pour conclure, il manque", lines: missing }] : []),
  ...(notes.length > 0 ? [means(notes)] : []),
];

const note = (text: string): MeaningLine => ({ tone: "note", text });

const attachedNote = (limits: OfflineReport["limits"]): readonly MeaningLine[] =>
  limits.filter((limit) => limit === PAGES_UNCHECKED).map(note);

/** Says why a trust file is missing, where the page already has some. */
const foreignTrust = ({ trust, host }: Context): readonly MeaningLine[] =>
  trust === "unknown"
    ? [note(`Les autorités de ce service («\u00a0${host}\u00a0») ne suffisent pas à conclure.`)]
    : [];

function describeWithoutProof(report: OfflineReport, context: Context): ResultWords {
  const { checks, stated, summary } = report;
  const { isPaper } = context;
  const files = checks.filter(({ name }) => name === "signatures");
  if (files.length === 0) {
    const statement = checks.find(({ name }) => name === "statement");
    const isRead = checks.some(({ name }) => name === "paper");
    return {
      verdict: "indeterminate",
      ...(isRead ? { word: "QR code lu" } : {}),
      reason: statement?.sentence ?? summary,
      blocks: incomplete([note(PROOF_MISSING)], isRead ? [PAPER_PROVES_NO_TEXT] : []),
    };
  }
  if (stated.length > 0 && files.every(({ state }) => state === "ok"))
    return describeSigned(stated, files.length, context);
  const isForeign = stated.length > 0 && !isRooted(checks);
  return {
    verdict: "indeterminate",
    reason: unverifiedSaid(files.length, stated.length),
    blocks: incomplete(
      [
        ...(isForeign ? [note(ROOT_MISSING)] : []),
        note(PROOF_MISSING),
        ...(isPaper ? [] : [OR_A_PHOTO]),
      ],
      isForeign ? foreignTrust(context) : [],
    ),
  };
}

/** Every signature is valid; only the proof names who else was to sign. */
function describeSigned(
  stated: OfflineReport["stated"],
  fileCount: number,
  context: Context,
): ResultWords {
  const [these, were] =
    fileCount > 1 ? ["Ces PDF", "n’ont pas été modifiés"] : ["Ce PDF", "n’a pas été modifié"];
  const mark = stated.length > 1 ? "s" : "";
  const since = lastOf(stated.flatMap(({ at }) => at?.toISOString() ?? []));
  return {
    verdict: "valid",
    word: `Signature${mark} du PDF valide${mark}`,
    reason: `${these} ${were} depuis ${since}.`,
    blocks: [
      means([
        {
          tone: "good",
          text: `${plural(stated.length, "signature")} vérifiée${mark}\u00a0: ${stated.length > 1 ? "les noms sont" : "le nom est"} ci-dessus.`,
        },
        ...serviceTrust(context),
        note(
          "Le PDF seul ne dit pas si quelqu’un devait encore signer\u00a0: ajoutez preuve.json ci-dessous pour le savoir.",
        ),
        ...(context.isPaper ? [PAPER_PROVES_NO_TEXT] : []),
      ]),
    ],
  };
}

function unverifiedSaid(fileCount: number, count: number): string {
  if (count === 0)
    return fileCount > 1
      ? "Ces PDF ne portent aucune signature électronique lisible\u00a0: des copies à imprimer, par exemple, ne sont jamais les fichiers signés."
      : "Ce PDF ne porte aucune signature électronique lisible\u00a0: une copie à imprimer, par exemple, n’est jamais le fichier signé.";
  const bear = fileCount > 1 ? "Ces PDF portent" : "Ce PDF porte";
  return `${bear} ${plural(count, "signature")}, mais il manque de quoi ${count > 1 ? "les" : "la"} contrôler ici.`;
}

function describeIncomplete(
  { checks, proof, summary, limits }: OfflineReport,
  context: Context,
): ResultWords {
  const { isPaper } = context;
  const left = checks.filter(({ state }) => state === "not_checked");
  const isTrusted = isRooted(checks);
  const files = left.filter(({ name }) => name === "file");
  const isCodeOurs =
    isPaper && checks.some(({ name, state }) => name === "statement" && state === "ok");
  if (isCodeOurs && files.length === proof?.files.length) return describeCode();
  const missing = [
    ...files.map(({ subject }) =>
      note(`Le PDF signé${subject === null ? "" : `, «\u00a0${subject}\u00a0»`}.`),
    ),
    ...(isTrusted ? [] : [note(ROOT_MISSING), ...(isPaper ? [] : [OR_A_PHOTO])]),
  ];
  // Checks that only wait for the root add nothing.
  const others = isTrusted ? left.filter(({ name }) => name !== "file" && name !== "paper") : [];
  const notes = [
    ...serviceTrust(context),
    ...attachedNote(limits),
    ...(isTrusted ? [] : foreignTrust(context)),
    ...others.map(({ sentence }) => note(plainly(sentence))),
    ...(isPaper ? [PAPER_PROVES_NO_TEXT] : []),
  ];
  const isAllButRoot = files.length === 0 && !isTrusted;
  return {
    verdict: "indeterminate",
    reason: isAllButRoot
      ? "Rien ne se contredit, mais rien ne dit encore que cette preuve vient bien du service."
      : summary,
    blocks: incomplete(missing, notes),
  };
}

/** The printed code was given alone, and the service signed it. */
function describeCode(): ResultWords {
  return {
    verdict: "valid",
    word: "Le QR code est authentique",
    reason: "Le service l’a signé. Reste à comparer le papier à l’original.",
    blocks: [
      means([
        {
          tone: "good",
          text: "Le titre, les noms et les dates ci-dessus sont ceux de l’original.",
        },
        PAPER_PROVES_NO_TEXT,
      ]),
    ],
  };
}
