import { PdfArray, PdfDict, PdfName, PdfNumber, PdfStream } from "@libpdf/core";
import { ownEntry } from "../own-entry.ts";
import { decodingBudget } from "../pdf/decoded-data.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { dictAt, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { spend } from "../pdf/work-budget.ts";
import { opacityOf } from "./annotation-style.ts";
import {
  caretContent,
  circleContent,
  type Frame,
  frameOf,
  inkContent,
  lineContent,
  noteContent,
  noteFrame,
  pointsNamed,
  polygonContent,
  reachOf,
  squareContent,
} from "./shapes.ts";
import { markupContent } from "./text-markup.ts";

type Draw = (open: OpenPdf, annotation: PdfDict) => string;

/** Hidden and NoView. Source: ISO 32000-2 §12.5.3, table 167. */
const NOT_SHOWN = 2 | 32;

/** The kinds of annotation that are drawn from their entries alone, without letters. Source: ISO 32000-2 §12.5.6. */
const DRAWN: Readonly<Record<string, Draw>> = {
  Line: lineContent,
  Square: squareContent,
  Circle: circleContent,
  Polygon: polygonContent,
  PolyLine: polygonContent,
  Ink: inkContent,
  Caret: caretContent,
  Text: noteContent,
  Highlight: (open, annotation) => markupContent(open, annotation, "Highlight"),
  Underline: (open, annotation) => markupContent(open, annotation, "Underline"),
  Squiggly: (open, annotation) => markupContent(open, annotation, "Squiggly"),
  StrikeOut: (open, annotation) => markupContent(open, annotation, "StrikeOut"),
};

/** Draws an annotation that has no look, as its entries say; one of a kind that readers draw by a look alone, or in letters, stays without. */
export function drawAnnotation(open: OpenPdf, annotation: PdfDict): void {
  const kind = nameAt(open, annotation, "Subtype") ?? "";
  const content = ownEntry(DRAWN, kind)?.(open, annotation);
  if (content === undefined) return;
  spend(decodingBudget(open), content.length);
  setLook(open, annotation, { content, frame: kind === "Text" ? noteFrame(open, annotation) : paintedFrame(open, annotation) });
}

/** Gives an annotation this look, and the place that it takes. */
function setLook(open: OpenPdf, annotation: PdfDict, { content, frame }: { readonly content: string; readonly frame: Frame }): void {
  const box = new PdfArray(frame.map((value) => PdfNumber.of(value)));
  const opacity = PdfNumber.of(opacityOf(open, annotation));
  const state = PdfDict.of({
    Type: PdfName.of("ExtGState"),
    CA: opacity,
    ca: opacity,
    BM: PdfName.of(nameAt(open, annotation, "Subtype") === "Highlight" ? "Multiply" : "Normal"),
  });
  const form = PdfStream.fromDict(
    {
      Type: PdfName.of("XObject"),
      Subtype: PdfName.of("Form"),
      BBox: box,
      Resources: PdfDict.of({ ExtGState: PdfDict.of({ PsG: state }) }),
    },
    latinBytes(`/PsG gs ${content}`),
  );
  annotation.set("Rect", new PdfArray(box.toArray()));
  annotation.set("AP", PdfDict.of({ N: open.pdf.context.register(form) }));
}

/** Gives the annotation's rectangle with what its lines reach beyond it. */
export function paintedFrame(open: OpenPdf, annotation: PdfDict): Frame {
  const reach = reachOf(open, annotation);
  let [left, bottom, right, top] = frameOf(open, annotation);
  for (const [x, y] of pointsNamed(open, annotation)) {
    left = Math.min(left, x - reach);
    right = Math.max(right, x + reach);
    bottom = Math.min(bottom, y - reach);
    top = Math.max(top, y + reach);
  }
  return [left, bottom, right, top];
}

/** Says whether an annotation is displayed at all. */
export function isShown(open: OpenPdf, annotation: PdfDict): boolean {
  return ((numberAt(open, annotation, "F") ?? 0) & NOT_SHOWN) === 0;
}

/** Says whether an annotation has a look of its own, be it an empty one. */
export function hasLook(open: OpenPdf, annotation: PdfDict): boolean {
  const appearances = dictAt(open, annotation, "AP");
  return appearances !== undefined && dictAt(open, appearances, "N") !== undefined;
}
