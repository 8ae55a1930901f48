import { useEffect, useRef, useState } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../icon/icon.tsx";
import { removeToast, type Toast } from "./toast-store.ts";
import styles from "./toast.module.css";

const ICONS = { ok: "check", err: "close", info: "info" } as const;

/** Its time stops while it is hovered or focused. */
export function ToastCard({ toast }: { readonly toast: Toast }) {
  const [paused, setPaused] = useState(false);
  const left = useRef(toast.durationMs);

  useEffect(() => {
    if (paused) return undefined;
    const startedAt = performance.now();
    const timer = setTimeout(() => {
      removeToast(toast.id);
      toast.onElapsed?.();
    }, left.current);
    return () => {
      clearTimeout(timer);
      left.current = Math.max(0, left.current - (performance.now() - startedAt));
    };
  }, [paused, toast]);

  const close = () => {
    removeToast(toast.id);
    toast.onClosed?.();
  };
  return (
    <div
      className={classNames(styles["toast"], styles[toast.kind])}
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <span className={styles["sign"]} aria-hidden="true">
        <Icon name={ICONS[toast.kind]} />
      </span>
      <span className={styles["text"]}>
        <span>{toast.message}</span>
        {toast.detail !== undefined && <small>{toast.detail}</small>}
      </span>
      <button
        type="button"
        aria-label="Fermer la notification"
        title="Fermer la notification"
        onClick={close}
      >
        <Icon name="close" />
      </button>
      <span
        className={styles["life"]}
        style={{ animationDuration: `${toast.durationMs}ms` }}
        aria-hidden="true"
      />
    </div>
  );
}
