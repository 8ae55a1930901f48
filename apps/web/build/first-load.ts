import type { Plugin, Rollup } from "vite";
import { type Compressed, compress } from "./compress.ts";

type Options = {
  /** Budget of each HTML entry: compressed script of a first visit to any of its pages, in kilobytes of 1 000 bytes. */
  readonly budgetsKb: Readonly<Record<string, number>>;
  /**
   * Parts held to a budget of their own, and printed too: what a page opens before it shows a document, the viewer's own engine left out; a page
   * beside the one that its entry is for.
   */
  readonly parts: readonly { readonly pattern: RegExp; readonly budgetKb: number }[];
  /**
   * Entries whose own page is counted to its end: all that it may ever ask for, whatever the reader opens, but these files and what comes with them.
   * Each pattern must be found.
   */
  readonly until?: Readonly<Record<string, readonly RegExp[]>>;
  /** Scripts that every page's HTML asks for beside those that are built. */
  readonly beside: readonly string[];
  /** The bar above the pages of whoever is signed in: it comes with each of them, and with none of the visitors'. */
  readonly frame?: { readonly pattern: RegExp; readonly visitorPages: RegExp };
  /** Font files that every page needs at once. */
  readonly preload: readonly RegExp[];
  /** The folder holds another build already, whose files were compressed with it. */
  readonly isAdded?: boolean;
};

export const FIRST_FONTS = [/instrument-sans-latin-wght-normal/, /spectral-latin-500-normal/];

/**
 * Compresses what is built, once for all visits; prints what the heaviest first visit loads, entry by entry; refuses a build over its budget; and
 * preloads the fonts of the first screen.
 */
export function firstLoad({
  budgetsKb,
  parts,
  until = {},
  frame,
  preload,
  beside,
  isAdded = false,
}: Options): Plugin {
  return {
    name: "paraphe:first-load",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const fonts = Object.keys(bundle ?? {}).filter(
          (name) => name.endsWith(".woff2") && preload.some((font) => font.test(name)),
        );
        return fonts.map((name) => ({
          tag: "link",
          attrs: {
            rel: "preload",
            as: "font",
            type: "font/woff2",
            crossorigin: true,
            href: `/${name}`,
          },
          injectTo: "head" as const,
        }));
      },
    },
    async writeBundle({ dir }, bundle) {
      const isWanted = (path: string) => !isAdded || path in bundle || beside.includes(path);
      const sizes = await compress(dir ?? this.error("the build has no folder"), isWanted);
      const over: string[] = [];
      for (const [entry, budget] of Object.entries(budgetsKb)) {
        const lost = until[entry]?.find(
          (pattern) => !Object.keys(bundle).some((name) => pattern.test(name)),
        );
        if (lost !== undefined)
          this.error(
            `${entry}: nothing that is built is like ${lost.source}, where its page is to end`,
          );
        const visits = visitsOf(
          { entry, until: until[entry], frame, parts, beside },
          bundle,
          sizes,
        );
        const partOf = (page: string) => parts.find(({ pattern }) => pattern.test(page));
        const apart = parts.map(
          (part) => [visits.filter(({ page }) => partOf(page) === part), part.budgetKb] as const,
        );
        const pages = visits.filter(({ page }) => partOf(page) === undefined);
        for (const [kind, limit] of [[pages, budget] as const, ...apart]) {
          const heaviest = kind.toSorted((a, b) => b.sizeKb - a.sizeKb)[0];
          if (heaviest === undefined) continue;
          const line = `${entry.padEnd(12)} ${heaviest.sizeKb.toFixed(1).padStart(6)} ko JS at most (budget ${limit}): ${heaviest.page}`;
          this.info(line);
          if (heaviest.sizeKb > limit) over.push(line);
        }
      }
      if (over.length > 0) this.error(`first load over budget:\n${over.join("\n")}`);
    },
  };
}

type Visited = Pick<Options, "parts" | "beside"> & {
  readonly entry: string;
  readonly frame: Options["frame"] | undefined;
  readonly until: readonly RegExp[] | undefined;
};

/** What a visit to each page of an entry loads: a page comes in a file of its own. */
function visitsOf(
  { entry, until, frame, parts, beside }: Visited,
  bundle: Rollup.OutputBundle,
  sizes: ReadonlyMap<string, Compressed>,
) {
  const start = Object.values(bundle).find(
    (chunk) =>
      chunk.type === "chunk" && chunk.isEntry && chunk.facadeModuleId?.endsWith(`/${entry}`),
  );
  const base = withImports(start === undefined ? [] : [start.fileName], bundle);
  const later = [...new Set([...base].flatMap((name) => dynamicImportsOf(name, bundle)))];
  const bar = later.filter((name) => frame?.pattern.test(name));
  const pages = later.filter(
    (name) => isPage(name, bundle) || parts.some(({ pattern }) => pattern.test(name)),
  );
  const own = until === undefined ? base : toTheEnd(base, until, bundle);
  return [undefined, ...pages].map((page) => {
    const around = page === undefined || frame?.visitorPages.test(page) ? [] : bar;
    const files = page === undefined ? own : withImports([...base, ...around, page], bundle);
    const bytes = [...files, ...beside].reduce(
      (sum, name) => sum + (sizes.get(name)?.brotli ?? 0),
      0,
    );
    return { page: page ?? entry, sizeKb: bytes / 1000 };
  });
}

/** With all that these files ask for later, and so on; but not those where the page ends. */
function toTheEnd(
  names: ReadonlySet<string>,
  until: readonly RegExp[],
  bundle: Rollup.OutputBundle,
): ReadonlySet<string> {
  const asked = [...names]
    .flatMap((name) => dynamicImportsOf(name, bundle))
    .filter((name) => !until.some((end) => end.test(name)));
  const found = withImports([...names, ...asked], bundle);
  return found.size === names.size ? found : toTheEnd(found, until, bundle);
}

function withImports(names: readonly string[], bundle: Rollup.OutputBundle): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    const chunk = bundle[name];
    if (chunk?.type !== "chunk" || found.has(name)) return;
    found.add(name);
    chunk.imports.forEach(visit);
  };
  names.forEach(visit);
  return found;
}

function dynamicImportsOf(name: string, bundle: Rollup.OutputBundle): readonly string[] {
  const chunk = bundle[name];
  return chunk?.type === "chunk" ? chunk.dynamicImports : [];
}

function isPage(name: string, bundle: Rollup.OutputBundle): boolean {
  const chunk = bundle[name];
  return chunk?.type === "chunk" && (chunk.facadeModuleId ?? "").endsWith("-page.tsx");
}
