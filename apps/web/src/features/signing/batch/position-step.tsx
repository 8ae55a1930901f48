import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { plural } from "../../../lib/format/format-numbers.ts";
import { usePageTitle } from "../../../ui/page-heading/page-heading.tsx";
import type { Box } from "../../../pdf/box.ts";
import type { LayerField } from "../../../pdf/fields/layer-field.ts";
import { PrepareFieldLayer } from "../../../pdf/fields/prepare-field-layer.tsx";
import type { OpenedPdf } from "../../../pdf/open-pdf.ts";
import { PdfViewer, type PdfViewerHandle } from "../../../pdf/pdf-viewer.tsx";
import { coversText } from "../../../pdf/text-blocks.ts";
import { Button } from "../../../ui/button/button.tsx";
import { BottomDock, DockRow } from "../../../ui/editor-frame/editor-frame.tsx";
import { Flag } from "../../../ui/flag/flag.tsx";
import { type ChosenMark, describeMark } from "../marks/chosen-mark.ts";
import { MarkPicture } from "../marks/mark-picture.tsx";
import { BatchBar } from "./files-step.tsx";
import {
  COVERS_TEXT,
  type ReadyFile,
  modelSize,
  pageFormat,
  placeFault,
  signedPages,
} from "./batch-file.ts";
import styles from "./bulk.module.css";
import { PlacingSide, type PositionProps } from "./placing-side.tsx";
import type { Placing } from "./placing.ts";

/** Pages read per file: the text of more would fill the memory. */
const LOOKED_AT = 40;

/** Errors: an unreadable page. */
type ReadWords = (file: File, pages: readonly number[]) => Promise<readonly (readonly Box[])[]>;

type Asked = { readonly file: ReadyFile; readonly pages: readonly number[] };

/**
 * Files whose signature would cover text, read one at a time. A warning only: signatures often
 * stand on a dotted line.
 */
export function useCoveredText(
  files: readonly ReadyFile[],
  placing: Placing,
  readWords: ReadWords = wordsOf,
): ReadonlySet<string> {
  const words = useRef(new Map<string, readonly Box[]>());
  const [count, setCount] = useState(0);
  const next = useMemo(() => {
    const asked = files.map((file): Asked => ({ file, pages: lookedAt(file, placing) }));
    return (
      asked.find(({ file, pages }) =>
        pages.some((page) => !words.current.has(keyOf(file, page))),
      ) ?? null
    );
    // `count` changes with what was read.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [files, placing.common, placing.own, count]);
  useEffect(() => {
    if (next === null) return undefined;
    let isHere = true;
    const missing = next.pages.filter((page) => !words.current.has(keyOf(next.file, page)));
    const found = readWords(next.file.file, missing).catch((): readonly (readonly Box[])[] => []);
    void found.then((boxes) => {
      if (!isHere) return;
      for (const [index, page] of missing.entries())
        words.current.set(keyOf(next.file, page), boxes[index] ?? []);
      setCount((read) => read + 1);
    });
    return () => {
      isHere = false;
    };
  }, [next, readWords]);
  return useMemo(() => {
    const covers = (file: ReadyFile) => {
      const { rule, box } = placing.placeOf(file);
      return lookedAt(file, placing).some((page) =>
        coversText(box, words.current.get(keyOf(file, page)) ?? [], modelSize(rule, file)),
      );
    };
    return new Set(files.filter(covers).map(({ key }) => key));
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [files, placing.common, placing.own, count]);
}

function lookedAt(file: ReadyFile, placing: Placing): readonly number[] {
  return signedPages(placing.placeOf(file).rule, file.state.pageCount).slice(0, LOOKED_AT);
}

function keyOf(file: ReadyFile, page: number): string {
  return `${file.key}:${page}`;
}

const wordsOf: ReadWords = async (file, pages) => {
  const [{ openPdf }, bytes] = await Promise.all([
    import("../../../pdf/open-pdf.ts"),
    file.arrayBuffer(),
  ]);
  const pdf = await openPdf(bytes, { worker: "shared" });
  try {
    const found: (readonly Box[])[] = [];
    for (const page of pages) found.push(await pdf.textBoxes(page));
    return found;
  } finally {
    pdf.close();
  }
};

const THUMB_PX = 150;

type PreviewMatrixProps = {
  readonly files: readonly ReadyFile[];
  readonly placing: Placing;
  readonly mark: ChosenMark | null;
  readonly covered: ReadonlySet<string>;
  readonly onOpen: (key: string) => void;
  readonly onExclude: (key: string) => void;
};

/** One Tab stop: arrows move between files, Delete removes one. */
export function PreviewMatrix({
  files,
  placing,
  mark,
  covered,
  onOpen,
  onExclude,
}: PreviewMatrixProps) {
  const [current, setCurrent] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const active = Math.min(current, files.length - 1);
  const move = (to: number) => {
    const next = Math.min(Math.max(0, to), files.length - 1);
    setCurrent(next);
    list.current?.querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetOf(event.key, {
      active,
      count: files.length,
      columns: columnsOf(list.current),
    });
    const file = files[active];
    if (event.key === "Delete" && file) {
      event.preventDefault();
      onExclude(file.key);
      requestAnimationFrame(() => move(active));
    } else if (target !== null) {
      event.preventDefault();
      move(target);
    }
  };
  return (
    <section className={styles["matrixRoom"]} aria-label="Tous les résultats">
      <p className="muted small">{`${plural(files.length, "résultat")}. Choisissez un fichier pour lui donner une position propre.`}</p>
      <p className="small" role="status">
        {covered.size > 0
          ? `Sur ${plural(covered.size, "fichier")}, la signature recouvre du texte.`
          : null}
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are those of the buttons inside, heard once */}
      <ul ref={list} className={styles["matrix"]} onKeyDown={onKeyDown}>
        {files.map((file, index) => (
          <li key={file.key}>
            <MatrixCell
              {...{ file, placing, mark }}
              isCurrent={index === active}
              isCovering={covered.has(file.key)}
              model={files[0] ?? file}
              onFocus={() => setCurrent(index)}
              onOpen={() => onOpen(file.key)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function targetOf(
  key: string,
  { active, count, columns }: { active: number; count: number; columns: number },
): number | null {
  if (key === "ArrowRight") return active + 1;
  if (key === "ArrowLeft") return active - 1;
  if (key === "ArrowDown") return active + columns;
  if (key === "ArrowUp") return active - columns;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}

function columnsOf(list: HTMLElement | null): number {
  const tops = [...(list?.children ?? [])].map((child) => (child as HTMLElement).offsetTop);
  return Math.max(1, tops.filter((top) => top === tops[0]).length);
}

type MatrixCellProps = {
  readonly file: ReadyFile;
  readonly model: ReadyFile;
  readonly placing: Placing;
  readonly mark: ChosenMark | null;
  readonly isCurrent: boolean;
  readonly isCovering: boolean;
  readonly onFocus: () => void;
  readonly onOpen: () => void;
};

function MatrixCell({
  file,
  model,
  placing,
  mark,
  isCurrent,
  isCovering,
  onFocus,
  onOpen,
}: MatrixCellProps) {
  const { rule, box } = placing.placeOf(file);
  const [page] = signedPages(rule, file.state.pageCount);
  const size = modelSize(rule, file);
  const flags = [
    placeFault(rule, file.state.pageCount),
    pageFormat(size) === pageFormat(modelSize(placing.common.rule, model))
      ? null
      : "Format différent du modèle",
    isCovering ? COVERS_TEXT : null,
    placing.own.has(file.key) ? "Position propre" : null,
  ].filter((flag) => flag !== null);
  return (
    <button
      type="button"
      className={styles["cell"]}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      onClick={onOpen}
    >
      <span
        className={styles["sheet"]}
        style={{ aspectRatio: `${size.width} / ${size.height}` }}
        aria-hidden="true"
      >
        <PagePicture
          documentKey={file.key}
          load={() => file.file.arrayBuffer()}
          pageNumber={page ?? 1}
          pageWidth={file.state.first.width}
          width={THUMB_PX}
          className={styles["thumb"]}
        />
        {page === undefined ? null : (
          <span className={styles["spot"]} style={percent(box)}>
            {mark ? <MarkPicture look={mark.look} /> : null}
          </span>
        )}
      </span>
      <span className={styles["cellName"]}>{file.file.name}</span>
      {flags.map((flag) => (
        <Flag key={flag} icon={flag === "Position propre" ? "info" : "warning"} words={flag} />
      ))}
    </button>
  );
}

function percent(box: { x: number; y: number; width: number; height: number }) {
  return {
    left: `${box.x * 100}%`,
    top: `${box.y * 100}%`,
    width: `${box.width * 100}%`,
    height: `${box.height * 100}%`,
  };
}

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
  const buttons = (
    <StepButtons count={files.length} sending={sending} onBack={onBack} onSign={onSign} />
  );
  const subtitle = `${plural(files.length, "fichier")}, modèle\u00a0: ${files[0]?.file.name ?? ""}`;
  return (
    <div className={styles["step"]}>
      <BatchBar
        subtitle={subtitle}
        step={1}
        onStep={isBusy ? () => undefined : onBack}
        actions={buttons}
      />
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
          <PreviewMatrix
            files={files}
            placing={placing}
            mark={mark}
            covered={covered}
            onOpen={open}
            onExclude={onExclude}
          />
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

type StepButtonsProps = Pick<PositionProps, "sending" | "onBack" | "onSign"> & {
  readonly count: number;
};

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

const FIELD = "signature";
const SELECTED: ReadonlySet<string> = new Set([FIELD]);
const nothing = () => undefined;

type PlacedDocumentProps = {
  readonly file: ReadyFile;
  readonly placing: Placing;
  readonly mark: ChosenMark | null;
};

export function PlacedDocument({ file, placing, mark }: PlacedDocumentProps) {
  const { rule, box } = placing.placeOf(file);
  const pages = signedPages(rule, file.state.pageCount);
  const size = modelSize(rule, file);
  const viewer = useRef<PdfViewerHandle>(null);
  const [opened, setOpened] = useState<OpenedPdf | null>(null);
  const [first = 1] = pages;
  const middle = useRef(0.5);
  middle.current = box.y + box.height / 2;
  // Scrolls when the file or page changes, not when the signature moves.
  useEffect(() => {
    if (opened === null) return undefined;
    const target = { pageNumber: first, y: middle.current };
    const frame = requestAnimationFrame(() => viewer.current?.goTo(target));
    return () => cancelAnimationFrame(frame);
  }, [opened, first]);
  const frame = useShownAfterTurn();
  return (
    <div className={styles["viewer"]} ref={frame}>
      <PdfViewer
        ref={viewer}
        onPdf={setOpened}
        label={`Document ${file.file.name}`}
        source={{ key: file.key, load: () => file.file.arrayBuffer() }}
        layerPages={pages}
        renderLayer={(pageNumber) =>
          pages.includes(pageNumber) ? (
            <PrepareFieldLayer
              pageNumber={pageNumber}
              fields={[signatureField(mark, { pageNumber, box })]}
              selectedIds={SELECTED}
              leadId={FIELD}
              tool={null}
              onSelect={nothing}
              onToggle={nothing}
              onPlace={nothing}
              onKey={(_, action) => placing.nudge(file, action, size)}
              onMove={(boxes) => {
                const moved = boxes.get(FIELD);
                if (moved) placing.setBox(file, moved);
              }}
            />
          ) : null
        }
      />
    </div>
  );
}

/** The pages read before the window turns stay in sight; an observer answers a frame late. */
function useShownAfterTurn() {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const pages = frame.current;
    if (pages === null) return undefined;
    let isRead = isMostlyInSight(pages);
    const note = () => {
      isRead = isMostlyInSight(pages);
    };
    const show = () => pages.scrollIntoView({ block: "nearest", behavior: "instant" });
    const turn = () => {
      // The dock has its height a frame later.
      if (isRead && document.activeElement?.matches("input, textarea") !== true)
        requestAnimationFrame(() => requestAnimationFrame(show));
    };
    // Scrolling inside the pages counts too.
    document.addEventListener("scroll", note, { capture: true, passive: true });
    window.addEventListener("resize", turn);
    return () => {
      document.removeEventListener("scroll", note, { capture: true });
      window.removeEventListener("resize", turn);
    };
  }, []);
  return frame;
}

function isMostlyInSight(element: HTMLElement): boolean {
  const { top, bottom, height } = element.getBoundingClientRect();
  return Math.min(bottom, window.innerHeight) - Math.max(top, 0) >= height / 2;
}

function signatureField(
  mark: ChosenMark | null,
  { pageNumber, box }: Pick<LayerField, "pageNumber" | "box">,
): LayerField {
  return {
    id: FIELD,
    pageNumber,
    box,
    color: 1,
    name: `${describeMark("Signature", mark)}, page ${pageNumber}`,
    content: mark ? (
      <span className={styles["face"]}>
        <MarkPicture look={mark.look} />
      </span>
    ) : (
      "Signature"
    ),
  };
}

type PagePictureProps = {
  readonly documentKey: string;
  readonly load: (signal: AbortSignal) => Promise<ArrayBuffer>;
  readonly pageNumber: number;
  readonly pageWidth: number;
  readonly width: number;
  readonly className?: string | undefined;
};

/** Drawn only in sight, because a list has hundreds. Decorative. */
function PagePicture({
  documentKey,
  load,
  pageNumber,
  pageWidth,
  width,
  className,
}: PagePictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const target = canvas.current;
    if (!target) return;
    const observer = new IntersectionObserver(
      ([entry]) => setSeen(entry?.isIntersecting === true),
      { rootMargin: "100px" },
    );
    observer.observe(target);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const target = canvas.current;
    if (!isSeen || !target) return;
    const controller = new AbortController();
    let pdf: OpenedPdf | null = null;
    const draw = async () => {
      const [{ openPdf }, bytes] = await Promise.all([
        import("../../../pdf/open-pdf.ts"),
        load(controller.signal),
      ]);
      pdf = await openPdf(bytes, { worker: "shared" });
      if (!controller.signal.aborted)
        await pdf.drawPage({ pageNumber, canvas: target, scale: (width * 2) / pageWidth }).done;
    };
    // An undrawable page stays white; the service reports the file.
    const drawn = draw().catch(() => undefined);
    return () => {
      controller.abort();
      void drawn.then(() => pdf?.close());
      target.width = 0;
    };
    // The loader is made anew at each rendering: the key alone identifies the document.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isSeen, documentKey, pageNumber, pageWidth, width]);
  return <canvas ref={canvas} className={className} aria-hidden="true" />;
}
