/** Focuses an element once what a query brought is drawn: queries tell the page in a timer, which a frame may come before. */
export function focusOnceDrawn(find: () => HTMLElement | null | undefined): void {
  setTimeout(() => requestAnimationFrame(() => find()?.focus()));
}
