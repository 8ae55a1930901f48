import type { SelfSignControl } from "@paraphe/contracts";
import { useEffect, useMemo, useRef, useState } from "react";
import { announce } from "../../lib/announce.ts";
import { plural } from "../../lib/format-numbers.ts";
import { useMediaQuery } from "../../lib/use-media-query.ts";
import { usePageTitle } from "../../lib/use-page-title.ts";
import { Button } from "../../ui/button/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { BottomDock } from "../../ui/editor-frame/bottom-dock.tsx";
import { DockRow } from "../../ui/editor-frame/dock-row.tsx";
import { EditorBar } from "../../ui/editor-frame/editor-bar.tsx";
import { SidePanel } from "../../ui/editor-frame/side-panel.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { fullName } from "../accounts/full-name.ts";
import { useSession } from "../accounts/use-session.ts";
import { proposeTitle } from "../prepare/propose-title.ts";
import { useSavedMarks } from "../saved-signatures/use-saved-signatures.ts";
import type { ChosenMark } from "../signing/chosen-mark.ts";
import { MarkDialog } from "../signing/mark-dialog.tsx";
import { savedChoice } from "../signing/saved-mark.ts";
import { PlacePages } from "./place-pages.tsx";
import { PlaceSide } from "./place-side.tsx";
import styles from "./self-sign.module.css";
import { OwnFieldsPanel } from "./own-fields-panel.tsx";
import { SignNotes } from "./sign-notes.tsx";
import type { Signed } from "./signed-document.tsx";
import { type ControlState, useControl } from "./use-control.ts";
import { askedFields, useOwnFields } from "./use-own-fields.ts";
import { usePlacement } from "./use-placement.ts";
import { useWordsUnder } from "./use-words-under.ts";
import { useSelfSign } from "./use-self-sign.ts";

type PlaceSignatureProps = {
  readonly file: File;
  readonly onLeave: () => void;
  readonly onRefused: (reason: string) => void;
  readonly onSigned: (signed: Signed) => void;
};

const NOTHING_KNOWN: Pick<SelfSignControl, "taken" | "placement"> = { taken: [], placement: null };

/** The second gesture: the signature stands on blank space already, with the mark that the account signs with; one press signs. */
export function PlaceSignature({ file, onLeave, onRefused, onSigned }: PlaceSignatureProps) {
  const control = useControl(file);
  const title = useMemo(() => proposeTitle(file.name) || "Document", [file]);
  const { mark, setMark, signatures, signerName } = useMark();
  const desk = usePlacement(knownOf(control));
  const { phase, sign } = useSelfSign();
  const [acceptsCopy, setAcceptsCopy] = useState(false);
  const [isMaking, setIsMaking] = useState(false);
  const own = useOwnFields();
  const [isWriting, setIsWriting] = useState(false);
  const isCovering = useWordsUnder(desk.pdf, [...(desk.placed ? [desk.placed] : []), ...own.fields]);
  const isWide = useMediaQuery("(min-width: 1024px)");
  usePageTitle("Auto-signature");
  useRefusal(control, onRefused);
  const isBusy = phase.kind === "signing" || phase.kind === "sealing";
  const mustAccept = control.kind === "done" && control.control.control.result === "fixable" && !acceptsCopy;
  const press = () => {
    if (mark === null) return setIsMaking(true);
    if (desk.placed === null) return void desk.propose();
    if (own.blank !== null) {
      own.tell();
      if (!isWide) setIsWriting(true);
      const { key } = own.blank;
      return void requestAnimationFrame(() => document.getElementById(key)?.focus());
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
  const act = (
    <Button
      variant="primary"
      size={isWide ? undefined : "lg"}
      className={isWide ? "" : "grow"}
      loading={isBusy || (mark === null && signatures.isPending)}
      loadingLabel={isBusy ? "Signature en cours..." : undefined}
      onClick={press}
    >
      <Icon name="pen" size="sm" />
      {phase.kind === "failed" ? "Réessayer" : "Signer le document"}
    </Button>
  );
  const notes = <SignNotes control={control} phase={phase} isCovering={isCovering} acceptsCopy={acceptsCopy} onAccept={setAcceptsCopy} />;
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
            <PlaceSide mark={mark} desk={desk} own={own} onMake={() => setIsMaking(true)} />
            {notes}
          </SidePanel>
        ) : null}
        <PlacePages {...{ file, control, desk, own, mark, signerName }} onMake={() => setIsMaking(true)} />
      </main>
      {isWide ? null : (
        <BottomDock place="editor" className={styles.dock}>
          {notes}
          <DockRow>
            <Button size="lg" className="grow" onClick={() => setIsMaking(true)} disabled={isBusy}>
              {mark ? "Changer" : "Ma signature"}
            </Button>
            <Button size="lg" square aria-label="Autres champs" onClick={() => setIsWriting(true)} disabled={isBusy}>
              <Icon name="plus" />
            </Button>
            {act}
          </DockRow>
        </BottomDock>
      )}
      {isWriting && !isWide ? (
        <Dialog
          title="Date, nom, texte"
          sheet
          onClose={() => setIsWriting(false)}
          actions={<Button onClick={() => setIsWriting(false)}>Fermer</Button>}
        >
          <OwnFieldsPanel own={own} desk={desk} />
        </Dialog>
      ) : null}
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
