/** Where an element was removed: its parent and former neighbours. */
type Gap = {
  readonly gone: Node;
  readonly parent: Element;
  readonly previous: Node | null;
  readonly next: Node | null;
};

const STOPS =
  "a[href],button:not(:disabled),input:not(:disabled),select:not(:disabled),textarea:not(:disabled),summary,[tabindex='0']";
/** Elements whose neighbours are similar. */
const LIKE = new Set(["LI", "TR", "BUTTON", "A"]);

/**
 * The replacement's first control, otherwise the same of the next or previous row, otherwise the
 * heading above.
 */
function nextFocusTarget(lost: HTMLElement, gap: Gap): HTMLElement | null {
  const { gone, parent, next } = gap;
  const isWholePage =
    gone instanceof Element && (gone.matches("main,h1") || gone.querySelector("main,h1") !== null);
  if (!parent.isConnected || parent === document.body || isWholePage)
    return headingOver(parent, null);
  return newcomer(gap) ?? neighbour(lost, gap) ?? headingOver(parent, next);
}

function newcomer({ gone, parent, previous, next }: Gap): HTMLElement | null {
  let node = previous?.parentNode === parent ? previous.nextSibling : parent.firstChild;
  const end = next?.parentNode === parent ? next : null;
  for (; node && node !== end; node = node.nextSibling) {
    const stop = node instanceof Element && node !== gone ? stopsIn(node).find(isShown) : undefined;
    if (stop) return stop;
  }
  return null;
}

/** Counts from the row's end, because its first controls may vary. */
function neighbour(lost: HTMLElement, { gone, previous, next, parent }: Gap): HTMLElement | null {
  if (!(gone instanceof Element) || !LIKE.has(gone.tagName)) return null;
  const own = stopsIn(gone);
  const rank = own.includes(lost) ? own.length - own.indexOf(lost) : Number.POSITIVE_INFINITY;
  for (const [start, step] of [
    [next, "nextSibling"],
    [previous, "previousSibling"],
  ] as const) {
    for (let node = start; node?.parentNode === parent; node = node[step]) {
      const stops =
        node instanceof Element && node.tagName === gone.tagName
          ? stopsIn(node).filter(isShown)
          : [];
      if (stops.length > 0) return stops.at(-rank) ?? stops[0] ?? null;
    }
  }
  return null;
}

/** A heading after the gap is another part's: focusing it would move the window. */
function headingOver(parent: Element, next: Node | null): HTMLElement | null {
  const scope =
    parent.closest("dialog[open],main") ??
    [...document.querySelectorAll("dialog[open]")].at(-1) ??
    document.querySelector("main");
  if (!scope) return null;
  const headingIn = (part: Element) =>
    [...part.querySelectorAll<HTMLElement>("h1,h2,h3")].find(
      (heading) => next?.parentNode !== parent || isBefore(heading, next),
    );
  let around = scope.contains(parent) ? parent : scope;
  while (around !== scope && !headingIn(around)) around = around.parentElement ?? scope;
  const heading = headingIn(around) ?? scope.querySelector<HTMLElement>("h1,h2,h3");
  if (heading && !heading.hasAttribute("tabindex")) heading.tabIndex = -1;
  return heading;
}

function isBefore(node: Node, mark: Node): boolean {
  return (node.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

function stopsIn(piece: Element): readonly HTMLElement[] {
  const inside = [...piece.querySelectorAll<HTMLElement>(STOPS)];
  const all = piece instanceof HTMLElement && piece.matches(STOPS) ? [piece, ...inside] : inside;
  return all.filter((stop) => stop.tabIndex >= 0 && !stop.closest("[hidden],[inert]"));
}

function isShown(stop: HTMLElement): boolean {
  return stop.checkVisibility?.() ?? true;
}

/** Waits, because queries notify in a timer, perhaps after the next frame. */
export function focusOnceDrawn(find: () => HTMLElement | null | undefined): void {
  setTimeout(() => requestAnimationFrame(() => find()?.focus()));
}

/**
 * When the focused element is removed, the browser would restart Tab from the top (WCAG 2.4.3).
 * Focus placed by others wins. Returns the way to stop.
 */
export function preserveFocus(page: Document): () => void {
  let held: HTMLElement | null = null;
  let frame = 0;

  const onFocusIn = (event: FocusEvent) => {
    held = event.target instanceof HTMLElement ? event.target : null;
    cancelAnimationFrame(frame);
  };
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
    // Dialogs, menus and pages place the focus first.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        if (isNowhere(page) || page.activeElement === lost) nextFocusTarget(lost, gap)?.focus();
      });
    });
  });

  page.addEventListener("focusin", onFocusIn);
  page.addEventListener("focusout", onFocusOut);
  observer.observe(page, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["disabled", "hidden", "inert"],
  });
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
  return (
    element.isConnected &&
    !element.matches(":disabled") &&
    element.closest("[hidden],[inert]") === null
  );
}

function gapOf(lost: HTMLElement, records: readonly MutationRecord[]): Gap | null {
  if (lost.isConnected) {
    const gone = lost.closest<HTMLElement>("[hidden],[inert]") ?? lost;
    return (
      gone.parentElement && {
        gone,
        parent: gone.parentElement,
        previous: gone.previousSibling,
        next: gone.nextSibling,
      }
    );
  }
  let gone = topOf(lost);
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const record = records[index];
    if (!record || ![...record.removedNodes].includes(gone)) continue;
    const { target, previousSibling, nextSibling } = record;
    if (target.isConnected)
      return { gone, parent: target as Element, previous: previousSibling, next: nextSibling };
    // A removed ancestor counts instead of the element.
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
