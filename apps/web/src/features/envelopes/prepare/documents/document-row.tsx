import type { Document, Envelope } from "@paraphe/contracts";
import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from "react";
import { formatFileSize, plural } from "../../../../lib/format/format-numbers.ts";
import { Button } from "../../../../ui/button/button.tsx";
import { FileInput } from "../../../../ui/field/file-input.tsx";
import { FileItem } from "../../../../ui/file-item/file-item.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { lazyPart } from "../../../../ui/lazy-step/lazy-step.tsx";
import { compareDocument, firstPageUrl } from "../load-document.ts";
import styles from "../step.module.css";
import { announce } from "../../../../lib/browser/announce.ts";
import { callMessage } from "../../../../lib/api/api-error.ts";
import { showToast } from "../../../../ui/toast/toast-store.ts";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import { envelopeCalls } from "../draft/envelope-calls.ts";
import { useRowDrag } from "../use-row-drag.ts";

/** Loaded with the first corrected file: few files are. */
const CopyConsent = lazyPart(
  async () => (await import("../../../documents/correction/copy-consent.tsx")).CopyConsent,
  null,
);

/** Units: pixels. */
const PICTURE = { width: 38, height: 54 };

const A4 = { width: 595, height: 842 };

type DocumentRowProps = {
  readonly document: Document;
  readonly envelopeId: string;
  readonly index: number;
  readonly count: number;
  readonly landing: FilePlace["where"] | null;
  readonly isDragged: boolean;
  readonly onGrab: (event: PointerEvent<HTMLElement>) => void;
  readonly onStep: (direction: "up" | "down") => void;
  readonly onAccept: () => void;
  readonly onRename: () => void;
  readonly onRemove: () => void;
  readonly onReplace: (files: readonly File[]) => void;
};

export function DocumentRow(props: DocumentRowProps) {
  const { document, envelopeId, count, landing, isDragged, onAccept } = props;
  return (
    <FileItem
      name={document.name}
      picture={
        // Without a picture, after a refusal for instance, the place stays white.
        <img
          src={firstPageUrl({ envelopeId, documentId: document.id })}
          alt=""
          loading="lazy"
          {...pictureSize(document.pages[0] ?? A4)}
        />
      }
      order={count < 2 ? undefined : { id: document.id, landing, isDragged }}
      handle={
        count < 2 ? undefined : (
          <button
            type="button"
            className={styles.handle}
            aria-label={`Déplacer ${document.name}`}
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
            title="Glissez, ou appuyez sur Alt et une flèche"
            onPointerDown={props.onGrab}
            onKeyDown={stepping(props.onStep)}
          >
            <Icon name="grip" />
          </button>
        )
      }
      meta={<DocumentFacts {...{ document, envelopeId, onAccept }} />}
      actions={<RowButtons {...props} />}
    />
  );
}

function RowButtons(props: DocumentRowProps) {
  const { document, index, count, onStep, onRename, onRemove } = props;
  const onKeyDown = stepping(onStep);
  const look = { variant: "ghost", size: "sm", square: true, onKeyDown } as const;
  return (
    <>
      {(["up", "down"] as const).map((direction) => (
        <Button
          key={direction}
          {...look}
          aria-label={`${direction === "up" ? "Monter" : "Descendre"} ${document.name}`}
          disabled={index === (direction === "up" ? 0 : count - 1)}
          hidden={count < 2}
          onClick={() => onStep(direction)}
        >
          <Icon name={direction === "up" ? "chevron-up" : "chevron-down"} />
        </Button>
      ))}
      <Button
        {...look}
        aria-label={`Renommer ${document.name}`}
        title="Renommer"
        onClick={onRename}
      >
        <Icon name="edit" />
      </Button>
      {count < 2 ? (
        <ReplaceButton {...props} />
      ) : (
        <Button {...look} aria-label={`Retirer ${document.name}`} onClick={onRemove}>
          <Icon name="close" />
        </Button>
      )}
    </>
  );
}

function ReplaceButton({ document, onReplace }: Pick<DocumentRowProps, "document" | "onReplace">) {
  const input = useRef<HTMLInputElement>(null);
  const label = `Remplacer ${document.name}`;
  return (
    <>
      <Button size="sm" aria-label={label} onClick={() => input.current?.click()}>
        Remplacer
      </Button>
      <FileInput ref={input} label={label} accept=".pdf,application/pdf" onTake={onReplace} />
    </>
  );
}

/** A page's picture has the page's proportions. */
function pictureSize({ width, height }: typeof A4): {
  readonly width: number;
  readonly height: number;
} {
  const scale = Math.min(PICTURE.width / width, PICTURE.height / height);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** The keys work on any control of the row. */
function stepping(onStep: DocumentRowProps["onStep"]) {
  return (event: KeyboardEvent<HTMLElement>) => {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    onStep(event.key === "ArrowUp" ? "up" : "down");
  };
}

function DocumentFacts({
  document,
  envelopeId,
  onAccept,
}: Pick<DocumentRowProps, "document" | "envelopeId" | "onAccept">) {
  const { result, findings } = document.control;
  return (
    <>
      {`${plural(document.page_count, "page")}, ${formatFileSize(document.size)}`}
      {findings.map((finding) => (
        <span key={finding.code} className={styles.finding}>
          {finding.detail}
        </span>
      ))}
      {result === "fixable" ? <CopyToAccept {...{ document, envelopeId, onAccept }} /> : null}
    </>
  );
}

function CopyToAccept({
  document,
  envelopeId,
  onAccept,
}: Pick<DocumentRowProps, "document" | "envelopeId" | "onAccept">) {
  const { id, control } = document;
  const ask = useMemo(
    () =>
      control.accepted
        ? null
        : (from: number, signal: AbortSignal) =>
            compareDocument({ envelopeId, documentId: id, from }, signal),
    [control.accepted, envelopeId, id],
  );
  return (
    <CopyConsent
      ask={ask}
      label="J’accepte que ce soit une copie corrigée de ce fichier qui soit signée."
      checked={control.accepted}
      onChange={onAccept}
    />
  );
}

type FilePlace = { readonly id: string; readonly where: "before" | "after" };

export function placeFile(
  ids: readonly string[],
  moved: string,
  { id, where }: FilePlace,
): readonly string[] {
  const others = ids.filter((other) => other !== moved);
  const at = others.indexOf(id);
  if (at < 0 || others.length === ids.length) return ids;
  return others.toSpliced(where === "before" ? at : at + 1, 0, moved);
}

export function stepFile(
  ids: readonly string[],
  moved: string,
  direction: "up" | "down",
): readonly string[] {
  const at = ids.indexOf(moved);
  const beside = ids[direction === "up" ? at - 1 : at + 1];
  if (at < 0 || beside === undefined) return ids;
  return placeFile(ids, moved, { id: beside, where: direction === "up" ? "before" : "after" });
}

type FileChange = {
  /** Called with the newest envelope when its turn comes. */
  readonly make: (envelope: Envelope) => Promise<Envelope>;
  readonly failure: string;
};

/** Changes the files of an envelope between two saves; a failure changes nothing. */
export function changeFiles(keeper: DraftKeeper, { make, failure }: FileChange): void {
  keeper
    .exclusively((envelope) => {
      if (!envelope) throw new Error("no envelope to change");
      return make(envelope);
    })
    .catch((error: unknown) =>
      showToast("err", callMessage(error, `${failure} Réessayez dans un instant.`)),
    );
}

/** The order comes from the newest envelope: two quick presses are two steps. */
export function useFileOrder(keeper: DraftKeeper) {
  const reorder = (moved: string, change: (ids: readonly string[]) => readonly string[]) =>
    changeFiles(keeper, {
      async make(envelope) {
        const ids = envelope.documents.map((document) => document.id);
        const order = change(ids);
        if (order.every((id, index) => id === ids[index])) return envelope;
        const name = envelope.documents.find((document) => document.id === moved)?.name ?? "";
        const changed = await envelopeCalls.patch(envelope, { order: [...order] });
        announce(`${name}\u00a0: position ${order.indexOf(moved) + 1} sur ${order.length}`);
        return changed;
      },
      failure: "L’ordre des fichiers n’a pas changé.",
    });
  const { drag, grab } = useRowDrag<FilePlace>({
    placeAt,
    onDrop: (moved, place) => reorder(moved, (ids) => placeFile(ids, moved, place)),
  });
  return {
    drag,
    grab,
    step: (moved: string, direction: "up" | "down") =>
      reorder(moved, (ids) => stepFile(ids, moved, direction)),
  };
}

/** Rows bear `data-file`. */
function placeAt(y: number, dragged: string): FilePlace | null {
  for (const row of document.querySelectorAll<HTMLElement>("[data-file]")) {
    const { top, bottom, height } = row.getBoundingClientRect();
    const id = row.dataset["file"] ?? "";
    if (y < top || y > bottom || id === dragged) continue;
    return { id, where: (y - top) / height < 0.5 ? "before" : "after" };
  }
  return null;
}
