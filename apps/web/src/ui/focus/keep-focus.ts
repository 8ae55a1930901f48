/** The place of what was taken away: its parent, still there, and its neighbours of then. */
type Gap = {
  readonly gone: Node;
  readonly parent: Element;
  readonly previous: Node | null;
  readonly next: Node | null;
};

const STOPS =
  "a[href],button:not(:disabled),input:not(:disabled),select:not(:disabled),textarea:not(:disabled),summary,[tabindex='0']";
/** Pieces whose neighbours are their like. */
const LIKE = new Set(["LI", "TR", "BUTTON", "A"]);

/**
 * What takes the focus after `lost`: the first control of what was put in its place; or the same control of the next row, of the one
 * before; or else the heading over it.
 */
function findHeir(lost: HTMLElement, gap: Gap): HTMLElement | null {
  const { gone, parent } = gap;
  const isWholePage =
    gone instanceof Element && (gone.matches("main,h1") || gone.querySelector("main,h1") !== null);
  if (!parent.isConnected || parent === document.body || isWholePage) return headingOver(parent);
  return newcomer(gap) ?? neighbour(lost, gap) ?? headingOver(parent);
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

/** Counted from the end of the row: what removes a row stands last, and the first controls may differ from row to row. */
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

/** The nearest heading over the place, within the dialog or the page. */
function headingOver(parent: Element): HTMLElement | null {
  const scope =
    parent.closest("dialog[open],main") ??
    [...document.querySelectorAll("dialog[open]")].at(-1) ??
    document.querySelector("main");
  if (!scope) return null;
  let around = scope.contains(parent) ? parent : scope;
  while (around !== scope && !around.querySelector("h1,h2,h3"))
    around = around.parentElement ?? scope;
  const heading = around.querySelector<HTMLElement>("h1,h2,h3");
  if (heading && !heading.hasAttribute("tabindex")) heading.tabIndex = -1;
  return heading;
}

function stopsIn(piece: Element): readonly HTMLElement[] {
  const inside = [...piece.querySelectorAll<HTMLElement>(STOPS)];
  const all = piece instanceof HTMLElement && piece.matches(STOPS) ? [piece, ...inside] : inside;
  return all.filter((stop) => stop.tabIndex >= 0 && !stop.closest("[hidden],[inert]"));
}

function isShown(stop: HTMLElement): boolean {
  return stop.checkVisibility?.() ?? true;
}

/** Focuses an element once what a query brought is drawn: queries tell the page in a timer, which a frame may come before. */
export function focusOnceDrawn(find: () => HTMLElement | null | undefined): void {
  setTimeout(() => requestAnimationFrame(() => find()?.focus()));
}

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

/** Where it stood: between which neighbours, in what is still there. */
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
