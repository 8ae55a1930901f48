import { type KeyboardEvent, useRef, useState } from "react";
import { PagePicture } from "../../../pdf/page-picture.tsx";
import { plural } from "../../../lib/format-numbers.ts";
import { Flag } from "../../../ui/flag/flag.tsx";
import type { ChosenMark } from "../chosen-mark.ts";
import { MarkPicture } from "../mark-picture.tsx";
import type { ReadyFile } from "./batch-file.ts";
import styles from "./bulk.module.css";
import { COVERS_TEXT } from "./covers-text.ts";
import { pageFormat } from "./page-format.ts";
import { modelSize, placeFault, signedPages } from "./page-rule.ts";
import type { Placing } from "./use-placing.ts";

const THUMB_PX = 150;

type PreviewMatrixProps = {
  readonly files: readonly ReadyFile[];
  readonly placing: Placing;
  readonly mark: ChosenMark | null;
  /** Keys of the files whose signature would lie over words. */
  readonly covered: ReadonlySet<string>;
  readonly onOpen: (key: string) => void;
  readonly onExclude: (key: string) => void;
};

/** Every result before anything is signed. One stop of the Tab key; arrows go from one to the next, Delete leaves a file out. */
export function PreviewMatrix({ files, placing, mark, covered, onOpen, onExclude }: PreviewMatrixProps) {
  const [current, setCurrent] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const active = Math.min(current, files.length - 1);
  const move = (to: number) => {
    const next = Math.min(Math.max(0, to), files.length - 1);
    setCurrent(next);
    list.current?.querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetOf(event.key, { active, count: files.length, columns: columnsOf(list.current) });
    const file = files[active];
    if (event.key === "Delete" && file) {
      event.preventDefault();
      onExclude(file.key);
      // The next one takes its place, and the keyboard's focus.
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
        {covered.size > 0 ? `Sur ${plural(covered.size, "fichier")}, la signature recouvre du texte.` : null}
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

function targetOf(key: string, { active, count, columns }: { active: number; count: number; columns: number }): number | null {
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

function MatrixCell({ file, model, placing, mark, isCurrent, isCovering, onFocus, onOpen }: MatrixCellProps) {
  const { rule, box } = placing.placeOf(file);
  const [page] = signedPages(rule, file.state.pageCount);
  const size = modelSize(rule, file);
  const flags = [
    placeFault(rule, file.state.pageCount),
    pageFormat(size) === pageFormat(modelSize(placing.common.rule, model)) ? null : "Format différent du modèle",
    isCovering ? COVERS_TEXT : null,
    placing.own.has(file.key) ? "Position propre" : null,
  ].filter((flag) => flag !== null);
  return (
    <button type="button" className={styles["cell"]} tabIndex={isCurrent ? 0 : -1} onFocus={onFocus} onClick={onOpen}>
      <span className={styles["sheet"]} style={{ aspectRatio: `${size.width} / ${size.height}` }} aria-hidden="true">
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
  return { left: `${box.x * 100}%`, top: `${box.y * 100}%`, width: `${box.width * 100}%`, height: `${box.height * 100}%` };
}
