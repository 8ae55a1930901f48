/** What the magnifying glass of a finger shows, CSS pixels. */
export const LOUPE = { width: 200, height: 112, zoom: 1.5 } as const;
/** Between the finger and the glass: the finger hides none of it. */
const GAP_PX = 44;
const EDGE_PX = 8;

type Point = { readonly x: number; readonly y: number };
type Rect = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

/** Gives where the glass stands in the window: above the finger, beside it where there is no room above. */
export function loupePlace(finger: Point, room: { readonly width: number; readonly height: number }): { left: number; top: number } {
  const above = finger.y - GAP_PX - LOUPE.height;
  const clamp = (value: number, most: number) => Math.min(Math.max(value, EDGE_PX), most - EDGE_PX);
  if (above >= EDGE_PX) return { left: clamp(finger.x - LOUPE.width / 2, room.width - LOUPE.width), top: above };
  const isLeftFree = finger.x > room.width / 2;
  const beside = isLeftFree ? finger.x - GAP_PX - LOUPE.width : finger.x + GAP_PX;
  return { left: clamp(beside, room.width - LOUPE.width), top: clamp(finger.y - LOUPE.height / 2, room.height - LOUPE.height) };
}

/** Gives what is in the middle of the glass: a whole field while it moves, when it fits; what the finger is on otherwise. */
export function loupeCentre(finger: Point, field: Rect, part: "move" | (string & {})): Point {
  const fits = field.width * LOUPE.zoom <= LOUPE.width - 16 && field.height * LOUPE.zoom <= LOUPE.height - 16;
  return part === "move" && fits ? { x: field.left + field.width / 2, y: field.top + field.height / 2 } : finger;
}

/** Gives a rectangle of the window as it stands in the glass. */
export function inLoupe(rect: Rect, centre: Point): Rect {
  return {
    left: (rect.left - centre.x) * LOUPE.zoom + LOUPE.width / 2,
    top: (rect.top - centre.y) * LOUPE.zoom + LOUPE.height / 2,
    width: rect.width * LOUPE.zoom,
    height: rect.height * LOUPE.zoom,
  };
}
