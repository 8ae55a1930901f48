import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export type DeadLinks = { readonly links: number; readonly dead: readonly string[] };

const LINK = /\]\(([^()\s]+(?:\([^()\s]*\))?)\)/g;
const HEADING = /^#{1,6} +(.+?) *$/gm;
const FENCED = /```[\s\S]*?```/g;

/** Links to missing files or headings; web addresses are not followed. */
export async function findDeadLinks(
  root: string,
  documents: readonly string[],
): Promise<DeadLinks> {
  const read = async (path: string) =>
    (await readFile(join(root, path), "utf8")).replace(FENCED, "");
  const texts = new Map(
    await Promise.all(documents.map(async (path) => [path, await read(path)] as const)),
  );
  const isDead = (path: string, target: string): boolean => {
    const [file = "", anchor] = decodeURIComponent(target).split("#");
    const to = file === "" ? path : join(dirname(path), file);
    const text = texts.get(to);
    return (
      !existsSync(join(root, to)) ||
      (anchor !== undefined && text !== undefined && !anchorsOf(text).has(anchor))
    );
  };
  const found = [...texts].flatMap(([path, text]) =>
    [...text.matchAll(LINK)].map(([, target = ""]) => ({ path, target })),
  );
  const links = found.filter(({ target }) => !/^[a-z]+:/.test(target));
  return {
    links: links.length,
    dead: links
      .filter(({ path, target }) => isDead(path, target))
      .map(({ path, target }) => `${path}: ${target}`),
  };
}

function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of text.matchAll(HEADING)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-");
    const count = [...anchors].filter(
      (other) => other === anchor || other.replace(/-\d+$/, "") === anchor,
    ).length;
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

export function partsWithoutRow(specification: string, table: string): string[] {
  const rowsOf = (title: string) =>
    sectionsOf(table).find((section) => section.startsWith(`${title}\n`)) ?? "";
  return sectionsOf(specification).flatMap((section) => {
    const rows = rowsOf(section.slice(0, section.indexOf("\n")));
    const parts = [...section.matchAll(/^### +(.+?) *$/gm)].map(([, part = ""]) => part);
    return parts.filter((part) => !rows.includes(`\n| ${part} | `));
  });
}

const sectionsOf = (text: string) => text.split(/^(?=## )/m);
