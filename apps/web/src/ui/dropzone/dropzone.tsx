import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Button } from "../button/button.tsx";
import { FileInput } from "../field/file-input.tsx";
import { Icon } from "../icon/icon.tsx";
import styles from "./dropzone.module.css";

/** A disabled zone also stops the browser from opening files. */
export function useFileDrop(onFiles: (files: readonly File[]) => void, isDisabled = false) {
  const [isOver, setIsOver] = useState(false);
  const drag = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(!isDisabled);
  };
  const target = {
    onDragEnter: drag,
    onDragOver: drag,
    onDragLeave(event: DragEvent) {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
    },
    onDrop(event: DragEvent) {
      event.preventDefault();
      setIsOver(false);
      onFiles([...event.dataTransfer.files]);
    },
  };
  return { isOver, target };
}

type Props = {
  readonly title: string;
  readonly overTitle?: string;
  readonly hint?: ReactNode;
  readonly accept: string;
  readonly multiple?: boolean;
  readonly compact?: boolean;
  readonly disabled?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
};

export function Dropzone({
  title,
  overTitle,
  hint,
  accept,
  multiple = false,
  compact = false,
  disabled = false,
  onFiles,
}: Props) {
  const input = useRef<HTMLInputElement>(null);
  const take = (files: readonly File[]) => {
    if (files.length > 0 && !disabled) onFiles(multiple ? files : files.slice(0, 1));
  };
  const { isOver, target } = useFileDrop(take, disabled);
  const browse = () => input.current?.click();
  return (
    <div
      className={classNames(
        styles["dropzone"],
        isOver && styles["over"],
        compact && styles["compact"],
        disabled && styles["disabled"],
      )}
      {...target}
    >
      <Icon name="upload" />
      <b>{isOver ? (overTitle ?? title) : title}</b>
      {compact ? (
        <Button size="sm" className={styles["choose"] ?? ""} disabled={disabled} onClick={browse}>
          {multiple ? "Choisir des fichiers" : "Choisir un fichier"}
        </Button>
      ) : (
        <span>
          ou{" "}
          <button type="button" className={styles["browse"]} disabled={disabled} onClick={browse}>
            parcourez vos fichiers
          </button>
        </span>
      )}
      {hint !== undefined && <small className={styles["hint"]}>{hint}</small>}
      <FileInput ref={input} label={title} {...{ accept, multiple, disabled }} onTake={take} />
    </div>
  );
}
