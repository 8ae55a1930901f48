import { type Box, type Delta, boxInPage, frameOf, moveTogether } from "../../../../pdf/box.ts";
import type { DraftField } from "../draft/draft.ts";

const ROOM = 0.012;
/** Offset of a duplicate that finds no room, so that it is seen. */
const ASIDE: Delta = { dx: 0.02, dy: 0.02 };

export type FieldPlace = Pick<DraftField, "documentId" | "page" | "type" | "recipientKey"> & {
  readonly box: Box;
};

export function newField({ box, ...place }: FieldPlace, key: string): DraftField {
  return { key, required: true, label: null, value: null, ...place, ...boxInPage(box) };
}

export function duplicatesOf(
  fields: readonly DraftField[],
  newKey: () => string,
): readonly DraftField[] {
  const boxes = besideOf(fields);
  return fields.map((field, index) => ({ ...modelOf(field), key: newKey(), ...boxes[index] }));
}

export function copiesOnOtherPages(
  fields: readonly DraftField[],
  pageCount: number,
  newKey: () => string,
): readonly DraftField[] {
  const pages = Array.from({ length: pageCount }, (_, index) => index + 1);
  return fields.flatMap((field) =>
    pages
      .filter((page) => page !== field.page)
      .map((page) => ({ ...modelOf(field), key: newKey(), page })),
  );
}

/** Offset when the same field already stands there. */
export function pastedOn(
  copied: readonly DraftField[],
  { documentId, page }: Pick<DraftField, "documentId" | "page">,
  { present, newKey }: { present: readonly DraftField[]; newKey: () => string },
): readonly DraftField[] {
  const there = present.filter((field) => field.documentId === documentId && field.page === page);
  let boxes: readonly Box[] = copied.map(({ x, y, width, height }) => ({ x, y, width, height }));
  const isTaken = () =>
    boxes.some((box, index) =>
      there.some((field) => field.type === copied[index]?.type && isSamePlace(field, box)),
    );
  for (let shift = 0; shift < 20 && isTaken(); shift += 1) boxes = besideOf(boxes);
  return copied.map((field, index) => ({
    ...modelOf(field),
    key: newKey(),
    documentId,
    page,
    ...boxes[index],
  }));
}

function besideOf(boxes: readonly Box[]): readonly Box[] {
  if (boxes.length === 0) return [];
  const frame = frameOf(boxes);
  const ways: readonly Delta[] = [
    { dx: 0, dy: frame.height + ROOM },
    { dx: 0, dy: -frame.height - ROOM },
    { dx: frame.width + ROOM, dy: 0 },
    { dx: -frame.width - ROOM, dy: 0 },
  ];
  const way = ways.find(
    ({ dx, dy }) =>
      frame.x + dx >= 0 &&
      frame.x + frame.width + dx <= 1 &&
      frame.y + dy >= 0 &&
      frame.y + frame.height + dy <= 1,
  );
  return moveTogether(boxes, way ?? ASIDE);
}

function isSamePlace(a: Box, b: Box): boolean {
  return Math.abs(a.x - b.x) < 0.002 && Math.abs(a.y - b.y) < 0.002;
}

/** The service gives each field an id of its own. */
function modelOf({ id: _saved, ...model }: DraftField): DraftField {
  return model;
}
