import type { Box } from "./box.ts";

/** Points of the displayed page, origin top left; `y`: baseline; `angle`: radians, clockwise. */
type WrittenRun = {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly angle: number;
};
type WrittenPage = {
  readonly runs: readonly WrittenRun[];
  readonly width: number;
  readonly height: number;
};

/** Reach above and below the baseline, in heights of letters. */
const ASCENT = 0.75;
const DESCENT = 0.22;
/** Points: edges may touch without a letter under them. */
const SLACK_PT = 1;

/** A turned run has the upright box around it. */
export function textBoxes({ runs, width, height }: WrittenPage): readonly Box[] {
  return runs.flatMap((run) => {
    if (run.text.trim() === "") return [];
    const [along, up] = [run.width, run.size];
    const [cos, sin] = [Math.cos(run.angle), Math.sin(run.angle)];
    const corners = [0, along].flatMap((dx) =>
      [-ASCENT * up, DESCENT * up].map(
        (dy) => [run.x + dx * cos - dy * sin, run.y + dx * sin + dy * cos] as const,
      ),
    );
    const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    return [
      {
        x: left / width,
        y: top / height,
        width: (Math.max(...xs) - left) / width,
        height: (Math.max(...ys) - top) / height,
      },
    ];
  });
}

/** True when words are covered by more than their edge. `page`: points. */
export function coversText(
  field: Box,
  words: readonly Box[],
  page: { readonly width: number; readonly height: number },
): boolean {
  const [sx, sy] = [SLACK_PT / page.width, SLACK_PT / page.height];
  return words.some(
    (word) =>
      field.x + sx < word.x + word.width &&
      word.x < field.x + field.width - sx &&
      field.y + sy < word.y + word.height &&
      word.y < field.y + field.height - sy,
  );
}
