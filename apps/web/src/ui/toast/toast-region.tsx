import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { classNames } from "../../lib/class-names.ts";
import button from "../button/button.module.css";
import { Icon } from "../icon/icon.tsx";
import { type Toast, currentToasts, onToastsChange, removeToast } from "./toast-store.ts";
import styles from "./toast.module.css";

const LOOK_AGAIN_MS = 400;

/** Above everything, modal dialogs included. One for each page. */
export function ToastRegion() {
  const toasts = useSyncExternalStore(onToastsChange, currentToasts);
  const region = useRef<HTMLElement>(null);

  // Modal dialogs are in the top layer: the region re-enters it with each message, to be last. It
  // stays open while empty, because screen readers announce changes inside a known region only.
  useEffect(() => {
    const element = region.current;
    if (!element?.showPopover) return undefined;
    const isOpen = element.matches(":popover-open");
    if (isOpen && toasts.length > 0 && document.querySelector("dialog[open]"))
      element.hidePopover();
    if (!element.matches(":popover-open")) element.showPopover();
    if (toasts.length === 0) return undefined;
    stayClear(element);
    // The page may scroll, turn or change meanwhile.
    const timer = setInterval(stayClear, LOOK_AGAIN_MS, element);
    return () => clearInterval(timer);
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

const ICONS = { ok: "check", err: "close", info: "info" } as const;

/** Its time stops while it is hovered or focused. */
function ToastCard({ toast }: { readonly toast: Toast }) {
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

type Area = Pick<DOMRect, "left" | "top" | "right" | "bottom">;

const ROOM_PX = 8;

/** How far up an area is above all it would cover; null where the window has no such place. */
export function climb(
  { left, top, right, bottom }: Area,
  obstacles: readonly Area[],
): number | null {
  let up = 0;
  for (const one of obstacles.toSorted((a, b) => b.bottom - a.bottom))
    if (one.left < right && one.right > left && one.top < bottom - up && one.bottom > top - up)
      up = bottom - one.top + ROOM_PX;
  return up < top ? up : null;
}

const CONTROLS = "a, button, input, select, summary, textarea";
const CLEAR_OF = [`${CONTROLS}, h1, h2, h3`, CONTROLS, `.${button["primary"]}`];

/** Of a heading its words: its box is as wide as the page. */
function areaOf(element: Element): Area {
  const area = document.createRange();
  if (element.tagName.startsWith("H")) area.selectNodeContents(element);
  else area.selectNode(element);
  return area.getBoundingClientRect();
}

/** Where room is short, a message covers headings first. */
function stayClear(messages: HTMLElement): void {
  // A message that is pressed does not move away.
  if (messages.matches(":hover, :focus-within")) return;
  messages.style.translate = "none";
  const box = messages.getBoundingClientRect();
  const clear = (what: string) =>
    climb(
      box,
      [...document.querySelectorAll(what)].filter((one) => !messages.contains(one)).map(areaOf),
    );
  const up = CLEAR_OF.map(clear).find((one) => one !== null);
  messages.style.translate = `0 -${up ?? 0}px`;
}
