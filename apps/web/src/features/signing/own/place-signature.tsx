import type { SelfSignControl } from "@paraphe/contracts";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { announce } from "../../../lib/browser/announce.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { readSigningPreferences } from "../../../lib/browser/signing-preferences.ts";
import { useMediaQuery } from "../../../lib/browser/use-media-query.ts";
import { usePageTitle } from "../../../ui/page-heading/page-heading.tsx";
import type { Box } from "../../../pdf/box.ts";
import type { OpenedPdf } from "../../../pdf/open-pdf.ts";
import type { PageSize } from "../../../pdf/page-layout.ts";
import { coversText } from "../../../pdf/text-blocks.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { BottomDock, DockRow, SidePanel } from "../../../ui/editor-frame/editor-frame.tsx";
import { EditorBar } from "../../../ui/editor-frame/step-bar.tsx";
import { Flag } from "../../../ui/flag/flag.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { fullName, useSession } from "../../accounts/use-session.ts";
import {
  ComparedConsent,
  type ComparedCopy,
  useComparedCopy,
} from "../../documents/correction/copy-consent.tsx";
import { proposeTitle } from "../../envelopes/prepare/documents/use-uploads.ts";
import { type ChosenMark, savedChoice } from "../marks/chosen-mark.ts";
import { MarkDialog } from "../marks/mark-dialog.tsx";
import { useSavedMarks } from "../marks/use-saved-signatures.ts";
import { SEALING } from "../sign-outcome.ts";
import { PlacePages } from "./place-pages.tsx";
import { focusOwn, OwnFieldsPanel, PlaceSide } from "./place-side.tsx";
import {
  type Signed,
  type ControlState,
  FAILURE,
  type SignPhase,
  compareFile,
  useControl,
  useSelfSign,
} from "./use-self-sign.ts";
import { askedFields, type OwnFields, useOwnFields } from "./use-own-fields.ts";
import { type Placed, type PlacementDesk, usePlacement } from "./use-placement.ts";
import styles from "./self-sign.module.css";

type PageWords = { readonly words: readonly Box[]; readonly size: PageSize };

/** Reads each page once; covered words are only a warning. */
export function useWordsUnder(
  pdf: Pick<OpenedPdf, "textBoxes" | "pageSize"> | null,
  placed: readonly Placed[],
): boolean {
  const [known, setKnown] = useState<ReadonlyMap<number, PageWords>>(new Map());
  const missing = placed.find(({ page }) => !known.has(page))?.page ?? null;
  useEffect(() => setKnown(new Map()), [pdf]);
  useEffect(() => {
    if (pdf === null || missing === null) return undefined;
    let isHere = true;
    // A page without readable text covers none.
    const read = Promise.all([pdf.textBoxes(missing), pdf.pageSize(missing)]).catch(
      () => [[], { width: 595, height: 842 }] as const,
    );
    void read.then(([words, size]) => {
      if (isHere) setKnown((all) => new Map(all).set(missing, { words, size }));
    });
    return () => {
      isHere = false;
    };
  }, [pdf, missing]);
  return placed.some(({ page, box }) => {
    const there = known.get(page);
    return there !== undefined && coversText(box, there.words, there.size);
  });
}

type ToSign = {
  readonly file: File;
  readonly control: ControlState;
  readonly mark: ChosenMark | null;
  readonly desk: PlacementDesk;
  readonly own: OwnFields;
  readonly acceptsCopy: boolean;
};
type Asking = {
  readonly onMark: () => void;
  readonly onWords: () => void;
  readonly onSigned: (signed: Signed) => void;
};

/** Asks for what is missing (mark, place, text, consent to a corrected copy), then signs. */
function useSignPress(
  { file, control, mark, desk, own, acceptsCopy }: ToSign,
  { onMark, onWords, onSigned }: Asking,
) {
  const title = useMemo(() => proposeTitle(file.name), [file]);
  const { phase, sign } = useSelfSign();
  const mustAccept =
    control.kind === "done" && control.control.control.result === "fixable" && !acceptsCopy;
  const press = () => {
    if (mark === null) return onMark();
    if (desk.placed === null) return void desk.propose();
    if (own.blank !== null) {
      own.showMissing();
      onWords();
      return focusOwn(own.blank.key);
    }
    if (mustAccept) return document.querySelector<HTMLElement>("#copie-corrigee input")?.focus();
    void sign({
      file,
      title,
      mark,
      acceptsCopy,
      fields: askedFields(own.fields),
      placement: { page: desk.placed.page, ...desk.placed.box },
    });
  };
  useEffect(() => {
    if (phase.kind === "signed") onSigned({ ...phase, title });
  }, [phase, title, onSigned]);
  return { phase, isBusy: phase.kind === "signing" || phase.kind === "sealing", press };
}

type PlaceDockProps = {
  readonly hasMark: boolean;
  readonly isBusy: boolean;
  readonly notes: ReactNode;
  readonly act: ReactNode;
  readonly onMake: () => void;
  readonly onWrite: () => void;
};

function PlaceDock({ hasMark, isBusy, notes, act, onMake, onWrite }: PlaceDockProps) {
  return (
    <BottomDock place="editor" className={styles.dock}>
      {notes}
      <DockRow>
        <Button size="lg" className="grow" onClick={onMake} disabled={isBusy}>
          {hasMark ? "Changer" : "Ma signature"}
        </Button>
        <Button size="lg" square aria-label="Autres champs" onClick={onWrite} disabled={isBusy}>
          <Icon name="plus" />
        </Button>
        {act}
      </DockRow>
    </BottomDock>
  );
}

type Findings = SelfSignControl["control"]["findings"];

function useCorrection(file: File, control: ControlState) {
  const findings: Findings =
    control.kind === "done" && control.control.control.result === "fixable"
      ? control.control.control.findings
      : [];
  const isCorrected = findings.length > 0;
  const ask = useMemo(
    () =>
      isCorrected ? (from: number, signal: AbortSignal) => compareFile(file, from, signal) : null,
    [file, isCorrected],
  );
  return { findings, copy: useComparedCopy(ask) };
}

type SignNotesProps = {
  readonly findings: Findings;
  readonly copy: ComparedCopy;
  readonly phase: SignPhase;
  readonly isCovering: boolean;
  readonly acceptsCopy: boolean;
  readonly onAccept: (accepts: boolean) => void;
};

/** Refusals, warnings and the meaning of the press, before it. */
function SignNotes({ findings, copy, phase, isCovering, acceptsCopy, onAccept }: SignNotesProps) {
  return (
    <>
      {phase.kind === "failed" ? (
        <Alert tone="danger">
          <div>
            <b>{FAILURE}</b>
            <br />
            {phase.reason ??
              "Rien n’est perdu\u00a0: votre document et sa signature sont encore là. Réessayez."}
          </div>
        </Alert>
      ) : null}
      {phase.kind === "sealing" ? <Alert tone="info">{SEALING}</Alert> : null}
      {findings.length > 0 ? (
        <div id="copie-corrigee" className="stack stack--sm">
          <Alert tone="warning">
            <div>
              <b>Ce PDF doit être corrigé avant d’être signé.</b>
              <ul>
                {findings.map(({ code, detail }) => (
                  <li key={code}>{detail}</li>
                ))}
              </ul>
            </div>
          </Alert>
          <ComparedConsent
            copy={copy}
            label="J’accepte de signer la copie corrigée"
            checked={acceptsCopy}
            onChange={onAccept}
          />
        </div>
      ) : null}
      <div role="status">{isCovering ? <Flag words="Recouvre du texte" /> : null}</div>
      <p className="muted small">
        En signant, vous confirmez avoir lu ce document et accepter de le signer électroniquement.
      </p>
    </>
  );
}

type PlaceSignatureProps = {
  readonly file: File;
  readonly onLeave: () => void;
  readonly onRefused: (reason: string) => void;
  readonly onSigned: (signed: Signed) => void;
};

const NOTHING_KNOWN: Pick<SelfSignControl, "taken" | "placement"> = { taken: [], placement: null };

export function PlaceSignature({ file, onLeave, onRefused, onSigned }: PlaceSignatureProps) {
  const isWide = useMediaQuery("(min-width: 1024px)");
  const { control, desk, own, isCovering } = usePlacedFile(file);
  const marks = useMark();
  const { mark, signerName } = marks;
  const [acceptsCopy, setAcceptsCopy] = useState(false);
  const correction = useCorrection(file, control);
  const [isMaking, setIsMaking] = useState(false);
  const [isWriting, setIsWriting] = useState(false);
  usePageTitle("Auto-signature");
  useRefusal(control, onRefused);
  const make = () => setIsMaking(true);
  const write = () => setIsWriting(true);
  const asking = { onMark: make, onWords: () => !isWide && write(), onSigned };
  const { phase, isBusy, press } = useSignPress(
    { file, control, mark, desk, own, acceptsCopy },
    asking,
  );
  const act = (
    <SignButton
      {...{ isWide, isBusy, phase }}
      isAwaitingMark={mark === null && marks.signatures.isPending}
      onPress={press}
    />
  );
  const notes = (
    <SignNotes {...{ ...correction, phase, isCovering, acceptsCopy }} onAccept={setAcceptsCopy} />
  );
  return (
    <div className={styles.editor}>
      <PlaceBar {...{ file, control, isBusy, onLeave }} act={isWide ? act : null} />
      <main className={styles.main} id="contenu" inert={isBusy}>
        <h1 className="sr" tabIndex={-1}>
          Poser votre signature
        </h1>
        {isWide ? (
          <SidePanel edge="start" label="Signature à poser">
            <PlaceSide {...{ mark, desk, own }} onMake={make} />
            {notes}
          </SidePanel>
        ) : null}
        <PlacePages {...{ file, control, desk, own, mark, signerName }} onMake={make} />
      </main>
      {isWide ? null : (
        <PlaceDock
          {...{ isBusy, notes, act }}
          hasMark={mark !== null}
          onMake={make}
          onWrite={write}
        />
      )}
      {isWriting && !isWide ? (
        <OwnFieldsDialog {...{ own, desk }} onClose={() => setIsWriting(false)} />
      ) : null}
      {correction.copy.dialog}
      {isMaking ? <MakeMark marks={marks} onClose={() => setIsMaking(false)} /> : null}
    </div>
  );
}

function usePlacedFile(file: File) {
  const control = useControl(file);
  const desk = usePlacement(knownOf(control));
  const own = useOwnFields(control.kind === "done" ? control.control.pages : []);
  useDateUnderSignature(own, desk.placed);
  const isCovering = useWordsUnder(desk.pdf, [
    ...(desk.placed ? [desk.placed] : []),
    ...own.fields,
  ]);
  return { control, desk, own, isCovering };
}

/** Adds the date once a file: a removed date stays away. */
export function useDateUnderSignature(own: OwnFields, placed: Placed | null): void {
  const isAdded = useRef(false);
  useEffect(() => {
    if (placed === null || isAdded.current) return;
    isAdded.current = true;
    if (readSigningPreferences().date) own.add("date", placed, "under");
  });
}

type PlaceBarProps = {
  readonly file: File;
  readonly control: ControlState;
  readonly isBusy: boolean;
  readonly act: ReactNode;
  readonly onLeave: () => void;
};

function PlaceBar({ file, control, isBusy, act, onLeave }: PlaceBarProps) {
  return (
    <EditorBar
      label={file.name}
      leave={
        <Button
          variant="ghost"
          square
          aria-label="Choisir un autre fichier"
          onClick={onLeave}
          disabled={isBusy}
        >
          <Icon name="close" />
        </Button>
      }
      title={file.name}
      note={<small role="status">{summary(control)}</small>}
      buttons={act}
    />
  );
}

type MakeMarkProps = {
  readonly marks: ReturnType<typeof useMark>;
  readonly onClose: () => void;
};

function MakeMark({ marks: { signerName, signatures, setMark }, onClose }: MakeMarkProps) {
  return (
    <MarkDialog
      signerName={signerName}
      savedMarks={signatures.marks}
      onSave={signatures.save}
      fieldCount={1}
      onUse={(chosen) => {
        setMark(chosen);
        onClose();
        announce("Signature posée");
      }}
      onClose={onClose}
    />
  );
}

type SignButtonProps = {
  readonly isWide: boolean;
  readonly isBusy: boolean;
  /** The account's marks are loading: whether one is missing is unknown. */
  readonly isAwaitingMark: boolean;
  readonly phase: SignPhase;
  readonly onPress: () => void;
};

function SignButton({ isWide, isBusy, isAwaitingMark, phase, onPress }: SignButtonProps) {
  return (
    <Button
      variant="primary"
      size={isWide ? undefined : "lg"}
      className={isWide ? "" : "grow"}
      loading={isBusy || isAwaitingMark}
      loadingLabel={isBusy ? "Signature en cours…" : undefined}
      onClick={onPress}
    >
      <Icon name="pen" size="sm" />
      {phase.kind === "failed" ? "Réessayer" : "Signer le document"}
    </Button>
  );
}

function OwnFieldsDialog({
  own,
  desk,
  onClose,
}: {
  own: OwnFields;
  desk: PlacementDesk;
  onClose: () => void;
}) {
  return (
    <Dialog
      title="Date, nom, texte"
      sheet
      onClose={onClose}
      actions={<Button onClick={onClose}>Fermer</Button>}
    >
      <OwnFieldsPanel own={own} desk={desk} />
    </Dialog>
  );
}

function useMark() {
  const session = useSession();
  const signatures = useSavedMarks();
  const [own, setMark] = useState<ChosenMark | null>(null);
  const [first] = signatures.marks;
  const kept = useMemo(() => (first === undefined ? null : savedChoice(first)), [first]);
  return {
    mark: own ?? kept,
    setMark,
    signatures,
    signerName: session.state === "member" ? fullName(session.user) : "",
  };
}

/** Returns to the choice of a file, once. */
function useRefusal(control: ControlState, onRefused: (reason: string) => void): void {
  const latest = useRef(onRefused);
  latest.current = onRefused;
  useEffect(() => {
    if (control.kind === "refused") latest.current(control.reason);
  }, [control]);
}

function knownOf(control: ControlState): Pick<SelfSignControl, "taken" | "placement"> | null {
  if (control.kind === "done") return control.control;
  return control.kind === "unknown" ? NOTHING_KNOWN : null;
}

function summary(control: ControlState): string {
  if (control.kind === "pending") return "Contrôle du document…";
  return control.kind === "done"
    ? `Auto-signature · ${plural(control.control.page_count, "page")}`
    : "Auto-signature";
}
