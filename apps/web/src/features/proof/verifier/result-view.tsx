import { type OfflineReport, CHECK_NAMES, type CheckState, type ProofReport } from "@paraphe/proof";
import { type ReactNode, useRef } from "react";
import { formatInstant } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { Fold } from "../../../ui/fold/fold.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { KeyValue } from "../../../ui/key-value/key-value.tsx";
import { MeaningList } from "../../../ui/meaning-list/meaning-list.tsx";
import { Verdict } from "../../../ui/verdict/verdict.tsx";
import type { ResultWords } from "./result-words.ts";
import styles from "./verifier-page.module.css";
import { classNames } from "../../../lib/class-names.ts";
import { useFileDrop } from "../../../ui/dropzone/dropzone.tsx";
import { FileInput } from "../../../ui/field/file-input.tsx";
import boxStyles from "./drop-box.module.css";

export type FileKind = "proof" | "evidence" | "pdf" | "certificate" | "keys" | "photo";

export type TakenFile = {
  readonly kind: FileKind;
  readonly name: string;
  readonly bytes: Uint8Array;
};

/** First bytes: JPEG, PNG, WebP (RFC 9649 §2.4), HEIF and AVIF (ISO 14496-12 §4.3). */
const PICTURE = /^(?:\xff\xd8\xff|\x89PNG\r\n|RIFF[^]{4}WEBP|[^]{4}ftyp(?:hei|hev|mif1|avif))/;

/** The kind by content, not by name; null for other files. */
export function kindOf(bytes: Uint8Array): FileKind | null {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  if (PICTURE.test(String.fromCharCode(...bytes.subarray(0, 16)))) return "photo";
  if (start.includes("%PDF-")) return "pdf";
  // A JWK set has one required member (RFC 7517 §5).
  if (/^\s*\{\s*"keys"\s*:/.test(start)) return "keys";
  if (start.trimStart().startsWith("{")) return "proof";
  if (start.includes("-----BEGIN CERTIFICATE-----")) return "certificate";
  // DER: SEQUENCE, length on two bytes (RFC 5280 §4.1).
  return bytes[0] === 0x30 && bytes[1] === 0x82 ? "certificate" : null;
}

const isOnly = (kind: FileKind): boolean =>
  kind === "proof" || kind === "evidence" || kind === "photo";

/** A new proof, evidence PDF or photograph replaces the earlier one; a file, one of the same name. */
export function withFiles(
  before: readonly TakenFile[],
  added: readonly TakenFile[],
): readonly TakenFile[] {
  return added.reduce<readonly TakenFile[]>((all, file) => {
    const others = all.filter(
      ({ kind, name }) => kind !== file.kind || (!isOnly(kind) && name !== file.name),
    );
    return [...others, file];
  }, before);
}

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

/** Names that are not verified appear as claims. */
function Facts({ report, files }: Pick<Props, "report" | "files">) {
  const { proof, checks, stated, verdict } = report;
  const isProofSound = !checks.some(
    ({ name, state }) => state === "failed" && !OF_THE_FILE.has(name),
  );
  const isTrusted =
    checks.some(({ name, state }) => name === "root" && state === "ok") &&
    (verdict !== "invalid" || isProofSound);
  const proven = proof !== null && isProofSound ? proof : null;
  // The proof tells nothing of a file that it does not name.
  const told = checks.some(({ name, state }) => name === "file" && state === "failed")
    ? null
    : proven;
  const signers =
    told === null
      ? stated.map(({ name, at }) => signerSaid(name ?? "Sans nom", at?.toISOString() ?? null))
      : told.signers
          .filter(({ signed }) => signed)
          .map(({ full_name, signed_at }) => signerSaid(full_name, signed_at));
  const pdfs = files.filter(({ kind }) => kind === "pdf").map(({ name }) => name);
  // The proof counts the pages of all its documents, which is wrong for fewer files.
  const isWhole = pdfs.length === 0 || pdfs.length >= (told?.documents.length ?? 0);
  const pages = isWhole
    ? (told?.documents.reduce((sum, { page_count }) => sum + (page_count ?? 0), 0) ?? 0)
    : 0;
  const beside = [...pdfs, ...(pages > 0 ? [plural(pages, "page")] : [])].join(", ");
  const entries: (readonly [string, ReactNode])[] = [];
  if (told !== null || pdfs.length > 0)
    entries.push([
      "Document",
      <Lines
        key="document"
        lines={told?.title ? [<b key="title">{told.title}</b>, beside] : [beside]}
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

type DropBoxProps = {
  readonly title: string;
  readonly hint: string;
  readonly isSmall?: boolean;
  /** Its button is the page's next step. */
  readonly isPrimary?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
};

const ACCEPTED = ".pdf,.json,.pem,.crt,.cer,.der,application/pdf,application/json,image/*";

export function DropBox({ title, hint, isSmall = false, isPrimary = true, onFiles }: DropBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const take = (files: readonly File[]) => files.length > 0 && onFiles(files);
  const { isOver, target } = useFileDrop(take);
  return (
    <div
      className={classNames(
        boxStyles["box"],
        isOver && boxStyles["over"],
        isSmall && boxStyles["small"],
      )}
      {...target}
    >
      <span className={boxStyles["kinds"]}>
        {isSmall ? (
          <Icon name="upload" />
        ) : (
          (["files", "shield", "camera"] as const).map((name) => <Icon key={name} name={name} />)
        )}
      </span>
      <span className={boxStyles["words"]}>
        <b>{isOver ? "Relâchez pour vérifier" : title}</b>
        <span>{hint}</span>
      </span>
      <span className={boxStyles["buttons"]}>
        <Button
          variant={isPrimary ? "primary" : "secondary"}
          size={isSmall ? "sm" : "lg"}
          onClick={() => input.current?.click()}
        >
          Choisir un fichier
        </Button>
        {isSmall ? null : (
          <Button size="lg" className={boxStyles["photo"]} onClick={() => camera.current?.click()}>
            <Icon name="camera" size="sm" />
            Photographier la page
          </Button>
        )}
      </span>
      <FileInput label={title} accept={ACCEPTED} ref={input} onTake={take} multiple />
      {isSmall ? null : (
        <FileInput
          label="Photo de la page imprimée"
          accept="image/*"
          capture="environment"
          ref={camera}
          onTake={take}
        />
      )}
    </div>
  );
}
