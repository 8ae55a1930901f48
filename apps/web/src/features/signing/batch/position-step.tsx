import { useState } from "react";
import { plural } from "../../../lib/format-numbers.ts";
import { usePageTitle } from "../../../lib/use-page-title.ts";
import { Button } from "../../../ui/button/button.tsx";
import { BottomDock } from "../../../ui/editor-frame/bottom-dock.tsx";
import { DockRow } from "../../../ui/editor-frame/dock-row.tsx";
import { BatchBar } from "./batch-bar.tsx";
import styles from "./bulk.module.css";
import type { PositionProps } from "./position-props.ts";
import { PlacedDocument } from "./placed-document.tsx";
import { PlacingSide } from "./placing-side.tsx";
import { PreviewMatrix } from "./preview-matrix.tsx";
import { useCoveredText } from "./use-covered-text.ts";

/** Second step: one place for all, looked at on any of them, then every result before anything is signed. */
export function PositionStep(props: PositionProps) {
  const { files, placing, mark, sending, onExclude, onBack, onSign } = props;
  usePageTitle("Placer la signature");
  const [index, setIndex] = useState(0);
  const [isMatrix, setMatrix] = useState(false);
  const covered = useCoveredText(files, placing);
  const shown = files[Math.min(index, files.length - 1)];
  if (!shown) return null;
  const open = (key: string) => {
    setIndex(files.findIndex((file) => file.key === key));
    setMatrix(false);
  };
  const isBusy = sending !== null;
  const buttons = <StepButtons count={files.length} sending={sending} onBack={onBack} onSign={onSign} />;
  const subtitle = `${plural(files.length, "fichier")}, modèle\u00a0: ${files[0]?.file.name ?? ""}`;
  return (
    <div className={styles["step"]}>
      <BatchBar subtitle={subtitle} step={1} onStep={isBusy ? () => undefined : onBack} actions={buttons} />
      <main className={styles["editor"]} id="contenu">
        <h1 className="sr" tabIndex={-1}>
          Placer la signature
        </h1>
        <PlacingSide
          {...props}
          shown={shown}
          index={Math.min(index, files.length - 1)}
          isMatrix={isMatrix}
          isCovering={covered.has(shown.key)}
          onShow={setIndex}
          onMatrix={setMatrix}
        />
        {isMatrix ? (
          <PreviewMatrix files={files} placing={placing} mark={mark} covered={covered} onOpen={open} onExclude={onExclude} />
        ) : (
          <PlacedDocument file={shown} placing={placing} mark={mark} />
        )}
      </main>
      <BottomDock place="window">
        <DockRow>{buttons}</DockRow>
      </BottomDock>
    </div>
  );
}

type StepButtonsProps = Pick<PositionProps, "sending" | "onBack" | "onSign"> & { readonly count: number };

function StepButtons({ count, sending, onBack, onSign }: StepButtonsProps) {
  const isBusy = sending !== null;
  return (
    <>
      <Button disabled={isBusy} onClick={onBack}>
        Retour
      </Button>
      <Button
        variant="primary"
        className="grow"
        loading={isBusy}
        loadingLabel={`Envoi ${Math.round((sending ?? 0) * 100)}\u00a0%`}
        onClick={onSign}
      >
        {`Signer ${plural(count, "document")}`}
      </Button>
    </>
  );
}
