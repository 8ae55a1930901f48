import { useEffect, useRef, type KeyboardEvent, type RefObject, type SyntheticEvent } from "react";

const TABBABLE =
  'a[href],button:not(:disabled),input:not(:disabled),select:not(:disabled),textarea:not(:disabled),summary,[tabindex="0"]';

type Options = {
  readonly onClose: () => void;
  /** Escape and the backdrop do nothing. */
  readonly locked?: boolean | undefined;
  /** Otherwise the first control of `content`, of the dialog, or the dialog itself. */
  readonly initialFocus?: RefObject<HTMLElement | null> | undefined;
  readonly content?: RefObject<HTMLElement | null> | undefined;
};

/** Tab wraps inside, because browsers include their own bars; the focus returns to its origin. */
export function useModal({ onClose, locked = false, initialFocus, content }: Options) {
  const ref = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    const dialog = ref.current;
    const origin = originOf(document.activeElement);
    if (!dialog) return undefined;
    dialog.showModal();
    (initialFocus?.current ?? (content?.current && stopsIn(content.current)[0]))?.focus();
    // The first words are in sight even when the focused control is far below.
    dialog.scrollTop = 0;
    const { overflow } = document.documentElement.style;
    document.documentElement.style.overflow = "hidden";
    const leave = followErrors(dialog, content?.current);
    return () => {
      leave();
      document.documentElement.style.overflow = overflow;
      if (dialog.open) dialog.close();
      if (origin instanceof HTMLElement && origin.isConnected)
        origin.focus({ preventScroll: true });
    };
  }, [initialFocus, content]);

  return {
    ref,
    onCancel: (event: SyntheticEvent) => {
      event.preventDefault();
      if (!locked) onClose();
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        if (!locked) onClose();
      }
      if (event.key === "Tab" && ref.current) keepInside(event, ref.current);
    },
    /** The backdrop is the dialog element outside its content box. */
    onPointerDown: (event: SyntheticEvent) => {
      if (
        event.target === ref.current &&
        !locked &&
        isOnVeil(event.nativeEvent as PointerEvent, ref.current)
      )
        onClose();
    },
  };
}

const WRONG = '[aria-invalid="true"]';

/** Brings refusals in sight; the first wrong control has the focus. */
function followErrors(dialog: HTMLElement, content: HTMLElement | null | undefined): () => void {
  let isSent = false;
  const note = ({ type, target }: Event) => {
    const isIn = target instanceof Element && content?.contains(target) !== false;
    if (type === "submit" || (type === "click" && !isIn)) isSent = true;
    else if (type === "input" || (type === "focusin" && isIn)) isSent = false;
  };
  const observer = new MutationObserver((records) => {
    const wrong = dialog.querySelector<HTMLElement>(WRONG);
    if (isSent && !document.activeElement?.matches(WRONG)) wrong?.focus();
    if (document.activeElement?.matches(WRONG)) showError(document.activeElement);
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node instanceof Element) findAlert(node)?.scrollIntoView?.(NEAREST);
  });
  for (const type of NOTED) dialog.addEventListener(type, note);
  observer.observe(dialog, { subtree: true, childList: true, attributeFilter: ["aria-invalid"] });
  return () => {
    for (const type of NOTED) dialog.removeEventListener(type, note);
    observer.disconnect();
  };
}

const NOTED = ["submit", "click", "input", "focusin"] as const;
const NEAREST: ScrollIntoViewOptions = { block: "nearest" };

function showError(control: Element): void {
  const described = control.getAttribute("aria-describedby")?.split(" ").at(-1) ?? "";
  document.getElementById(described)?.scrollIntoView?.(NEAREST);
}

const findAlert = (added: Element) =>
  added.matches("[role=alert]") ? added : added.querySelector("[role=alert]");

/** A menu's button for its entry, gone when the dialog closes. */
function originOf(focused: Element | null): Element | null {
  const menu = focused?.closest("[role=menu]");
  if (!menu) return focused;
  const names = menu.getAttribute("aria-labelledby")?.split(" ") ?? [];
  return (
    names.map((id) => document.getElementById(id)).find((named) => named?.matches("button")) ??
    focused
  );
}

function stopsIn(part: HTMLElement): readonly HTMLElement[] {
  return [...part.querySelectorAll<HTMLElement>(TABBABLE)].filter(
    (stop) => stop.tabIndex >= 0 && !stop.closest("[hidden],[inert]"),
  );
}

function keepInside(event: KeyboardEvent, dialog: HTMLElement): void {
  const stops = stopsIn(dialog);
  const first = stops[0];
  const last = stops.at(-1);
  const { activeElement } = document;
  if (!first || !last) {
    event.preventDefault();
    return;
  }
  if (event.shiftKey && (activeElement === first || activeElement === dialog)) {
    event.preventDefault();
    last.focus();
  } else if (!event.shiftKey && activeElement === last) {
    event.preventDefault();
    first.focus();
  }
}

function isOnVeil(event: PointerEvent, dialog: HTMLElement): boolean {
  const box = dialog.getBoundingClientRect();
  return (
    event.clientX < box.left ||
    event.clientX > box.right ||
    event.clientY < box.top ||
    event.clientY > box.bottom
  );
}
