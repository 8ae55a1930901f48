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
    return () => {
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

/** The menu's button instead of its entry, which is gone when the dialog closes. */
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
