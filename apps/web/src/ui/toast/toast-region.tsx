import { useEffect, useRef, useSyncExternalStore } from "react";
import { currentToasts, onToastsChange } from "./toast-store.ts";
import { ToastCard } from "./toast-card.tsx";
import styles from "./toast.module.css";

/** Above everything, modal dialogs included. One for each page. */
export function ToastRegion() {
  const toasts = useSyncExternalStore(onToastsChange, currentToasts);
  const region = useRef<HTMLElement>(null);

  // Modal dialogs are in the top layer: the region re-enters it with each message, to be last. It
  // stays open while empty, because screen readers announce changes inside a known region only.
  useEffect(() => {
    const element = region.current;
    if (!element?.showPopover) return;
    const isOpen = element.matches(":popover-open");
    if (isOpen && toasts.length > 0 && document.querySelector("dialog[open]"))
      element.hidePopover();
    if (!element.matches(":popover-open")) element.showPopover();
  }, [toasts]);

  const errors = toasts.filter((toast) => toast.kind === "err");
  const others = toasts.filter((toast) => toast.kind !== "err");
  return (
    <section className={styles["toasts"]} aria-label="Notifications" ref={region} popover="manual">
      <div className={styles["live"]} role="status" aria-live="polite">
        {others.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </div>
      <div className={styles["live"]} role="alert" aria-live="assertive">
        {errors.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </div>
    </section>
  );
}
