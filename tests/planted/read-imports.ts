import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Run-time imports of each file, by path from the root; type imports do not count. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>;

const SOURCE = /\.(ts|tsx|mjs)$/;
/** A page leads to its module and its builder; a browser story may open every page. */
const PAGE = /^apps\/\w+\/[\w-]+\.html$/;
const BUILD = /\/vite\.[\w.]*ts$/;
export const TEST = /\.(test|spec)\.tsx?$/;
const STORY = /\.spec\.ts$/;
const LOADED = /<script type="module" src="\/([^"]+)"/g;
const STATEMENT =
  /^(?:import|export)\s+(?!type\b)([^"';]*?)\s*from\s+"([^"]+)"|^import\s+"([^"]+)"/gm;
/** Dynamic imports, programs started by path, files read beside the code. */
const LATER = /\bimport\("([^"]+)"\)|\bnew URL\("(\.[^"]+)"/g;
const BY_PATH = /"((?:apps|packages|scripts|tests|src)\/[\w./-]+\.(?:ts|tsx|mjs))"/g;
const WORKSPACE = /^(?:apps|packages)\/\w+/;
/** Address of a program beside the file, its name filled in at start. */
const ANY_BESIDE = /`(?:\.\/)?\$\{\w+\}\.ts`/;

/** Reads the imports of `paths`; a name from an index or `public.ts` leads to its definition. */
export function readImports(root: string, paths: readonly string[]): Imports {
  const sources = new Map(
    paths
      .filter((path) => SOURCE.test(path))
      .map((path) => [path, readFileSync(join(root, path), "utf8")]),
  );
  const packages = readPackages(root, paths);
  const resolve = (from: string, target: string): string | null => {
    const path = target.startsWith(".")
      ? normalize(join(dirname(from), target.replace(/\?.*/, "")))
      : (packages.get(target) ?? null);
    return path !== null && (sources.has(path) || existsSync(join(root, path))) ? path : null;
  };
  const definitions = new Map(
    [...sources]
      .filter(([path]) => /\/(index|public)\.ts$/.test(path))
      .map(([path, text]) => [path, exportsOf(path, text)]),
  );

  /** Defining file of each name that an index re-exports. */
  function exportsOf(path: string, text: string): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const [, what = "", target = ""] of text.matchAll(
      /^export\s+(?:type\s+)?(\{[^}]*\})\s*from\s+"([^"]+)"/gm,
    )) {
      const file = resolve(path, target);
      for (const name of namesIn(what)) if (file !== null) found.set(name.exported, file);
    }
    return found;
  }
  function targetsOf(path: string, what: string, target: string): string[] {
    const file = resolve(path, target);
    const defined = file === null ? undefined : definitions.get(file);
    if (file === null || defined === undefined || !what.startsWith("{"))
      return file === null ? [] : [file];
    return namesIn(what).map(({ imported }) => defined.get(imported) ?? file);
  }
  const pages = paths.filter((path) => PAGE.test(path));
  const modulesOf = (page: string) =>
    [...readFileSync(join(root, page), "utf8").matchAll(LOADED)].map(([, file = ""]) =>
      join(dirname(page), file),
    );
  const builds = (page: string) =>
    paths.filter((path) => BUILD.test(path) && dirname(path) === dirname(page));
  const beside = (path: string) =>
    [...sources.keys()].filter((other) => dirname(other) === dirname(path) && !TEST.test(other));
  return new Map([
    ...pages.map((page): [string, ReadonlySet<string>] => [
      page,
      new Set([...modulesOf(page), ...builds(page)]),
    ]),
    ...[...sources].map(([path, text]): [string, ReadonlySet<string>] => {
      const statements = [...text.matchAll(STATEMENT)].flatMap(([, what = "", from, bare]) =>
        targetsOf(path, what, from ?? bare ?? ""),
      );
      const later = [...text.matchAll(LATER)].map(([, module, file]) =>
        resolve(path, module ?? file ?? ""),
      );
      const workspace = WORKSPACE.exec(path)?.[0] ?? "";
      const started = [...text.matchAll(BY_PATH)]
        .flatMap(([, file = ""]) => [file, join(workspace, file)])
        .filter((file) => sources.has(file));
      const found = [
        ...later.filter((file) => file !== null),
        ...started,
        ...(ANY_BESIDE.test(text) ? beside(path) : []),
      ];
      return [path, new Set([...statements, ...found, ...(STORY.test(path) ? pages : [])])];
    }),
  ]);
}

/** Names in the braces, types left out. */
function namesIn(braces: string): { readonly imported: string; readonly exported: string }[] {
  return braces
    .replace(/^\{|\}$/g, "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "" && !part.startsWith("type "))
    .map((part) => {
      const [imported = "", exported = imported] = part.split(/\s+as\s+/);
      return { imported, exported };
    });
}

/** Targets of `@paraphe/…`, by each workspace's `exports`. */
function readPackages(root: string, paths: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const manifest of paths.filter((path) => /^packages\/[^/]+\/package\.json$/.test(path))) {
    const folder = dirname(manifest);
    const { name, exports } = JSON.parse(readFileSync(join(root, manifest), "utf8")) as {
      name: string;
      exports: Record<string, string>;
    };
    for (const [key, target] of Object.entries(exports)) {
      if (!key.includes("*")) found.set(join(name, key), join(folder, target));
      else
        for (const path of paths.filter(
          (path) => path.startsWith(`${folder}/src/`) && SOURCE.test(path),
        ))
          found.set(join(name, path.slice(`${folder}/src/`.length).replace(SOURCE, "")), path);
    }
  }
  return found;
}
