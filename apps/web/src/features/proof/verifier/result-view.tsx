import { type OfflineReport, CHECK_NAMES, type CheckState, type ProofReport } from "@paraphe/proof";
import type { ReactNode } from "react";
import { formatInstant } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { Fold } from "../../../ui/fold/fold.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { KeyValue } from "../../../ui/key-value/key-value.tsx";
import { MeaningList } from "../../../ui/meaning-list/meaning-list.tsx";
import { Verdict } from "../../../ui/verdict/verdict.tsx";
import { DropBox } from "./drop-box.tsx";
import type { TakenFile } from "./sort-files.ts";
import type { ResultWords } from "./result-words.ts";
import styles from "./verifier-page.module.css";

export function placeOf(address: string): { readonly href: string; readonly host: string } | null {
  if (!URL.canParse(address)) return null;
  const { protocol, href, host } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? { href, host } : null;
}

const STATES: Readonly<
  Record<CheckState, { readonly word: string; readonly icon: "check" | "alert" | "info" }>
> = {
  ok: { word: "Juste", icon: "check" },
  failed: { word: "Faux", icon: "alert" },
  not_checked: { word: "Non vérifié", icon: "info" },
};

/** Failed checks first, then what none can establish. */
function CheckList({ report }: { readonly report: ProofReport }) {
  return (
    <>
      <ul className={styles["checks"]}>
        {failedFirst(report.checks).map(({ name, state, subject, sentence }) => (
          <li key={`${name} ${subject ?? ""} ${sentence}`} data-state={state}>
            <span className={styles["state"]}>
              <Icon name={STATES[state].icon} size="sm" />
              {STATES[state].word}
            </span>
            <span className={styles["check"]}>
              <strong>
                {CHECK_NAMES[name]}
                {subject === null ? "" : ` – ${subject}`}
              </strong>
              <span>{sentence}</span>
            </span>
          </li>
        ))}
      </ul>
      <div className="stack stack--sm">
        <h3 className="h3">Ce qu’aucun contrôle hors ligne ne dit</h3>
        <ul className={styles["limits"]}>
          {report.limits.map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      </div>
    </>
  );
}

function failedFirst(checks: ProofReport["checks"]): ProofReport["checks"] {
  return [
    ...checks.filter(({ state }) => state === "failed"),
    ...checks.filter(({ state }) => state !== "failed"),
  ];
}

type Props = {
  readonly words: ResultWords;
  readonly report: OfflineReport;
  readonly files: readonly TakenFile[];
  readonly address: string;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onAgain: () => void;
};

export function ResultView({ words, report, files, address, onFiles, onAgain }: Props) {
  const original = report.verdict === "invalid" ? null : placeOf(address);
  const isIncomplete = report.verdict === "indeterminate";
  return (
    <>
      <section className="card" aria-label="Résultat">
        <Verdict verdict={words.verdict} word={words.word} reason={words.reason} />
        <div className="card__body stack stack--lg">
          <Facts report={report} files={files} />
          {words.blocks.map(({ heading, lines }) => (
            <div key={heading} className="stack stack--sm">
              <h2 className="h3">{heading}</h2>
              <MeaningList lines={lines} />
            </div>
          ))}
          {isIncomplete ? (
            <DropBox
              title="Ajoutez ce qui manque"
              hint={"Ce qui est déjà déposé est gardé."}
              isSmall
              isPrimary={original === null}
              onFiles={onFiles}
            />
          ) : null}
          {original === null ? null : (
            <p className="muted small break">
              Cette adresse mène à <b>{original.host}</b>
              {"\u00a0"}: vérifiez que c’est bien le service avant de l’ouvrir.
            </p>
          )}
        </div>
        <ResultActions {...{ original, isIncomplete, onAgain }} />
      </section>
      <Fold
        id="details"
        title="Détails techniques"
        hint="Chaque contrôle, pour un expert ou un juge"
        icon="shield"
      >
        <CheckList report={report} />
      </Fold>
    </>
  );
}

type ResultActionsProps = Pick<Props, "onAgain"> & {
  readonly original: ReturnType<typeof placeOf>;
  readonly isIncomplete: boolean;
};

/** One primary button: the original, else the missing file, else another file. */
function ResultActions({ original, isIncomplete, onAgain }: ResultActionsProps) {
  return (
    <div className={`card__foot ${styles["actions"]}`}>
      {original === null ? null : (
        <a className={buttonLook({ variant: "primary" })} href={original.href} rel="noreferrer">
          <Icon name="external" size="sm" />
          Voir l’original
        </a>
      )}
      <Button
        variant={original === null && !isIncomplete ? "primary" : "secondary"}
        onClick={onAgain}
      >
        <Icon name="refresh" size="sm" />
        Vérifier un autre fichier
      </Button>
      <Button variant="ghost" onClick={() => window.print()}>
        <Icon name="print" size="sm" />
        Imprimer le résultat
      </Button>
    </div>
  );
}

/** Unverified names are claims. */
function Facts({ report, files }: Pick<Props, "report" | "files">) {
  const { proof, checks, stated, verdict } = report;
  // An invalid proof is not quoted.
  const isProofSound = !checks.some(
    ({ name, state }) => state === "failed" && !OF_THE_FILE.has(name),
  );
  const isTrusted =
    checks.some(({ name, state }) => name === "root" && state === "ok") &&
    (verdict !== "invalid" || isProofSound);
  const proven = proof !== null && isProofSound ? proof : null;
  const signers =
    proven === null
      ? stated.map(({ name, at }) => signerSaid(name ?? "Sans nom", at?.toISOString() ?? null))
      : proven.signers
          .filter(({ signed }) => signed)
          .map(({ full_name, signed_at }) => signerSaid(full_name, signed_at));
  const pdfs = files.filter(({ kind }) => kind === "pdf").map(({ name }) => name);
  // The proof counts the pages of all its documents: wrong for fewer files.
  const isWhole = pdfs.length === 0 || pdfs.length >= (proven?.documents.length ?? 0);
  const pages = isWhole
    ? (proven?.documents.reduce((sum, { page_count }) => sum + (page_count ?? 0), 0) ?? 0)
    : 0;
  const beside = [...pdfs, ...(pages > 0 ? [plural(pages, "page")] : [])].join(", ");
  const entries: (readonly [string, ReactNode])[] = [];
  if (proven !== null || pdfs.length > 0)
    entries.push([
      "Document",
      <Lines
        key="document"
        lines={proven?.title ? [<b key="title">{proven.title}</b>, beside] : [beside]}
      />,
    ]);
  const [signedBy, madeBy] = isTrusted
    ? ["Signé par", "Établi par"]
    : ["Se dit signé par", "Se dit établi par"];
  if (signers.length > 0) entries.push([signedBy, <Lines key="signers" lines={signers} />]);
  if (proven !== null) entries.push([madeBy, proven.service]);
  entries.push([
    "Contrôle fait",
    `sur cet appareil, le ${formatInstant(new Date().toISOString())} (heure de Paris)`,
  ]);
  return <KeyValue entries={entries} />;
}

function Lines({ lines }: { readonly lines: readonly ReactNode[] }) {
  return (
    <span className={styles["lines"]}>
      {lines.map((line, index) => (
        <span key={index}>{line}</span>
      ))}
    </span>
  );
}

const OF_THE_FILE: ReadonlySet<string> = new Set([
  "file",
  "signatures",
  "link",
  "paper",
  "statement",
]);

function signerSaid(name: string, at: string | null): string {
  return at === null ? name : `${name}, le ${formatInstant(at)}`;
}
