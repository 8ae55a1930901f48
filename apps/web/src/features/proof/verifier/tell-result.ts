import type { BroughtReport, ProofCheck, ProofCheckName } from "@paraphe/proof";
import { exactlySigned } from "../../../lib/exactly-signed.ts";
import { formatInstant, formatLongDay } from "../../../lib/format-dates.ts";
import { plural } from "../../../lib/format-numbers.ts";
import type { MeaningLine } from "../../../ui/meaning-list/meaning-list.tsx";

/** A result in the words of somebody who checks for the first time. `word`: in the place of the verdict's own; `heading`: of the lines. */
export type Told = {
  readonly verdict: BroughtReport["verdict"];
  readonly word?: string;
  readonly reason: string;
  readonly heading: string;
  readonly lines: readonly MeaningLine[];
};

/** Tells what checks come to. `isPaper`: a printed page's address is among what was given. */
export function tellResult(
  report: BroughtReport,
  { isPaper }: { readonly isPaper: boolean },
): Told {
  if (report.verdict === "invalid") return tellInvalid(report.checks);
  if (report.verdict === "valid") return tellValid(report, isPaper);
  return report.proof === null
    ? tellWithoutProof(report, isPaper)
    : tellIncomplete(report, isPaper);
}

/** Gives the roots that nobody vouches for, whose fingerprints an expert compares by hand. */
export function rootsToCompare({
  verdict,
  proof,
  checks,
  roots,
}: BroughtReport): BroughtReport["roots"] {
  return verdict === "indeterminate" && proof !== null && !isRooted(checks) ? roots : [];
}

const isRooted = (checks: BroughtReport["checks"]): boolean =>
  checks.some(({ name, state }) => name === "root" && state === "ok");

/** Gives a check's sentence without the fingerprints that it names: they stand in the details. */
function plainly(sentence: string): string {
  return sentence
    .replace(/ \(empreinte SHA-256 [^)]*\)/, "")
    .replace(/ Empreinte du fichier \(SHA-256\)\u00a0: [0-9a-f]*\.$/, "");
}

/** Where a check's own sentence is for somebody who knows what is checked. */
const PLAIN: Partial<Readonly<Record<ProofCheckName, string>>> = {
  form: "Ce fichier de preuve a été modifié, ou n’est pas une preuve de ce service.",
  seal: "La preuve n’est plus celle que le service a scellée.",
  content: "La preuve n’est plus celle que le service a scellée.",
  file: "Ce fichier n’est pas celui qui a été signé, ou il a été modifié depuis.",
};

function tellInvalid(checks: BroughtReport["checks"]): Told {
  const failed = checks.find(({ state }) => state === "failed");
  return {
    verdict: "invalid",
    reason:
      (failed === undefined ? undefined : (PLAIN[failed.name] ?? plainly(failed.sentence))) ??
      "Quelque chose ne tient pas.",
    heading: "Que faire\u202f?",
    lines: [
      { tone: "bad", text: "Ne vous y fiez pas, même si la page imprimée semble juste." },
      { tone: "note", text: "Demandez l’original à la personne qui vous l’a remis." },
    ],
  };
}

const MEANS = "Ce que cela signifie";

function tellValid({ proof }: BroughtReport, isPaper: boolean): Told {
  const signers = proof?.signers ?? [];
  const last = signers
    .flatMap(({ signed_at }) => signed_at ?? [])
    .toSorted()
    .at(-1);
  const isOne = proof?.files.length === 1;
  const since = last === undefined ? "la signature" : `le ${formatInstant(last)}`;
  const paper: MeaningLine = {
    tone: "good",
    text: "Le QR code a bien été signé par le service, et parle de ce fichier.",
  };
  return {
    verdict: "valid",
    reason: isOne
      ? `Le document n’a pas été modifié depuis ${since}.`
      : `Les documents n’ont pas été modifiés depuis ${since}.`,
    heading: MEANS,
    lines: [
      {
        tone: "good",
        text: exactlySigned({ files: proof?.files.length ?? 0, signers: signers.length }),
      },
      ...(isPaper ? [paper] : []),
      {
        tone: "note",
        text: `Hors ligne, cette page ne sait pas ce qui s’est passé depuis que la preuve a été faite, le ${formatLongDay(proof?.checked_at ?? "")}.`,
      },
    ],
  };
}

const PAPER_PROVES_NO_TEXT: MeaningLine = {
  tone: "note",
  text: "Une photo ne prouve pas le texte de la page\u00a0: ouvrez l’original et comparez, page à page.",
};
const PROOF_MISSING =
  "preuve.json\u00a0: demandez-le à la personne qui vous a remis le document, ou téléchargez-le depuis sa page publique.";
const ROOT_MISSING =
  "Un fichier de confiance, que le service publie\u00a0: «\u00a0Aller plus loin\u00a0», plus bas, dit où le prendre et comment l’ajouter.";
const OR_A_PHOTO: MeaningLine = {
  tone: "note",
  text: "ou une photo du QR code imprimé\u00a0: il mène à la page publique, qui montre l’original.",
};
const MISSING = "Pour conclure, il manque";

function tellWithoutProof(report: BroughtReport, isPaper: boolean): Told {
  const { checks, stated } = report;
  const files = checks.filter(({ name }) => name === "signatures");
  if (files.length === 0) {
    const statement = checks.find(({ name }) => name === "statement");
    const isRead = checks.some(({ name }) => name === "paper");
    const lines: readonly MeaningLine[] = [
      ...(isRead ? [PAPER_PROVES_NO_TEXT] : []),
      { tone: "note", text: PROOF_MISSING },
    ];
    return {
      verdict: "indeterminate",
      ...(isRead ? { word: "QR code lu" } : {}),
      reason: statement?.sentence ?? report.summary,
      heading: MISSING,
      lines,
    };
  }
  const lines: readonly MeaningLine[] = [
    { tone: "note", text: PROOF_MISSING },
    ...(isPaper ? [] : [OR_A_PHOTO]),
  ];
  return {
    verdict: "indeterminate",
    reason: filesSaid(files, stated.length),
    heading: MISSING,
    lines,
  };
}

function filesSaid(files: readonly ProofCheck[], count: number): string {
  const these = files.length > 1 ? "Ces PDF" : "Ce PDF";
  const bear = files.length > 1 ? "portent" : "porte";
  if (count === 0)
    return files.length > 1
      ? "Ces PDF ne portent aucune signature électronique lisible\u00a0: des copies à imprimer, par exemple, ne sont jamais les fichiers signés."
      : "Ce PDF ne porte aucune signature électronique lisible\u00a0: une copie à imprimer, par exemple, n’est jamais le fichier signé.";
  if (files.every(({ state }) => state === "ok"))
    return `${these} ${bear} ${plural(count, "signature")} valide${count > 1 ? "s" : ""}, mais rien ne dit ici que personne ne manque.`;
  return `${these} ${bear} ${plural(count, "signature")}, mais il manque de quoi ${count > 1 ? "les" : "la"} contrôler ici.`;
}

function tellIncomplete({ checks, proof, summary }: BroughtReport, isPaper: boolean): Told {
  const left = checks.filter(({ state }) => state === "not_checked");
  const isVouched = isRooted(checks);
  const files = left.filter(({ name }) => name === "file");
  const isCodeOurs =
    isPaper && checks.some(({ name, state }) => name === "statement" && state === "ok");
  if (isCodeOurs && files.length === proof?.files.length) return tellCode();
  const lines: MeaningLine[] = files.map(({ subject }) => ({
    tone: "note",
    text: `Le PDF signé${subject === null ? "" : `, «\u00a0${subject}\u00a0»`}.`,
  }));
  if (!isVouched)
    lines.push({ tone: "note", text: ROOT_MISSING }, ...(isPaper ? [] : [OR_A_PHOTO]));
  // What only the root keeps back says nothing more; the rest is told in the words of its check.
  const others = isVouched ? left.filter(({ name }) => name !== "file" && name !== "paper") : [];
  lines.push(
    ...others.map(({ sentence }): MeaningLine => ({ tone: "note", text: plainly(sentence) })),
  );
  if (isPaper) lines.push(PAPER_PROVES_NO_TEXT);
  const isAllButRoot = files.length === 0 && !isVouched;
  return {
    verdict: "indeterminate",
    reason: isAllButRoot
      ? "Rien ne se contredit, mais rien ne dit encore que cette preuve vient bien du service."
      : summary,
    heading: MISSING,
    lines,
  };
}

/** The code alone was asked about, and the service signed it. */
function tellCode(): Told {
  return {
    verdict: "valid",
    word: "Le QR code est authentique",
    reason: "Le service l’a signé. Reste à comparer le papier à l’original.",
    heading: MEANS,
    lines: [
      { tone: "good", text: "Le titre, les noms et les dates ci-dessus sont ceux de l’original." },
      PAPER_PROVES_NO_TEXT,
    ],
  };
}
