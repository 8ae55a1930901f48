import { type ReactNode, useEffect, useRef, useState } from "react";
import { usePageTitle } from "../../../lib/use-page-title.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import type { IconName } from "../../../ui/icon/icon-paths.ts";
import { PublicPage } from "../../../ui/public-page/public-page.tsx";
import { verdictSentence } from "../../../ui/verdict/verdict.tsx";
import { GlossaryLink } from "../glossary/glossary-link.tsx";
import { askWorker } from "./ask-worker.ts";
import { CheckingView } from "./checking-view.tsx";
import { DropBox } from "./drop-box.tsx";
import { Further } from "./further.tsx";
import { ResultView } from "./result-view.tsx";
import { type TakenFile, withFiles } from "./sort-files.ts";
import { type Taken, takeFiles } from "./take-files.ts";
import { tellResult } from "./tell-result.ts";
import { useCheck } from "./use-check.ts";
import styles from "./verifier-page.module.css";

const COPY_NAME = "verifier.html";
const TITLE = "Vérifier une preuve sur votre appareil";
const NOTHING: Taken = { files: [], unknown: [], unread: [], blurred: [], code: null };

/** `/verifier`, and the same page as a file of its own: a proof, its documents and a printed page, checked where they are. */
export function VerifierPage({ fragment, isFile }: { readonly fragment: string; readonly isFile: boolean }) {
  const { taken, isReading, address, setAddress, take, remove, again } = useTaken(fragment);
  const { files } = taken;
  const state = useCheck(files, address);
  const isBusy = isReading || state.step === "checking";
  const told = !isBusy && state.step === "done" ? tellResult(state.report, { isPaper: address !== "" }) : null;
  usePageTitle(isBusy ? "Vérification en cours" : told === null ? TITLE : "Résultat de la vérification");
  useHeadingFocus(isBusy ? "busy" : state);
  return (
    <PublicPage about="Tout se passe sur votre appareil" icon="lock" isNarrow isAlone={isFile}>
      {/* There before what it tells: a region that comes with its words may stay silent. */}
      <p className="sr" role="status">
        {isBusy ? "Vérification en cours…" : told === null ? "" : verdictSentence(told)}
      </p>
      {told === null ? null : <LeftOut {...taken} />}
      {isBusy ? (
        <CheckingView files={files} isReading={isReading} />
      ) : told !== null && state.step === "done" ? (
        <ResultView told={told} report={state.report} files={files} address={address} onFiles={take} onAgain={again} />
      ) : (
        <Start onFiles={take}>
          <LeftOut {...taken} />
          {state.step === "failed" ? <Alert tone="danger" title="La vérification n’a pas pu se faire sur cet appareil." /> : null}
        </Start>
      )}
      <Further isFile={isFile} files={files} address={address} onFiles={take} onRemove={remove} onAddress={setAddress} />
      <p className={`muted small ${styles["keep"]}`}>
        <GlossaryLink />
      </p>
      {isFile ? null : (
        <p className={`muted small ${styles["keep"]}`}>
          <a href={`/${COPY_NAME}`} download={COPY_NAME}>
            Garder cette page ({COPY_NAME})
          </a>
          {"\u00a0"}: un seul fichier, qui s’ouvre sans réseau et vérifiera encore quand ce service ne sera plus là.
        </p>
      )}
    </PublicPage>
  );
}

/** What was given, and the address of a printed page: typed, or read from a photograph. */
function useTaken(fragment: string) {
  const [taken, setTaken] = useState(NOTHING);
  const [isReading, setIsReading] = useState(false);
  const [address, setAddress] = useState(fragment);
  const read = async (list: readonly File[]) => {
    setIsReading(true);
    const added = await takeFiles(list, (photo) => askWorker({ ask: "code", photo }));
    setTaken((held) => ({ ...added, files: withFiles(held.files, added.files) }));
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

/** What was dropped is answered on top; whoever types stays where they type. */
function useHeadingFocus(view: unknown): void {
  const isFirst = useRef(true);
  useEffect(() => {
    const isTyping = document.activeElement instanceof HTMLInputElement && document.activeElement.type !== "file";
    if (!isFirst.current && !isTyping) document.querySelector<HTMLElement>("main h1")?.focus();
    isFirst.current = false;
  }, [view]);
}

const KINDS: readonly (readonly [IconName, string, string])[] = [
  ["files", "PDF signé", "Le fichier reçu par email ou téléchargé."],
  ["shield", "preuve.json", "Le fichier de preuve, souvent joint au PDF."],
  ["camera", "Photo du papier", "La page où figure le QR code, à plat et nette."],
];

type StartProps = { readonly onFiles: (files: readonly File[]) => void; readonly children: ReactNode };

function Start({ onFiles, children }: StartProps) {
  return (
    <>
      <div className="stack stack--sm">
        <h1 className="h1" tabIndex={-1}>
          {TITLE}
        </h1>
        <p className="lead">
          Déposez ce que vous avez reçu{"\u00a0"}: cette page dit si c’est bien ce qui a été signé, par qui et quand. Rien n’est envoyé.
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

const quoted = (names: readonly string[]) => names.map((name) => `«\u00a0${name}\u00a0»`).join(", ");

function LeftOut({ files, unknown, unread, blurred }: Taken) {
  const are = unknown.length > 1 ? "ne sont" : "n’est";
  return (
    <>
      {unknown.length > 0 ? (
        <Alert tone="danger" title={unknown.length > 1 ? "Fichiers non reconnus" : "Fichier non reconnu"}>
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
          Le QR code n’a pas pu être lu sur cette photo. Reprenez-la de plus près, à plat et sans reflet.
        </Alert>
      ) : null}
    </>
  );
}
