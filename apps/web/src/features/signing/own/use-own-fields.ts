import {
  type SelfSignField,
  FIELD_KINDS,
  fillsItself,
  selfSignFieldSchema,
} from "@paraphe/contracts";
import { useRef, useState } from "react";
import { announce } from "../../../lib/browser/announce.ts";
import { type Box, boxInPage, moveBox, resizeBox, sizeOnPage } from "../../../pdf/box.ts";
import type { FieldKeyAction } from "../../../pdf/fields/field-keys.ts";
import { FIELD_GAP, type Placed, describePlace } from "./use-placement.ts";

export type OwnField = Placed & {
  readonly key: string;
  readonly type: SelfSignField["type"];
  readonly value: string;
};

export const OWN_TYPES = selfSignFieldSchema.shape.type.options;
/** Share of a page's foot, where a printer may cut what stands. */
const FOOT = 0.04;
/** Where a field stands without a signature below it. */
const ALONE: Box = { x: 0.6, y: 0.85, width: 0.3, height: 0.07 };

/** Fields stand above the signature, and move with it. `pages`: in points. */
export function useOwnFields(pages: readonly Pick<Box, "width" | "height">[] = []) {
  const [fields, setFields] = useState<readonly OwnField[]>([]);
  const [isTried, setTried] = useState(false);
  const count = useRef(0);
  const change = (key: string, part: Partial<OwnField>) =>
    setFields((all) => all.map((field) => (field.key === key ? { ...field, ...part } : field)));
  return {
    fields,
    blank: fields.find((field) => !fillsItself(field) && field.value.trim() === "") ?? null,
    isTried,
    showMissing: () => setTried(true),
    add(type: OwnField["type"], signature: Placed, side: "above" | "under" = "above"): string {
      const key = `champ-${++count.current}`;
      const size = sizeOnPage(FIELD_KINDS[type].size, pages[signature.page - 1]);
      const box =
        (side === "under" ? freeUnder(size, signature) : null) ??
        freeAbove(size, signature, fields);
      setFields((all) => [...all, { key, type, value: "", page: signature.page, box }]);
      announce(`${FIELD_KINDS[type].short}, ${describePlace({ page: signature.page, box })}`);
      return key;
    },
    put: (key: string, place: Placed) => change(key, place),
    write: (key: string, value: string) => change(key, { value }),
    remove(key: string) {
      setFields((all) => all.filter((field) => field.key !== key));
      announce("Champ retiré de la page");
    },
    nudge(
      key: string,
      { kind, by }: Extract<FieldKeyAction, { kind: "move" | "resize" }>,
      page: { width: number; height: number },
    ) {
      const field = fields.find((one) => one.key === key);
      if (!field) return;
      const delta = { dx: by.dx / page.width, dy: by.dy / page.height };
      const box = kind === "move" ? moveBox(field.box, delta) : resizeBox(field.box, "se", delta);
      change(key, { box });
      announce(`${FIELD_KINDS[field.type].short}, ${describePlace({ page: field.page, box })}`);
    },
  };
}
export type OwnFields = ReturnType<typeof useOwnFields>;

export function besideNothing(pageCount: number): Placed {
  return { page: pageCount, box: ALONE };
}

export function askedFields(fields: readonly OwnField[]): readonly SelfSignField[] {
  return fields.map(({ type, page, box, value }) => ({
    type,
    page,
    ...box,
    value: fillsItself({ type }) ? null : value,
  }));
}

function freeUnder(size: Pick<Box, "width" | "height">, { box }: Placed): Box | null {
  const y = box.y + box.height + FIELD_GAP;
  return y + size.height > 1 - FOOT ? null : boxInPage({ x: box.x, y, ...size });
}

function freeAbove(
  size: { readonly width: number; readonly height: number },
  { page, box }: Placed,
  fields: readonly OwnField[],
): Box {
  const tops = [
    box.y,
    ...fields.filter((field) => field.page === page).map((field) => field.box.y),
  ];
  return boxInPage({ x: box.x, y: Math.min(...tops) - size.height - FIELD_GAP, ...size });
}
