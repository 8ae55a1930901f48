import type { TextBlock } from "./text-blocks.ts";
import { joinLines, type TextRun, textLines } from "./text-lines.ts";

/** A tag of the file: what it is, and what it holds, other tags or pieces of content. */
export type PageTag = { readonly role: string; readonly alt?: string; readonly children: readonly (PageTag | TaggedContent)[] };
export type TaggedContent = { readonly type: string; readonly id: string };
type TaggedPage = {
  readonly tree: PageTag;
  /** The runs of each piece of content. */
  readonly runs: ReadonlyMap<string, readonly TextRun[]>;
  readonly pageHeight: number;
};

const HEADING = /^(H|H[1-6]|Title)$/;

/**
 * Makes headings, paragraphs and list items of a tagged page, as its author said them and in the order that its author gave; a picture is what
 * its author says of it.
 * Source: ISO 32000-2 §14.8.4 (standard structure types), §14.9.3 (alternate descriptions).
 */
export function taggedBlocks({ tree, runs, pageHeight }: TaggedPage): readonly TextBlock[] {
  const contentOf = (tag: PageTag): readonly TextRun[] =>
    tag.children.flatMap((child) => ("role" in child ? contentOf(child) : (runs.get(child.id) ?? [])));
  const blocksOf = (tag: PageTag): readonly TextBlock[] => {
    const own = contentOf(tag);
    if (tag.alt !== undefined && tag.alt.trim() !== "")
      return [{ kind: "paragraph", text: `Image\u00a0: ${tag.alt.trim()}`, y: topOf(own, pageHeight) }];
    const isWhole = tag.role === "LI" || HEADING.test(tag.role) || tag.children.some((child) => !("role" in child));
    if (!isWhole) return tag.children.flatMap((child) => ("role" in child ? blocksOf(child) : []));
    const text = textLines(own).reduce((before, line) => (before === "" ? line.text : joinLines(before, line.text)), "");
    const kind = tag.role === "LI" ? "item" : HEADING.test(tag.role) ? "heading" : "paragraph";
    return text === "" ? [] : [{ kind, text: kind === "item" ? text.replace(/^[•◦▪●○■□–—*-]\s+/u, "") : text, y: topOf(own, pageHeight) }];
  };
  return blocksOf(tree);
}

function topOf(runs: readonly TextRun[], pageHeight: number): number {
  // Not `Math.min(...)`: a page may have more runs than a call takes arguments.
  const top = runs.reduce((least, { y, size }) => Math.min(least, (y - size) / pageHeight), Number.POSITIVE_INFINITY);
  return Number.isFinite(top) ? Math.min(1, Math.max(0, top)) : 0;
}
