import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** What each source file runs of others: its path from the root, then theirs. Imports of types alone do not run, and are left out. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>;

const SOURCE = /\.(ts|tsx|mjs)$/;
/** A page of the client leads to the module that it loads and to what builds it; every browser story may open every page. */
const PAGE = /^apps\/\w+\/[\w-]+\.html$/;
const BUILD = /\/vite\.[\w.]*ts$/;
/** What tests. */
export const TEST = /\.(test|spec)\.tsx?$/;
const STORY = /\.spec\.ts$/;
const LOADED = /<script type="module" src="\/([^"]+)"/g;
const STATEMENT =
  /^(?:import|export)\s+(?!type\b)([^"';]*?)\s*from\s+"([^"]+)"|^import\s+"([^"]+)"/gm;
/** Modules loaded later, programs started by their path, and files read beside the code. */
const LATER = /\bimport\("([^"]+)"\)|\bnew URL\("(\.[^"]+)"/g;
const BY_PATH = /"((?:apps|packages|scripts|tests|src)\/[\w./-]+\.(?:ts|tsx|mjs))"/g;
const WORKSPACE = /^(?:apps|packages)\/\w+/;
/** The address of a program beside the file, whose name is put in when it is started. */
const ANY_BESIDE = /`(?:\.\/)?\$\{\w+\}\.ts`/;

/** Reads the imports of `paths`, given from `root`. A name imported through an `index.ts` or a `public.ts` leads to the file that defines it, not to all that it exports. */
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

  /** Files in which `path`, when it is an index, finds each name that it exports from another. */
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

/** The names between the braces of an import or export, those of types left out. */
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

/** What `@paraphe/…` leads to, by the `exports` of each workspace. */
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
