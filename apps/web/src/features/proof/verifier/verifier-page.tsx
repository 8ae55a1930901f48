import type { OfflineReport } from "@paraphe/proof";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { formatFileSize } from "../../../lib/format/format-numbers.ts";
import { usePageTitle } from "../../../ui/page-heading/page-heading.tsx";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { Dropzone } from "../../../ui/dropzone/dropzone.tsx";
import { TextField } from "../../../ui/field/field.tsx";
import { Fold } from "../../../ui/fold/fold.tsx";
import { Icon, type IconName } from "../../../ui/icon/icon.tsx";
import { MeaningList } from "../../../ui/meaning-list/meaning-list.tsx";
import { PublicPage } from "../../../ui/public-page/public-page.tsx";
import { verdictSentence } from "../../../ui/verdict/verdict.tsx";
import { GlossaryButton } from "../glossary/glossary-button.tsx";
import { GlossaryDialog } from "../glossary/glossary-dialog.tsx";
import {
  DropBox,
  ResultView,
  type FileKind,
  kindOf,
  type TakenFile,
  withFiles,
} from "./result-view.tsx";
import { describeResult, rootsToCompare } from "./result-words.ts";
import type { Checked, Answers, Brought, WorkerAnswer, WorkerQuestion } from "./verify-worker.ts";
import VerifyWorker from "./verify-worker.ts?worker&inline";
import styles from "./verifier-page.module.css";

/**
 * Names of files of `unknown` kinds, of `unread` files and of photographs too `blurred`. `code`:
 * from the last photograph.
 */
type Taken = {
  readonly files: readonly TakenFile[];
  readonly unknown: readonly string[];
  readonly unread: readonly string[];
  readonly blurred: readonly string[];
  readonly code: string | null;
};

/** Far above what the service signs. */
export const MAX_FILE_BYTES = 100_000_000;

type Readers = {
  readonly readCode: (photo: Uint8Array) => Promise<string | null>;
  readonly isEvidence: (pdf: Uint8Array) => Promise<boolean>;
};

export async function takeFiles(
  list: readonly File[],
  { readCode, isEvidence }: Readers,
): Promise<Taken> {
  const taken = {
    files: [] as TakenFile[],
    unknown: [] as string[],
    unread: [] as string[],
    blurred: [] as string[],
  };
  let code: string | null = null;
  for (const { name, bytes } of await Promise.all(
    list.map(async (file) => ({ name: file.name, bytes: await bytesOf(file) })),
  )) {
    const kind = bytes === null ? null : kindOf(bytes);
    const read = bytes !== null && kind === "photo" ? await readCode(bytes) : null;
    if (bytes === null) taken.unread.push(name);
    else if (kind === null) taken.unknown.push(name);
    else if (kind === "photo" && read === null) taken.blurred.push(name);
    else if (kind === "pdf" && (await isEvidence(bytes)))
      taken.files.push({ name, bytes, kind: "evidence" });
    else taken.files.push({ name, bytes, kind });
    code = read ?? code;
  }
  return { ...taken, code };
}

async function bytesOf(file: File): Promise<Uint8Array | null> {
  if (file.size > MAX_FILE_BYTES) return null;
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    // Moved, deleted or forbidden since it was chosen.
    console.warn("a file could not be read", error);
    return null;
  }
}

type CheckingViewProps = { readonly files: readonly TakenFile[]; readonly isReading: boolean };

function CheckingView({ files, isReading }: CheckingViewProps) {
  const read = files.map(
    ({ name, bytes }) =>
      ({
        tone: "good",
        text: `Fichier lu\u00a0: ${name}, ${formatFileSize(bytes.length)}`,
      }) as const,
  );
  const next = isReading
    ? "Lecture de ce que vous avez déposé"
    : "Contrôle des signatures et de l’horodatage";
  return (
    <div className={`card card__body stack ${styles["checking"]}`} aria-busy="true">
      <h1 className="h1" tabIndex={-1}>
        Vérification en cours…
      </h1>
      <span className={styles["bar"]} aria-hidden="true" />
      <MeaningList lines={[...read, { tone: "note", text: next }]} />
    </div>
  );
}

const FURTHER_KINDS: Readonly<Record<FileKind, string>> = {
  proof: "Preuve",
  evidence: "Dossier de preuve",
  pdf: "Document",
  certificate: "Racine de confiance",
  keys: "Clés du cachet",
  photo: "Photo",
};

type FurtherProps = {
  /** A copy on disk has no links. */
  readonly isFile: boolean;
  readonly files: readonly TakenFile[];
  readonly address: string;
  /** Roots to compare by hand where there is no trust file. */
  readonly roots: OfflineReport["roots"];
  readonly onFiles: (files: readonly File[]) => void;
  readonly onRemove: (file: TakenFile) => void;
  readonly onAddress: (address: string) => void;
};

function TrustFiles({
  isFile,
  roots,
  onFiles,
}: Pick<FurtherProps, "isFile" | "roots" | "onFiles">) {
  return (
    <div className="stack stack--sm">
      <h3 className="h3">Fichiers de confiance</h3>
      <Dropzone
        multiple
        compact
        title="Racine (ca.pem) ou clés du cachet (jwks.json)"
        hint="Sans ces fichiers, comparez vous-même l’empreinte affichée avec celle que publie le service."
        accept=".json,.pem,.crt,.cer,.der,application/json"
        onFiles={onFiles}
      />
      <p className="muted small">
        Le service les publie dans sa{" "}
        {isFile ? (
          "politique de certification"
        ) : (
          <a href="/politique-de-certification">politique de certification</a>
        )}
        .
      </p>
      {roots.map(({ name, fingerprint }) => (
        <CopyField
          key={fingerprint}
          label={`Empreinte à comparer (SHA-256)\u00a0: ${name}`}
          value={fingerprint}
        />
      ))}
    </div>
  );
}

function Further({ isFile, files, address, roots, onFiles, onRemove, onAddress }: FurtherProps) {
  return (
    <Fold
      id="plus-loin"
      title="Aller plus loin"
      hint="Fichiers de confiance, adresse du QR code"
      icon="key"
      isTool
    >
      <TrustFiles {...{ isFile, roots, onFiles }} />
      <TextField
        label="Adresse lue dans le QR code"
        optional
        help="Copiez l’adresse entière, y compris ce qui suit le #."
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        value={address}
        onChange={(event) => onAddress(event.target.value.trim())}
      />
      {files.length === 0 ? null : (
        <ul className={styles["files"]} aria-label="Fichiers donnés">
          {files.map((file) => (
            <li key={`${file.kind} ${file.name}`}>
              <span className={styles["file"]}>
                <span className="muted small">{FURTHER_KINDS[file.kind]}</span>
                <span>{file.name}</span>
              </span>
              <Button size="sm" aria-label={`Retirer ${file.name}`} onClick={() => onRemove(file)}>
                <Icon name="close" size="sm" />
                Retirer
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Fold>
  );
}

const COPY_NAME = "verifier.html";
const TITLE = "Vérifier une preuve sur votre appareil";
const NOTHING: Taken = { files: [], unknown: [], unread: [], blurred: [], code: null };

/** `/verifier`, and the same page as a file on disk (`isFile`). */
export function VerifierPage({
  fragment,
  isFile,
}: {
  readonly fragment: string;
  readonly isFile: boolean;
}) {
  const { taken, isReading, address, setAddress, take, remove, again } = useTaken(fragment);
  const { files } = taken;
  const authorities = useServiceAuthorities(isFile);
  const state = useCheck({ files, address, authorities });
  const isBusy = isReading || state.step === "checking";
  const result = !isBusy && state.step === "done" ? state : null;
  const words = result === null ? null : wordsOf(result, address);
  usePageTitle(
    isBusy ? "Vérification en cours" : words === null ? TITLE : "Résultat de la vérification",
  );
  useHeadingFocus(isBusy ? "busy" : state);
  return (
    <PublicPage about="Tout se passe sur votre appareil" icon="lock" isNarrow isAlone={isFile}>
      {/* The live region precedes its text: one inserted with it may stay silent. */}
      <p className="sr" role="status">
        {isBusy ? "Vérification en cours…" : words === null ? "" : verdictSentence(words)}
      </p>
      {words === null ? null : <LeftOut {...taken} />}
      {isBusy ? (
        <CheckingView files={files} isReading={isReading} />
      ) : words !== null && result !== null ? (
        <ResultView
          words={words}
          report={result.report}
          files={files}
          address={address}
          onFiles={take}
          onAgain={again}
        />
      ) : (
        <Start onFiles={take}>
          <LeftOut {...taken} />
          {state.step === "failed" ? (
            <Alert tone="danger" title="La vérification n’a pas pu se faire sur cet appareil." />
          ) : null}
        </Start>
      )}
      <Further
        isFile={isFile}
        files={files}
        address={address}
        roots={result === null ? [] : rootsToCompare(result.report)}
        onFiles={take}
        onRemove={remove}
        onAddress={setAddress}
      />
      <Aside isFile={isFile} />
    </PublicPage>
  );
}

function Aside({ isFile }: { readonly isFile: boolean }) {
  return (
    <>
      <p className={`muted small ${styles["aside"]}`}>
        <GlossaryButton dialog={GlossaryDialog} />
      </p>
      {isFile ? null : (
        <p className={`muted small ${styles["aside"]}`}>
          <a href={`/${COPY_NAME}`} download={COPY_NAME}>
            Garder cette page ({COPY_NAME})
          </a>
          {"\u00a0"}: un seul fichier, qui s’ouvre sans réseau et vérifiera encore quand ce service
          ne sera plus là.
        </p>
      )}
    </>
  );
}

const wordsOf = ({ report, trust }: Checked, address: string) =>
  describeResult(report, { isPaper: address !== "", trust, host: window.location.host });

function useTaken(fragment: string) {
  const [taken, setTaken] = useState(NOTHING);
  const [isReading, setIsReading] = useState(false);
  const [address, setAddress] = useState(fragment);
  const read = async (list: readonly File[]) => {
    setIsReading(true);
    const added = await takeFiles(list, {
      readCode: (photo) => askWorker({ ask: "code", photo }),
      isEvidence: (pdf) => askWorker({ ask: "evidence", pdf }).catch(() => false),
    });
    setTaken((before) => ({ ...added, files: withFiles(before.files, added.files) }));
    if (added.code !== null) setAddress(added.code);
    setIsReading(false);
  };
  return {
    taken,
    isReading,
    address,
    setAddress,
    take: (list: readonly File[]) => void read(list),
    remove: (file: TakenFile) => {
      setTaken({ ...taken, files: taken.files.filter((other) => other !== file) });
      if (file.kind === "photo") setAddress("");
    },
    again: () => {
      setTaken(NOTHING);
      setAddress("");
    },
  };
}

/** Focuses the heading, except while the reader is typing. */
function useHeadingFocus(view: unknown): void {
  const isFirst = useRef(true);
  useEffect(() => {
    const isTyping =
      document.activeElement instanceof HTMLInputElement && document.activeElement.type !== "file";
    if (!isFirst.current && !isTyping) document.querySelector<HTMLElement>("main h1")?.focus();
    isFirst.current = false;
  }, [view]);
}

const KINDS: readonly (readonly [IconName, string, string])[] = [
  ["files", "PDF signé", "Le fichier reçu par email ou téléchargé."],
  [
    "shield",
    "preuve.json",
    "Le fichier de preuve, à télécharger depuis la page de vérification du document\u202f; ou le dossier de preuve (PDF), auquel il est attaché.",
  ],
  ["camera", "Photo du papier", "La page où figure le QR code, à plat et nette."],
];

type StartProps = {
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
};

function Start({ onFiles, children }: StartProps) {
  return (
    <>
      <div className="stack stack--sm">
        <h1 className="h1" tabIndex={-1}>
          {TITLE}
        </h1>
        <p className="lead">
          Déposez ce que vous avez reçu{"\u00a0"}: cette page dit si c’est bien ce qui a été signé,
          par qui et quand. Rien n’est envoyé.
        </p>
      </div>
      {children}
      <DropBox
        title="Déposez votre fichier ici"
        hint="Un PDF signé, un fichier preuve.json ou une photo de la page imprimée"
        onFiles={onFiles}
      />
      <ul className={styles["kinds"]}>
        {KINDS.map(([icon, name, words]) => (
          <li key={name}>
            <Icon name={icon} size="sm" />
            <span>
              <b>{name}</b> {words}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const quoted = (names: readonly string[]) =>
  names.map((name) => `«\u00a0${name}\u00a0»`).join(", ");

function LeftOut({ files, unknown, unread, blurred }: Taken) {
  const are = unknown.length > 1 ? "ne sont" : "n’est";
  return (
    <>
      {unknown.length > 0 ? (
        <Alert
          tone="danger"
          title={unknown.length > 1 ? "Fichiers non reconnus" : "Fichier non reconnu"}
        >
          {quoted(unknown)} {are} ni un PDF, ni un preuve.json, ni une photo.
          {files.length === 0 ? " Rien n’a été vérifié." : ""}
        </Alert>
      ) : null}
      {unread.length > 0 ? (
        <Alert tone="warning" title="Fichier illisible">
          {quoted(unread)}
          {"\u00a0"}: ce fichier n’a pas pu être lu, ou dépasse 100 Mo.
        </Alert>
      ) : null}
      {blurred.length > 0 ? (
        <Alert tone="warning" title="Photo illisible">
          Le QR code n’a pas pu être lu sur cette photo. Reprenez-la de plus près, à plat et sans
          reflet.
        </Alert>
      ) : null}
    </>
  );
}

/** Each question has its own worker, so none waits for another. */
async function askWorker<Q extends WorkerQuestion>(question: Q): Promise<Answers[Q["ask"]]> {
  const worker = new VerifyWorker();
  return new Promise<Answers[Q["ask"]]>((resolve, reject) => {
    worker.addEventListener("message", ({ data }: MessageEvent<WorkerAnswer>) => {
      if ("answer" in data) resolve(data.answer as Answers[Q["ask"]]);
      else reject(new Error("The check failed", { cause: data.error }));
    });
    worker.addEventListener("error", ({ message }) =>
      reject(new Error("The check could not start", { cause: message })),
    );
    // Copied, not transferred, because the next question needs the files too.
    worker.postMessage(question, []);
  }).finally(() => worker.terminate());
}

/** The service's published certificates; null in a copy on disk. */
function useServiceAuthorities(isFile: boolean): Uint8Array | null {
  const [authorities, setAuthorities] = useState<Uint8Array | null>(null);
  useEffect(() => {
    const load = async () => {
      const response = await fetch("/pki/ca.pem");
      if (response.ok) setAuthorities(new Uint8Array(await response.arrayBuffer()));
    };
    if (!isFile) load().catch((error: unknown) => console.warn("no authorities loaded", error));
  }, [isFile]);
  return authorities;
}

/** A typed address is checked once the typing pauses. */
const SETTLED_MS = 300;

type CheckState =
  | { readonly step: "none" | "checking" | "failed" }
  | ({ readonly step: "done" } & Checked);

const NONE: CheckState = { step: "none" };
const CHECKING: CheckState = { step: "checking" };
type Asked = {
  readonly files: readonly TakenFile[];
  readonly address: string;
  readonly authorities: Uint8Array | null;
};

function useCheck({ files, address, authorities }: Asked): CheckState {
  const [answered, setAnswered] = useState<(Asked & { readonly state: CheckState }) | null>(null);
  const isAsked =
    address !== "" || files.some(({ kind }) => ["proof", "evidence", "pdf"].includes(kind));
  useEffect(() => {
    if (!isAsked) return undefined;
    const asked = { files, address, authorities };
    let isLate = false;
    const show = (state: CheckState) => {
      if (!isLate) setAnswered({ ...asked, state });
    };
    const check = () =>
      askWorker({ ask: "check", brought: broughtOf(asked) }).then(
        (checked) => show({ step: "done", ...checked }),
        (error: unknown) => {
          console.error(error);
          show({ step: "failed" });
        },
      );
    const timer = setTimeout(() => void check(), SETTLED_MS);
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [files, address, authorities, isAsked]);
  if (!isAsked) return NONE;
  const isCurrent =
    answered?.files === files &&
    answered.address === address &&
    answered.authorities === authorities;
  return isCurrent ? answered.state : CHECKING;
}

function broughtOf({ files, address, authorities }: Asked): Brought {
  const ofKind = (wanted: TakenFile["kind"]) => files.filter(({ kind }) => kind === wanted);
  return {
    proof: ofKind("proof")[0]?.bytes ?? null,
    evidence: ofKind("evidence")[0] ?? null,
    files: ofKind("pdf").map(({ name, bytes }) => ({ name, bytes })),
    certificates: ofKind("certificate").map(({ bytes }) => bytes),
    keySets: ofKind("keys").map(({ bytes }) => bytes),
    authorities,
    address: address === "" ? null : address,
    now: new Date(),
  };
}
