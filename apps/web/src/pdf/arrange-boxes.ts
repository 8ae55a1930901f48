import { type Box, frameOf, moveBox } from "./box.ts";

export type Arrangement = "left" | "center" | "right" | "top" | "middle" | "bottom" | "spread-x" | "spread-y";

/** Aligns boxes on an edge or a middle of the frame around them, or leaves equal rooms between them. Gives them in the order they came. */
export function arrangeBoxes(boxes: readonly Box[], how: Arrangement): readonly Box[] {
  if (boxes.length < 2) return boxes;
  if (how === "spread-x" || how === "spread-y") return spread(boxes, how === "spread-x" ? "x" : "y");
  const frame = frameOf(boxes);
  return boxes.map((box) => {
    const across = { left: frame.x, center: frame.x + (frame.width - box.width) / 2, right: frame.x + frame.width - box.width };
    const down = { top: frame.y, middle: frame.y + (frame.height - box.height) / 2, bottom: frame.y + frame.height - box.height };
    return how in across
      ? moveBox(box, { dx: across[how as keyof typeof across] - box.x, dy: 0 })
      : moveBox(box, { dx: 0, dy: down[how as keyof typeof down] - box.y });
  });
}

/** The first and the last stay where they are; the rooms between neighbours become equal. */
function spread(boxes: readonly Box[], axis: "x" | "y"): readonly Box[] {
  if (boxes.length < 3) return boxes;
  const size = axis === "x" ? "width" : "height";
  const order = boxes.map((_, index) => index).sort((a, b) => at(boxes, a)[axis] - at(boxes, b)[axis]);
  const frame = frameOf(boxes);
  const room = (frame[size] - boxes.reduce((sum, box) => sum + box[size], 0)) / (boxes.length - 1);
  const moved = [...boxes];
  let next = frame[axis];
  for (const index of order) {
    const box = at(boxes, index);
    moved[index] = moveBox(box, axis === "x" ? { dx: next - box.x, dy: 0 } : { dx: 0, dy: next - box.y });
    next += box[size] + room;
  }
  return moved;
}

function at(boxes: readonly Box[], index: number): Box {
  return boxes[index] as Box;
}
