type Frame = {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};

/** Gives the middle of what is seen of a page, in fractions of it; the page's own middle when none of it is seen. */
export function middleInSight(
  page: Frame,
  window: Frame,
): { readonly x: number; readonly y: number } {
  return {
    x: middle({ from: page.left, to: page.right }, { from: window.left, to: window.right }),
    y: middle({ from: page.top, to: page.bottom }, { from: window.top, to: window.bottom }),
  };
}

type Span = { readonly from: number; readonly to: number };

function middle(page: Span, window: Span): number {
  const from = Math.max(page.from, window.from);
  const to = Math.min(page.to, window.to);
  return from < to ? ((from + to) / 2 - page.from) / (page.to - page.from) : 0.5;
}
