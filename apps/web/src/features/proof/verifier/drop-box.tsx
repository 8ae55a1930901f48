import { useRef } from "react";
import { classNames } from "../../../lib/class-names.ts";
import { Button } from "../../../ui/button/button.tsx";
import { useFileDrop } from "../../../ui/dropzone/dropzone.tsx";
import { FileInput } from "../../../ui/field/file-input.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "./drop-box.module.css";

type Props = {
  readonly title: string;
  readonly hint: string;
  readonly isSmall?: boolean;
  /** Its button is the page's next step. */
  readonly isPrimary?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
};

const ACCEPTED = ".pdf,.json,.pem,.crt,.cer,.der,application/pdf,application/json,image/*";

/** By drop, button or phone camera. */
export function DropBox({ title, hint, isSmall = false, isPrimary = true, onFiles }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const take = (files: readonly File[]) => files.length > 0 && onFiles(files);
  const { isOver, target } = useFileDrop(take);
  return (
    <div
      className={classNames(styles["box"], isOver && styles["over"], isSmall && styles["small"])}
      {...target}
    >
      <span className={styles["kinds"]}>
        {isSmall ? (
          <Icon name="upload" />
        ) : (
          (["files", "shield", "camera"] as const).map((name) => <Icon key={name} name={name} />)
        )}
      </span>
      <span className={styles["words"]}>
        <b>{isOver ? "Relâchez pour vérifier" : title}</b>
        <span>{hint}</span>
      </span>
      <span className={styles["buttons"]}>
        <Button
          variant={isPrimary ? "primary" : "secondary"}
          size={isSmall ? "sm" : "lg"}
          onClick={() => input.current?.click()}
        >
          Choisir un fichier
        </Button>
        {isSmall ? null : (
          <Button size="lg" className={styles["photo"]} onClick={() => camera.current?.click()}>
            <Icon name="camera" size="sm" />
            Photographier la page
          </Button>
        )}
      </span>
      <FileInput label={title} accept={ACCEPTED} ref={input} onTake={take} multiple />
      {isSmall ? null : (
        <FileInput
          label="Photo de la page imprimée"
          accept="image/*"
          capture="environment"
          ref={camera}
          onTake={take}
        />
      )}
    </div>
  );
}
