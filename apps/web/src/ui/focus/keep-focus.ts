import { findHeir, type Gap } from "./find-heir.ts";

/**
 * Keeps the reader's place when what has the focus is taken away: a row that another session removed, a button its own press made
 * pointless. The browser would leave the focus on the page itself, whose next Tab starts from the top (WCAG 2.4.3); here it goes to what
 * stands in the same place. Whoever places the focus first is left alone. Returns what stops it.
 */
export function keepFocus(page: Document): () => void {
  let held: HTMLElement | null = null;
  let frame = 0;

  const onFocusIn = (event: FocusEvent) => {
    held = event.target instanceof HTMLElement ? event.target : null;
    cancelAnimationFrame(frame);
  };
  // A press on the page itself leaves the control where it is: nothing is to be kept. Another window in front leaves the focus in place.
  const onFocusOut = () => {
    queueMicrotask(() => {
      if (held && isUsable(held) && page.hasFocus() && isNowhere(page)) held = null;
    });
  };
  const observer = new MutationObserver((records) => {
    if (!held || isUsable(held)) return;
    const lost = held;
    const gap = gapOf(lost, records);
    held = null;
    if (!gap) return;
    // Dialogs, menus and pages place the focus themselves, in effects and in the next frame: they come first.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        if (isNowhere(page) || page.activeElement === lost) findHeir(lost, gap)?.focus();
      });
    });
  });

  page.addEventListener("focusin", onFocusIn);
  page.addEventListener("focusout", onFocusOut);
  observer.observe(page, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "hidden", "inert"] });
  return () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
    page.removeEventListener("focusin", onFocusIn);
    page.removeEventListener("focusout", onFocusOut);
  };
}

function isNowhere(page: Document): boolean {
  return page.activeElement === null || page.activeElement === page.body;
}

function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(":disabled") && element.closest("[hidden],[inert]") === null;
}

/** Where it stood: between which neighbours, in what is still there. */
function gapOf(lost: HTMLElement, records: readonly MutationRecord[]): Gap | null {
  if (lost.isConnected) {
    const gone = lost.closest<HTMLElement>("[hidden],[inert]") ?? lost;
    return gone.parentElement && { gone, parent: gone.parentElement, previous: gone.previousSibling, next: gone.nextSibling };
  }
  let gone = topOf(lost);
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const record = records[index];
    if (!record || ![...record.removedNodes].includes(gone)) continue;
    const { target, previousSibling, nextSibling } = record;
    if (target.isConnected) return { gone, parent: target as Element, previous: previousSibling, next: nextSibling };
    // What it was taken out of was taken out too: that is the piece whose place counts.
    gone = topOf(target);
    index = records.length;
  }
  return null;
}

function topOf(node: Node): Node {
  let top = node;
  while (top.parentNode) top = top.parentNode;
  return top;
}
