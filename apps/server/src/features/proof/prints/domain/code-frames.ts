import type { Frame, PageMarks, PrintedCode, PrintedText } from "./marks.ts";

const POINTS_PER_MM = 72 / 25.4;
/** Sides of a module, the largest first. Under the last a scanner at 150 dpi has not two pixels for each. Units: millimetres. */
const MODULES_MM = [0.42, 0.38, 0.35, 0.33] as const;
/** The contract's least size of a code. */
const LEAST_SIDE_MM = 20;
/** Kept light around a code, in modules. Source: ISO/IEC 18004 §6.3.8. */
const QUIET_MODULES = 4;
const CAPTION_PT = { width: 116, height: 34, size: 7.5, smallSize: 6.5 } as const;

/** A code with its quiet zone and the words beside or under it. Units: points. */
export type CodeFrame = { readonly width: number; readonly height: number; readonly module: number; readonly caption: "beside" | "under" };

/** Gives the frames that a code of so many modules a side may take, those wanted most first. */
export function codeFrames(modules: number): readonly CodeFrame[] {
  return MODULES_MM.flatMap((moduleMm): CodeFrame[] => {
    const module = Math.max(moduleMm, LEAST_SIDE_MM / modules) * POINTS_PER_MM;
    const box = (modules + 2 * QUIET_MODULES) * module;
    return [
      { width: box + CAPTION_PT.width, height: box, module, caption: "beside" },
      { width: box, height: box + CAPTION_PT.height, module, caption: "under" },
    ];
  });
}

export type PlacedCode = {
  readonly modules: PrintedCode["modules"];
  readonly frame: CodeFrame;
  /** Where the frame's top left corner is. */
  readonly at: { readonly x: number; readonly y: number };
  /** Words stand on the side of the page's middle, the code towards its edge. */
  readonly side: "left" | "right";
  readonly words: readonly string[];
};

/** Gives a code and its words in a frame. */
export function markCode({ modules, frame, at, side, words }: PlacedCode): PageMarks {
  const quiet = QUIET_MODULES * frame.module;
  const length = modules.length * frame.module;
  const box = length + 2 * quiet;
  const left = frame.caption === "beside" && side === "right" ? at.x + CAPTION_PT.width : at.x;
  const code: PrintedCode = { modules, frame: { x: left + quiet, y: at.y + quiet, width: length, height: length } };
  return { codes: [code], texts: [caption(words, { x: left, y: at.y, box, quiet }, frame.caption === "under" ? "under" : side)] };
}

type Drawn = { readonly x: number; readonly y: number; readonly box: number; readonly quiet: number };

function caption(words: readonly string[], { x, y, box, quiet }: Drawn, place: "under" | "left" | "right"): PrintedText {
  const tall = { y: y + quiet, height: box - 2 * quiet, width: CAPTION_PT.width };
  const frames: Record<typeof place, Frame> = {
    under: { x: x + quiet, y: y + box, width: box - 2 * quiet, height: CAPTION_PT.height },
    left: { x: x + box, ...tall },
    right: { x: x - CAPTION_PT.width, ...tall },
  };
  return {
    lines: words,
    frame: frames[place],
    size: place === "under" ? CAPTION_PT.smallSize : CAPTION_PT.size,
    tone: "soft",
    vertical: place === "under" ? "top" : "middle",
  };
}
