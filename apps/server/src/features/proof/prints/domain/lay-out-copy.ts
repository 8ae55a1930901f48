import { type CodeFrame, codeFrames, markCode } from "./code-frames.ts";
import type { MarkedPage, PrintedCode } from "./marks.ts";

/** Along the edges printers leave 4.2 mm without ink; the quiet zone may lie there. Units: points. */
export const EDGE_PT = 11;
/** Kept between what is drawn and what is added. */
export const GAP_PT = 2;
/** A page gives up at least so much of its size when room is made on it, and at most so much: smaller, its text could not be read. */
const LARGEST_SCALE = 0.92;
const SMALLEST_SCALE = 0.75;
/** The line that says what a page is, where it bears no code. */
export const NOTICE = "Copie à imprimer, sans signature électronique";
export const NOTICE_FRAME = { width: 178, height: 9.5 } as const;
const NOTICE_SIZE = 7;

/** A page of the copy, as displayed. `code`: the address that its code holds, as modules; null for a page that bears none. */
export type PageToMark = {
  readonly pageNumber: number;
  readonly width: number;
  readonly height: number;
  readonly code: PrintedCode["modules"] | null;
};
/** A blank place that was found for a page. `size`: which of the frames asked for. */
export type FoundPlace = { readonly x: number; readonly y: number; readonly size: number };
export type Captions = { readonly domain: string; readonly pageCount: number };

/** Gives the frames to look for on a page, those wanted most first. */
export function framesFor({ code }: PageToMark): readonly { readonly width: number; readonly height: number }[] {
  return code === null ? [NOTICE_FRAME] : codeFrames(code.length);
}

/**
 * Gives what is printed on a page where this place is blank; where none is, the page's content makes room. Null for a page too small for that:
 * its code has to stand elsewhere.
 */
export function layOutPage(page: PageToMark, found: FoundPlace | null, captions: Captions): MarkedPage | null {
  const whole = { pageNumber: page.pageNumber, scale: 1, margin: "bottom" } as const;
  if (page.code === null) return { ...whole, codes: [], texts: found === null ? [] : [notice(found)] };
  if (found === null) return withMargin(page, page.code, captions);
  const frame = codeFrames(page.code.length)[found.size];
  if (frame === undefined) throw new RangeError("Expected one of the frames that were asked for");
  const side = found.x + frame.width / 2 < page.width / 2 ? "left" : "right";
  return { ...whole, ...markCode({ modules: page.code, frame, at: found, side, words: wordsOf(page, frame, captions) }) };
}

function notice({ x, y }: FoundPlace) {
  return { lines: [NOTICE], frame: { x, y, ...NOTICE_FRAME }, size: NOTICE_SIZE, tone: "soft", vertical: "middle" } as const;
}

/** Of an upright page the foot is freed, of a wide one the right side: there the least is lost. */
function withMargin(page: PageToMark, modules: PrintedCode["modules"], captions: Captions): MarkedPage | null {
  const margin = page.width > page.height ? "right" : "bottom";
  const frame = codeFrames(modules.length)
    .filter(({ caption }) => caption === (margin === "bottom" ? "beside" : "under"))
    .at(-1);
  if (frame === undefined) throw new RangeError("Expected a smallest frame");
  const [length, strip] = margin === "bottom" ? [page.height, frame.height] : [page.width, frame.width];
  const scale = Math.min(LARGEST_SCALE, 1 - (strip + EDGE_PT + GAP_PT) / length);
  if (scale < SMALLEST_SCALE || frame.width + 2 * EDGE_PT > page.width || frame.height + 2 * EDGE_PT > page.height) return null;
  const at = { x: page.width - EDGE_PT - frame.width, y: page.height - EDGE_PT - frame.height };
  const words = wordsOf(page, frame, captions);
  return { pageNumber: page.pageNumber, scale, margin, ...markCode({ modules, frame, at, side: "right", words }) };
}

function wordsOf({ pageNumber }: PageToMark, { caption }: CodeFrame, { domain, pageCount }: Captions): readonly string[] {
  const page = `Page\u00a0${pageNumber}/${pageCount}`;
  return caption === "beside"
    ? [`Vérifier\u00a0: ${domain}`, page, "Copie à imprimer,", "sans signature électronique"]
    : ["Vérifier\u00a0:", domain, `${page} – copie non signée`];
}
