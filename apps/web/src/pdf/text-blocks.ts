import type { Box } from "./box.ts";

/** Points of the displayed page, origin top left; `y` is the baseline. */
export type TextRun = {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
};
/** `right`: where the line ends. */
type TextLine = {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly size: number;
};
type Writable = {
  text: string;
  readonly x: number;
  readonly y: number;
  right: number;
  readonly size: number;
};

function textLines(runs: readonly TextRun[]): readonly TextLine[] {
  const lines: Writable[] = [];
  for (const run of runs) {
    const line = lines.at(-1);
    const isBlank = run.text.trim() === "";
    const isSameLine =
      line && Math.abs(run.y - line.y) < Math.max(run.size, line.size) * 0.5 && run.x >= line.x;
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

function joinLines(before: string, after: string): string {
  if (before.endsWith("\u00ad")) return before.slice(0, -1) + after;
  return /\p{L}[-‐]$/u.test(before) ? before + after : `${before} ${after}`;
}

/** `y`: its top, in fractions of the displayed page. */
export type TextBlock = {
  readonly kind: "heading" | "paragraph" | "item";
  readonly text: string;
  readonly y: number;
};

const HEADING_RATIO = 1.15;
const LONGEST_HEADING = 140;
/** Heights of letters between lines of two paragraphs. */
const LINE_GAP = 1.9;
const BULLET = /^[•◦▪●○■□–—*-]\s+/u;
const NUMBERED_TITLE = /^((article|titre|chapitre|section|annexe)\s+\S[^.]{0,100}|préambule)$/iu;

/**
 * For untagged files: larger letters, capitals and « Article 3 » make a heading; a gap or a bullet
 * starts a block.
 */
export function textBlocks(runs: readonly TextRun[], pageHeight: number): readonly TextBlock[] {
  const lines = textLines(runs);
  const body = bodySize(lines);
  const right = lines.reduce((most, line) => Math.max(most, line.right), Number.NEGATIVE_INFINITY);
  const blocks: { kind: TextBlock["kind"]; text: string; y: number; last: TextLine }[] = [];
  for (const line of lines) {
    const before = blocks.at(-1);
    if (before && isSameBlock(before, line, right)) {
      before.text = joinLines(before.text, line.text);
      before.last = line;
    } else {
      const kind = BULLET.test(line.text)
        ? "item"
        : line.size >= body * HEADING_RATIO
          ? "heading"
          : "paragraph";
      blocks.push({
        kind,
        text: line.text.replace(BULLET, ""),
        y: (line.y - line.size) / pageHeight,
        last: line,
      });
    }
  }
  return blocks.map(({ kind, text, y }) => ({
    kind: headingOr(kind, text),
    text,
    y: Math.min(1, Math.max(0, y)),
  }));
}

function bodySize(lines: readonly TextLine[]): number {
  const letters = new Map<number, number>();
  for (const { size, text } of lines)
    letters.set(
      Math.round(size * 2) / 2,
      (letters.get(Math.round(size * 2) / 2) ?? 0) + text.length,
    );
  return [...letters].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}

function isSameBlock(
  block: { readonly kind: TextBlock["kind"]; readonly last: TextLine },
  line: TextLine,
  right: number,
): boolean {
  const { last } = block;
  const gap = line.y - last.y;
  if (gap <= 0 || gap > line.size * LINE_GAP || BULLET.test(line.text)) return false;
  if (
    Math.abs(line.size - last.size) > last.size * 0.1 ||
    isCapitals(last.text) !== isCapitals(line.text)
  )
    return false;
  if (
    NUMBERED_TITLE.test(line.text) ||
    (block.kind === "paragraph" && NUMBERED_TITLE.test(last.text))
  )
    return false;
  // A sentence that ends well before the margin ends its paragraph.
  return !(/[.:;!?]$/u.test(last.text) && last.right < right - 6 * last.size);
}

function headingOr(kind: TextBlock["kind"], text: string): TextBlock["kind"] {
  if (text.length > LONGEST_HEADING) return kind === "heading" ? "paragraph" : kind;
  return kind === "paragraph" && (isCapitals(text) || NUMBERED_TITLE.test(text)) ? "heading" : kind;
}

function isCapitals(text: string): boolean {
  const letters = text.replace(/\P{L}/gu, "");
  return letters.length >= 4 && letters === letters.toUpperCase();
}

type PageTag = {
  readonly role: string;
  readonly alt?: string;
  readonly children: readonly (PageTag | TaggedContent)[];
};
type TaggedContent = { readonly type: string; readonly id: string };
type TaggedPage = {
  readonly tree: PageTag;
  /** The runs of each piece of marked content. */
  readonly runs: ReadonlyMap<string, readonly TextRun[]>;
  readonly pageHeight: number;
};

const HEADING = /^(H|H[1-6]|Title)$/;

/**
 * Blocks in the author's order, with a picture's description. Source: ISO 32000-2 §14.8.4 (standard
 * structure types), §14.9.3 (alternate descriptions).
 */
function taggedBlocks({ tree, runs, pageHeight }: TaggedPage): readonly TextBlock[] {
  const contentOf = (tag: PageTag): readonly TextRun[] =>
    tag.children.flatMap((child) =>
      "role" in child ? contentOf(child) : (runs.get(child.id) ?? []),
    );
  const blocksOf = (tag: PageTag): readonly TextBlock[] => {
    const own = contentOf(tag);
    if (tag.alt !== undefined && tag.alt.trim() !== "")
      return [
        { kind: "paragraph", text: `Image\u00a0: ${tag.alt.trim()}`, y: topOf(own, pageHeight) },
      ];
    const isWhole =
      tag.role === "LI" ||
      HEADING.test(tag.role) ||
      tag.children.some((child) => !("role" in child));
    if (!isWhole) return tag.children.flatMap((child) => ("role" in child ? blocksOf(child) : []));
    const text = textLines(own).reduce(
      (before, line) => (before === "" ? line.text : joinLines(before, line.text)),
      "",
    );
    const kind = tag.role === "LI" ? "item" : HEADING.test(tag.role) ? "heading" : "paragraph";
    return text === ""
      ? []
      : [
          {
            kind,
            text: kind === "item" ? text.replace(/^[•◦▪●○■□–—*-]\s+/u, "") : text,
            y: topOf(own, pageHeight),
          },
        ];
  };
  return blocksOf(tree);
}

function topOf(runs: readonly TextRun[], pageHeight: number): number {
  // `Math.min(...)` takes fewer arguments than a page may have runs.
  const top = runs.reduce(
    (least, { y, size }) => Math.min(least, (y - size) / pageHeight),
    Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(top) ? Math.min(1, Math.max(0, top)) : 0;
}

export type PageItem =
  | {
      readonly str: string;
      readonly transform: readonly number[];
      readonly width: number;
      readonly height: number;
    }
  | { readonly type: string; readonly id?: string | null };
type PageText = {
  readonly items: readonly PageItem[];
  readonly tree: PageTag | null;
  readonly pageHeight: number;
  /** Matrix on the displayed page. */
  readonly displayed: (transform: readonly number[]) => readonly number[];
};

/** Tags that contain fewer of the words are ignored, so that no words are lost. */
const LEAST_TAGGED = 0.9;

/** Reads by tags where they contain the words, else by layout. */
export function readPageText({
  items,
  tree,
  pageHeight,
  displayed,
}: PageText): readonly TextBlock[] {
  const all: TextRun[] = [];
  const tagged = new Map<string, TextRun[]>();
  // Numbered content may lie inside unnumbered content.
  const open: string[] = [];
  for (const item of items) {
    if (!("str" in item)) {
      if (item.type === "endMarkedContent") open.pop();
      else open.push(item.id ?? open.at(-1) ?? "");
      continue;
    }
    const [a = 0, b = 0, , , x = 0, y = 0] = displayed(item.transform);
    const run = { text: item.str, x, y, width: item.width, size: item.height || Math.hypot(a, b) };
    all.push(run);
    const id = open.at(-1);
    if (!id) continue;
    const runs = tagged.get(id);
    if (runs) runs.push(run);
    else tagged.set(id, [run]);
  }
  const blocks = tree ? taggedBlocks({ tree, runs: tagged, pageHeight }) : [];
  const [said, seen] = [
    lettersOf(blocks.map(({ text }) => text)),
    lettersOf(all.map(({ text }) => text)),
  ];
  return seen > 0 && said >= seen * LEAST_TAGGED ? blocks : textBlocks(all, pageHeight);
}

function lettersOf(texts: readonly string[]): number {
  return texts.join("").replace(/\s/gu, "").length;
}

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
