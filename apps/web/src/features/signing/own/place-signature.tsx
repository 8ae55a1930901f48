import type { SelfSignControl } from "@paraphe/contracts";
import { useEffect, useMemo, useRef, useState } from "react";
import { announce } from "../../../lib/announce.ts";
import { plural } from "../../../lib/format-numbers.ts";
import { useMediaQuery } from "../../../lib/use-media-query.ts";
import { usePageTitle } from "../../../lib/use-page-title.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { EditorBar } from "../../../ui/editor-frame/editor-bar.tsx";
import { SidePanel } from "../../../ui/editor-frame/side-panel.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { fullName } from "../../accounts/full-name.ts";
import { useSession } from "../../accounts/use-session.ts";
import { useSavedMarks } from "../marks/use-saved-signatures.ts";
import type { ChosenMark } from "../chosen-mark.ts";
import { MarkDialog } from "../mark-dialog.tsx";
import { savedChoice } from "../saved-mark.ts";
import { PlaceDock } from "./place-dock.tsx";
import { PlacePages } from "./place-pages.tsx";
import { PlaceSide } from "./place-side.tsx";
import styles from "./self-sign.module.css";
import { OwnFieldsPanel } from "./own-fields-panel.tsx";
import { SignNotes } from "./sign-notes.tsx";
import type { Signed } from "./signed-document.tsx";
import { type ControlState, useControl } from "./use-control.ts";
import { type OwnFields, useOwnFields } from "./use-own-fields.ts";
import { type PlacementDesk, usePlacement } from "./use-placement.ts";
import type { SignPhase } from "./use-self-sign.ts";
import { useSignPress } from "./use-sign-press.ts";
import { useWordsUnder } from "./use-words-under.ts";

type PlaceSignatureProps = {
  readonly file: File;
  readonly onLeave: () => void;
  readonly onRefused: (reason: string) => void;
  readonly onSigned: (signed: Signed) => void;
};

const NOTHING_KNOWN: Pick<SelfSignControl, "taken" | "placement"> = { taken: [], placement: null };

/** The second gesture: the signature stands on blank space already, with the mark that the account signs with; one press signs. */
export function PlaceSignature({ file, onLeave, onRefused, onSigned }: PlaceSignatureProps) {
  const isWide = useMediaQuery("(min-width: 1024px)");
  const control = useControl(file);
  const { mark, setMark, signatures, signerName } = useMark();
  const desk = usePlacement(knownOf(control));
  const own = useOwnFields();
  const [acceptsCopy, setAcceptsCopy] = useState(false);
  const [isMaking, setIsMaking] = useState(false);
  const [isWriting, setIsWriting] = useState(false);
  const isCovering = useWordsUnder(desk.pdf, [...(desk.placed ? [desk.placed] : []), ...own.fields]);
  usePageTitle("Auto-signature");
  useRefusal(control, onRefused);
  const make = () => setIsMaking(true);
  const write = () => setIsWriting(true);
  const asking = { onMark: make, onWords: () => !isWide && write(), onSigned };
  const { phase, isBusy, press } = useSignPress({ file, control, mark, desk, own, acceptsCopy }, asking);
  const act = <SignButton {...{ isWide, isBusy, phase }} isAwaitingMark={mark === null && signatures.isPending} onPress={press} />;
  const notes = <SignNotes {...{ file, control, phase, isCovering, acceptsCopy }} onAccept={setAcceptsCopy} />;
  return (
    <div className={styles.editor}>
      <EditorBar
        label={file.name}
        leave={
          <Button variant="ghost" square aria-label="Choisir un autre fichier" onClick={onLeave} disabled={isBusy}>
            <Icon name="close" />
          </Button>
        }
        title={file.name}
        note={<small role="status">{summary(control)}</small>}
        buttons={isWide ? act : null}
      />
      <main className={styles.main} id="contenu" inert={isBusy}>
        <h1 className="sr">Poser votre signature</h1>
        {isWide ? (
          <SidePanel edge="start" label="Signature à poser">
            <PlaceSide {...{ mark, desk, own }} onMake={make} />
            {notes}
          </SidePanel>
        ) : null}
        <PlacePages {...{ file, control, desk, own, mark, signerName }} onMake={make} />
      </main>
      {isWide ? null : <PlaceDock {...{ isBusy, notes, act }} hasMark={mark !== null} onMake={make} onWrite={write} />}
      {isWriting && !isWide ? <OwnFieldsDialog {...{ own, desk }} onClose={() => setIsWriting(false)} /> : null}
      {isMaking ? (
        <MarkDialog
          signerName={signerName}
          savedMarks={signatures.marks}
          onSave={signatures.save}
          fieldCount={1}
          onUse={(chosen) => {
            setMark(chosen);
            setIsMaking(false);
            announce("Signature posée");
          }}
          onClose={() => setIsMaking(false)}
        />
      ) : null}
    </div>
  );
}

type SignButtonProps = {
  readonly isWide: boolean;
  readonly isBusy: boolean;
  /** The marks of the account are not read yet: a press could not know whether one is missing. */
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
      loadingLabel={isBusy ? "Signature en cours..." : undefined}
      onClick={onPress}
    >
      <Icon name="pen" size="sm" />
      {phase.kind === "failed" ? "Réessayer" : "Signer le document"}
    </Button>
  );
}

function OwnFieldsDialog({ own, desk, onClose }: { own: OwnFields; desk: PlacementDesk; onClose: () => void }) {
  return (
    <Dialog title="Date, nom, texte" sheet onClose={onClose} actions={<Button onClick={onClose}>Fermer</Button>}>
      <OwnFieldsPanel own={own} desk={desk} />
    </Dialog>
  );
}

/** The mark to sign with: the account's default one, until another is made. */
function useMark() {
  const session = useSession();
  const signatures = useSavedMarks();
  const [own, setMark] = useState<ChosenMark | null>(null);
  const [first] = signatures.marks;
  const kept = useMemo(() => (first === undefined ? null : savedChoice(first)), [first]);
  return { mark: own ?? kept, setMark, signatures, signerName: session.state === "member" ? fullName(session.user) : "" };
}

/** A refused file leads back to the choice, once. */
function useRefusal(control: ControlState, onRefused: (reason: string) => void): void {
  const told = useRef(onRefused);
  told.current = onRefused;
  useEffect(() => {
    if (control.kind === "refused") told.current(control.reason);
  }, [control]);
}

function knownOf(control: ControlState): Pick<SelfSignControl, "taken" | "placement"> | null {
  if (control.kind === "done") return control.control;
  return control.kind === "unknown" ? NOTHING_KNOWN : null;
}

function summary(control: ControlState): string {
  if (control.kind === "pending") return "Contrôle du document…";
  return control.kind === "done" ? `Auto-signature · ${plural(control.control.page_count, "page")}` : "Auto-signature";
}
