import { useEffect, useState } from "react";
import { announce } from "../../lib/browser/announce.ts";
import { Icon } from "../icon/icon.tsx";
import styles from "./copy-field.module.css";

const COPIED_MS = 2_000;

export function CopyField({
  label,
  value,
  hideLabel = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly hideLabel?: boolean;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    announce("Copié");
  };
  return (
    <div className={styles["field"]}>
      <span className={hideLabel ? "sr" : styles["label"]}>{label}</span>
      <div className={styles["copy"]}>
        <code>{value}</code>
        <button
          type="button"
          aria-label={`Copier ${label}`}
          title={`Copier ${label}`}
          onClick={() => void copy()}
        >
          <Icon name={copied ? "check" : "copy"} />
          {copied && <span>Copié</span>}
        </button>
      </div>
    </div>
  );
}
