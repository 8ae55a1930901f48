import { FIELD_KINDS, type SelfSignControl } from "@paraphe/contracts";
import { formatDecimal } from "@paraphe/kernel/french-numbers";
import { useCallback, useEffect, useState } from "react";
import { announce } from "../../../lib/browser/announce.ts";
import { readSigningPreferences } from "../../../lib/browser/signing-preferences.ts";
import {
  type Box,
  boxInPage,
  type Delta,
  moveBox,
  resizeBox,
  sizeOnPage,
} from "../../../pdf/box.ts";
import type { FieldKeyAction } from "../../../pdf/fields/field-keys.ts";
import { findBlankPlace, type InkGrid, readInk } from "../../../pdf/fields/find-blank-place.ts";
import type { OpenedPdf } from "../../../pdf/open-pdf.ts";
import { preferredBox } from "../batch/placing.ts";

export const FIELD_GAP = 0.01;
export type Placed = { readonly page: number; readonly box: Box };
/** Bottom right: the default without layout data. */
const USUAL: Box = { x: 0.6, y: 0.85, width: 0.3, height: 0.07 };

type Known = Pick<SelfSignControl, "taken" | "placement">;

/** Proposes a place once: the preferred one, or blank space of the last page. */
export function usePlacement(control: Known | null) {
  const [pdf, setPdf] = useState<OpenedPdf | null>(null);
  const [placed, setPlaced] = useState<Placed | null>(null);
  const [isProposed, setIsProposed] = useState(false);
  const { propose, begin } = useProposal(pdf, control);

  useEffect(() => {
    if (isProposed || pdf === null || control === null) return undefined;
    let isHere = true;
    void begin().then((place) => {
      if (!isHere || place === null) return;
      setIsProposed(true);
      setPlaced((already) => already ?? place);
    });
    return () => {
      isHere = false;
    };
  }, [begin, isProposed, pdf, control]);

  const put = (next: Placed): void => {
    setPlaced(next);
    announce(`Signature, ${describePlace(next)}`);
  };
  return {
    pdf,
    placed,
    setPdf,
    put,
    propose: async () => {
      const place = await propose();
      if (place !== null) put(place);
      return place;
    },
    remove: () => {
      setPlaced(null);
      announce("Signature retirée de la page");
    },
    /** Points of the displayed page. */
    nudge: (
      { kind, by }: Extract<FieldKeyAction, { kind: "move" | "resize" }>,
      pagePt: { width: number; height: number },
    ) => {
      if (placed === null) return;
      const delta: Delta = { dx: by.dx / pagePt.width, dy: by.dy / pagePt.height };
      put({
        ...placed,
        box: kind === "move" ? moveBox(placed.box, delta) : resizeBox(placed.box, "se", delta),
      });
    },
  };
}

function useProposal(pdf: OpenedPdf | null, control: Known | null) {
  const propose = useCallback(async (): Promise<Placed | null> => {
    if (pdf === null) return null;
    const page = pdf.pageCount;
    // The page shows its own error; the service's finder still knows the fields.
    const ink = await readInk(pdf, page).catch(() => null);
    const blank = ink && findBlankPlace(ink, control?.taken ?? [], dateUnder(ink));
    return { page, box: boxInPage(blank ?? control?.placement ?? USUAL) };
  }, [pdf, control]);

  const begin = useCallback(async (): Promise<Placed | null> => {
    const { place } = readSigningPreferences();
    if (pdf === null || place === "free") return propose();
    const box = preferredBox(place, USUAL);
    return (control?.taken ?? []).some((other) => overlap(box, other))
      ? propose()
      : { page: pdf.pageCount, box };
  }, [pdf, control, propose]);
  return { propose, begin };
}

/** Room for the date, as a fraction of the page's height. */
function dateUnder({ columns, rows, cellPt }: InkGrid): number {
  const page = { width: columns * cellPt, height: rows * cellPt };
  return readSigningPreferences().date
    ? sizeOnPage(FIELD_KINDS.date.size, page).height + FIELD_GAP
    : 0;
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

export type PlacementDesk = ReturnType<typeof usePlacement>;

export function describePlace({ page, box }: Placed): string {
  return `page ${page}, gauche ${formatDecimal(box.x * 100)}\u00a0%, haut ${formatDecimal(box.y * 100)}\u00a0%`;
}
