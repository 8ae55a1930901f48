import type { PageDifferenceAnswer } from "@paraphe/contracts";
import { useState } from "react";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { Switch } from "../../../ui/switch/switch.tsx";
import styles from "./correction.module.css";

type DifferencesDialogProps = {
  readonly differences: readonly PageDifferenceAnswer[];
  readonly onClose: () => void;
};

export function DifferencesDialog({ differences, onClose }: DifferencesDialogProps) {
  const [isLarge, setIsLarge] = useState(false);
  return (
    <Dialog
      title="Original et copie corrigée"
      size="xl"
      full
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          J’ai comparé
        </Button>
      }
    >
      <p>Ce qui change est encadré.</p>
      <Switch
        label="Grandeur réelle"
        checked={isLarge}
        onChange={(event) => setIsLarge(event.target.checked)}
      />
      {differences.map((difference) => (
        <section key={difference.page} aria-labelledby={`difference-${difference.page}`}>
          <h3 id={`difference-${difference.page}`}>Page {difference.page}</h3>
          <div className={styles["pair"]}>
            <PagePicture
              caption="Original"
              difference={difference}
              png={difference.original}
              isLarge={isLarge}
            />
            <PagePicture
              caption="Copie corrigée"
              difference={difference}
              png={difference.corrected}
              isLarge={isLarge}
            />
          </div>
        </section>
      ))}
    </Dialog>
  );
}

type PagePictureProps = {
  readonly caption: string;
  readonly difference: PageDifferenceAnswer;
  readonly png: string;
  readonly isLarge: boolean;
};

function PagePicture({ caption, difference: { page, place }, png, isLarge }: PagePictureProps) {
  const percent = (value: number): string => `${value * 100}%`;
  const frame = {
    left: percent(place.x),
    top: percent(place.y),
    width: percent(place.width),
    height: percent(place.height),
  };
  const name = `${caption}, page ${page}`;
  return (
    <figure className={styles["figure"]}>
      <figcaption>{caption}</figcaption>
      {/* A zoomed picture scrolls, with the keyboard too. */}
      <div
        className={styles["scroller"]}
        role="region"
        aria-label={name}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be reached
        tabIndex={isLarge ? 0 : undefined}
      >
        <div className={isLarge ? styles["large"] : styles["page"]}>
          <img src={`data:image/png;base64,${png}`} alt={name} />
          <span className={styles["frame"]} style={frame} />
        </div>
      </div>
    </figure>
  );
}
