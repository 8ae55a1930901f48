import { useEffect, useRef } from "react";

export type FieldShortcuts = {
  undo(): void;
  redo(): void;
  copy(): void;
  cut(): void;
  paste(): void;
  selectPage(): void;
  help(): void;
  /** Échap outside a field: the tool is put down. */
  escape(): void;
};

/** The keys that work wherever the focus is in the field step, save in a box where one types and in a dialog. */
export function useFieldShortcuts(shortcuts: FieldShortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const name = readShortcut(event, { hasWords: !(window.getSelection()?.isCollapsed ?? true) });
      if (!name || isTyping(event.target)) return;
      // What was removed in the list can be taken back there; everything else waits for the dialog to close.
      if (name !== "undo" && name !== "redo" && document.querySelector("dialog[open]")) return;
      if (name !== "escape") event.preventDefault();
      latest.current[name]();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

type ShortcutKey = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** Gives the shortcut's name; null for a key that is the browser's. Words selected on the page are copied by the browser. */
export function readShortcut(event: ShortcutKey, { hasWords }: { hasWords: boolean }): keyof FieldShortcuts | null {
  if (event.key === "?") return "help";
  if (event.key === "Escape") return "escape";
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return null;
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  if (event.shiftKey) return null;
  if (key === "y") return "redo";
  if (key === "a") return "selectPage";
  if (key === "v") return "paste";
  if (hasWords) return null;
  return key === "c" ? "copy" : key === "x" ? "cut" : null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type='checkbox']), textarea"));
}
