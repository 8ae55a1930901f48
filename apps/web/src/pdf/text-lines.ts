/** A run of a page's text, where it is seen. Units: points of the displayed page, origin top left; `y` is the foot of the letters. */
export type TextRun = {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
};
/** A line of them, as it is seen; `right` is where it ends. */
export type TextLine = { readonly text: string; readonly x: number; readonly y: number; readonly right: number; readonly size: number };
type Writable = { text: string; readonly x: number; readonly y: number; right: number; readonly size: number };

/** Puts the runs of a page in lines, in the order of the file. */
export function textLines(runs: readonly TextRun[]): readonly TextLine[] {
  const lines: Writable[] = [];
  for (const run of runs) {
    const line = lines.at(-1);
    const isBlank = run.text.trim() === "";
    const isSameLine = line && Math.abs(run.y - line.y) < Math.max(run.size, line.size) * 0.5 && run.x >= line.x;
    if (isSameLine) {
      const gap = run.x - line.right;
      line.text += (gap > line.size * 0.2 && !line.text.endsWith(" ") ? " " : "") + run.text;
      line.right = Math.max(line.right, run.x + run.width);
    } else if (!isBlank) {
      lines.push({ text: run.text, x: run.x, y: run.y, right: run.x + run.width, size: run.size });
    }
  }
  return lines.map((line) => ({ ...line, text: line.text.replace(/\s+/gu, " ").trim() }));
}

/** Joins a line to what comes before it: with a space, save where a word was cut. */
export function joinLines(before: string, after: string): string {
  if (before.endsWith("\u00ad")) return before.slice(0, -1) + after;
  return /\p{L}[-‐]$/u.test(before) ? before + after : `${before} ${after}`;
}
