export type Area = Pick<DOMRect, "left" | "top" | "right" | "bottom">;

const ROOM_PX = 8;

/** How far up an area is above all it would cover; 0 where the window has no such place. */
export function climb({ left, top, right, bottom }: Area, obstacles: readonly Area[]): number {
  let up = 0;
  for (const one of obstacles.toSorted((a, b) => b.bottom - a.bottom))
    if (one.left < right && one.right > left && one.top < bottom - up && one.bottom > top - up)
      up = bottom - one.top + ROOM_PX;
  return up < top ? up : 0;
}

/** Moves messages clear of headings and controls. */
export function stayClear(messages: HTMLElement): void {
  // A message that is pressed does not move away.
  if (messages.matches(":hover, :focus-within")) return;
  messages.style.translate = "none";
  const obstacles = [...document.querySelectorAll("a, button, input, select, summary, h1, h2, h3")]
    .filter((one) => !messages.contains(one))
    .map((one) => one.getBoundingClientRect());
  messages.style.translate = `0 -${climb(messages.getBoundingClientRect(), obstacles)}px`;
}
