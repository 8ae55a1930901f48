import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin, Rollup } from "vite";

/** Kilobytes of 1,000 bytes of compressed script. */
type Limits = {
  readonly budgetsKb: Readonly<Record<string, number>>;
  readonly part?: { readonly pattern: RegExp; readonly budgetKb: number };
  /** The page's script asks for its fonts, which would delay it. */
  readonly fontsLater?: boolean;
  /** The bar of signed-in pages; visitors' pages have none. */
  readonly frame?: { readonly pattern: RegExp; readonly visitorPages: RegExp };
};

const FIRST_FONTS = [/instrument-sans-latin-wght-normal/, /spectral-latin-500-normal/];
/** Loaded by every HTML page, outside the build. */
const BESIDE = "theme.js";

/**
 * Prints the heaviest first visit of each entry, refuses one over its limit in CI, and preloads the
 * first fonts.
 */
export function firstLoad(builds: Readonly<Record<string, Limits>>): Plugin {
  return {
    name: "paraphe:first-load",
    apply: "build",
    applyToEnvironment: ({ name }) => name in builds,
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle, filename }) {
        const page = basename(filename);
        if (Object.values(builds).some((one) => one.fontsLater && page in one.budgetsKb)) return [];
        const fonts = Object.keys(bundle ?? {}).filter(
          (name) => name.endsWith(".woff2") && FIRST_FONTS.some((font) => font.test(name)),
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
      const { name } = this.environment;
      const limits = builds[name] ?? this.error(`the build ${name} has no limits`);
      const isWanted = (path: string) => name === "client" || path in bundle || path === BESIDE;
      const sizes = await compress(dir ?? this.error("the build has no folder"), isWanted);
      const heaviest = heaviestVisits(limits, bundle, sizes);
      for (const { line } of heaviest) this.info(line);
      const over = heaviest.filter(({ isOver }) => isOver);
      if (over.length > 0)
        refuseWeight(this, `first load over budget:\n${over.map(({ line }) => line).join("\n")}`);
    },
  };
}

/** Outside CI a weight stops no start. */
export function refuseWeight(build: Rollup.PluginContext, words: string): void {
  if (process.env["CI"]) build.error(words);
  build.warn(words);
}

function heaviestVisits(
  limits: Limits,
  bundle: Rollup.OutputBundle,
  sizes: ReadonlyMap<string, Compressed>,
) {
  const { budgetsKb, part } = limits;
  return Object.entries(budgetsKb).flatMap(([entry, budgetKb]) => {
    const visits = visitsOf({ entry, ...limits }, bundle, sizes);
    const isPart = ({ page }: { readonly page: string }) => part?.pattern.test(page) === true;
    const groups = [
      { visits: visits.filter((visit) => !isPart(visit)), limitKb: budgetKb },
      ...(part === undefined ? [] : [{ visits: visits.filter(isPart), limitKb: part.budgetKb }]),
    ];
    return groups.flatMap(({ visits: [first, ...others], limitKb }) => {
      if (first === undefined) return [];
      const { page, sizeKb } = others.reduce((a, b) => (b.sizeKb > a.sizeKb ? b : a), first);
      const size = sizeKb.toFixed(1).padStart(6);
      return {
        line: `${entry.padEnd(12)} ${size} ko JS at most (budget ${limitKb}): ${page}`,
        isOver: sizeKb > limitKb,
      };
    });
  });
}

type Visited = Omit<Limits, "budgetsKb"> & { readonly entry: string };

/** Each page is a file of its own. */
function visitsOf(
  { entry, frame, part }: Visited,
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
  const pages = later.filter((name) => isPage(name, bundle) || part?.pattern.test(name));
  return [undefined, ...pages].map((page) => {
    const around = page === undefined || frame?.visitorPages.test(page) ? [] : bar;
    const files = page === undefined ? base : withImports([...base, ...around, page], bundle);
    const bytes = [...files, BESIDE].reduce((sum, name) => sum + (sizes.get(name)?.brotli ?? 0), 0);
    return { page: page ?? entry, sizeKb: bytes / 1000 };
  });
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

type Compressed = { readonly brotli: number; readonly gzip: number };

const TEXT = /\.(js|mjs|css|html|svg|json|webmanifest)$/;
/** Below this size compression saves nothing. */
const SMALLEST = 256;
/** Named by content, so an earlier compression stays valid. */
const HASHED = /\/assets\//;
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Sizes in bytes by path, after Brotli and gzip. */
export async function compress(
  folder: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<ReadonlyMap<string, Compressed>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile() && TEXT.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const files = texts.filter((path) => isWanted(relative(folder, path)));
  return new Map(
    await Promise.all(
      files.map(async (path) => [relative(folder, path), await compressFile(path)] as const),
    ),
  );
}

async function compressFile(path: string): Promise<Compressed> {
  const known = await Promise.all([sizeOf(`${path}.br`), sizeOf(`${path}.gz`)]);
  if (HASHED.test(path) && known[0] !== null && known[1] !== null)
    return { brotli: known[0], gzip: known[1] };
  const bytes = await readFile(path);
  if (bytes.length < SMALLEST) return { brotli: bytes.length, gzip: bytes.length };
  const options = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  };
  const [br, gz] = await Promise.all([
    brotli(bytes, options),
    zip(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)]);
  return { brotli: br.length, gzip: gz.length };
}

function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}
