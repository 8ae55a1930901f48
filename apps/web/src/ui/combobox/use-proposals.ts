import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { announce } from "../../lib/announce.ts";

export type ComboboxOption = { readonly id: string; readonly label: string; readonly description?: string };

type Proposed = {
  readonly options: readonly ComboboxOption[];
  readonly onChoose: (id: string) => void;
  readonly onOpen?: (() => void) | undefined;
};

/** The proposals under a line: whether they are shown, which is the current one (-1: the text itself), and what the keys of the line do. */
export function useProposals({ options, onChoose, onOpen }: Proposed) {
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  // By its words: a list that comes again, whoever asked for it, leaves the reader where they are.
  const [walkedTo, setWalkedTo] = useState<ComboboxOption | null>(null);
  const active = options.findIndex(({ label, description }) => label === walkedTo?.label && description === walkedTo.description);
  const isShown = isOpen && options.length > 0;
  const current = isShown ? options[active] : undefined;
  useEffect(() => {
    if (isShown) announce(options.length === 1 ? "1 proposition" : `${options.length} propositions`);
  }, [isShown, options]);
  useEffect(() => {
    if (current) list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [current, active]);

  const open = () => {
    setIsOpen(true);
    setWalkedTo(null);
    onOpen?.();
  };
  const close = () => {
    setIsOpen(false);
    setWalkedTo(null);
  };
  const choose = (option: ComboboxOption) => {
    close();
    onChoose(option.id);
  };
  const walk = (event: KeyboardEvent, step: 1 | -1) => {
    event.preventDefault();
    if (!isShown) open();
    if (event.altKey && step === -1) close();
    // Past either end stands the text itself: no option is the current one there.
    if (event.altKey || options.length === 0) return;
    setWalkedTo(options[((active + 1 + step + options.length + 1) % (options.length + 1)) - 1] ?? null);
  };
  /** True when the key was the list's. */
  const takeKey = (event: KeyboardEvent): boolean => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey) walk(event, step);
    else if (event.key === "Escape" && isShown) {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === "Enter" && current) {
      event.preventDefault();
      choose(current);
    } else return false;
    return true;
  };
  const optionId = (index: number) => `${listId}-${index}`;
  return { list, listId, optionId, active, current, isShown, open, close, choose, takeKey };
}
