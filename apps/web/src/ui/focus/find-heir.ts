/** The place of what was taken away: its parent, still there, and its neighbours of then. */
export type Gap = {
  readonly gone: Node;
  readonly parent: Element;
  readonly previous: Node | null;
  readonly next: Node | null;
};

const STOPS = "a[href],button:not(:disabled),input:not(:disabled),select:not(:disabled),textarea:not(:disabled),summary,[tabindex='0']";
/** Pieces whose neighbours are their like. */
const LIKE = new Set(["LI", "TR", "BUTTON", "A"]);

/**
 * What takes the focus after `lost`: the first control of what was put in its place; or the same control of the next row, of the one
 * before; or else the heading over it.
 */
export function findHeir(lost: HTMLElement, gap: Gap): HTMLElement | null {
  const { gone, parent } = gap;
  const isWholePage = gone instanceof Element && (gone.matches("main,h1") || gone.querySelector("main,h1") !== null);
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
      const stops = node instanceof Element && node.tagName === gone.tagName ? stopsIn(node).filter(isShown) : [];
      if (stops.length > 0) return stops.at(-rank) ?? stops[0] ?? null;
    }
  }
  return null;
}

/** The nearest heading over the place, within the dialog or the page. */
function headingOver(parent: Element): HTMLElement | null {
  const scope =
    parent.closest("dialog[open],main") ?? [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.querySelector("main");
  if (!scope) return null;
  let around = scope.contains(parent) ? parent : scope;
  while (around !== scope && !around.querySelector("h1,h2,h3")) around = around.parentElement ?? scope;
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
