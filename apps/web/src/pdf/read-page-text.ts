import { type PageTag, taggedBlocks } from "./tagged-blocks.ts";
import { type TextBlock, textBlocks } from "./text-blocks.ts";
import type { TextRun } from "./text-lines.ts";

/** A run of text, or the beginning or the end of a piece of content, numbered or not. */
export type PageItem =
  | { readonly str: string; readonly transform: readonly number[]; readonly width: number; readonly height: number }
  | { readonly type: string; readonly id?: string | null };
type PageText = {
  readonly items: readonly PageItem[];
  /** The page's tags; null for a file without any. */
  readonly tree: PageTag | null;
  readonly pageHeight: number;
  /** Where a run is seen: its matrix on the displayed page. */
  readonly displayed: (transform: readonly number[]) => readonly number[];
};

/** Tags that leave out more of the page than this are not trusted with it: words must not be lost. */
const LEAST_TAGGED = 0.9;

/** Reads a page aloud: by its tags where they hold its words, else by how it looks. */
export function readPageText({ items, tree, pageHeight, displayed }: PageText): readonly TextBlock[] {
  const all: TextRun[] = [];
  const tagged = new Map<string, TextRun[]>();
  // A piece of content may lie in another one that is not numbered.
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
  const [said, seen] = [lettersOf(blocks.map(({ text }) => text)), lettersOf(all.map(({ text }) => text))];
  return seen > 0 && said >= seen * LEAST_TAGGED ? blocks : textBlocks(all, pageHeight);
}

function lettersOf(texts: readonly string[]): number {
  return texts.join("").replace(/\s/gu, "").length;
}
