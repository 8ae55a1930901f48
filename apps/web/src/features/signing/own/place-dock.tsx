import type { ReactNode } from "react";
import { Button } from "../../../ui/button/button.tsx";
import { BottomDock } from "../../../ui/editor-frame/bottom-dock.tsx";
import { DockRow } from "../../../ui/editor-frame/dock-row.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "./self-sign.module.css";

type PlaceDockProps = {
  readonly hasMark: boolean;
  readonly isBusy: boolean;
  readonly notes: ReactNode;
  /** The button that signs. */
  readonly act: ReactNode;
  readonly onMake: () => void;
  readonly onWrite: () => void;
};

/** What a small screen has under the pages in place of the panel beside them. */
export function PlaceDock({ hasMark, isBusy, notes, act, onMake, onWrite }: PlaceDockProps) {
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
