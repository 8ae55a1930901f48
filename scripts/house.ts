import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { importLaw } from "./fences/import-law.ts";

/** `npm run house`: the size of the code beside its targets. */
const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8", maxBuffer: 1e8 })
  .split("\n")
  .filter(Boolean);
const isCode = (path: string) => /\.tsx?$/.test(path);
const isTest = (path: string) => /\.(test|spec)\.|\/testing\/|^tests\/|fixtures/.test(path);
const sources = tracked.filter(
  (path) => isCode(path) && !isTest(path) && !path.includes("generated"),
);
const tests = tracked.filter((path) => isCode(path) && isTest(path));
const texts = new Map(
  [...sources, ...tests].map((path): [string, string] => [path, readFileSync(path, "utf8")]),
);
const bytes = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + Buffer.byteLength(texts.get(path) ?? ""), 0);
const megabytes = (paths: readonly string[]) => (bytes(paths) / 1e6).toFixed(2);
const COMMENT = /(?<=^|\s)\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g;

function commentWords(): number {
  const comments = sources.flatMap((path) => texts.get(path)?.match(COMMENT) ?? []);
  return comments.join(" ").match(/[A-Za-zÀ-ÿ][\w’'-]*/g)?.length ?? 0;
}

function largestFolder(): number {
  return Math.max(
    ...Map.groupBy(tracked, dirname)
      .values()
      .map((paths) => paths.length),
  );
}

function arrows(): number {
  const edges = new Set<string>();
  for (const [path, text] of texts) {
    const from = featureOf(path);
    if (from === null || isTest(path)) continue;
    for (const [, target = ""] of text.matchAll(/from "(\.[^"]+)"/g)) {
      const to = featureOf(normalize(join(dirname(path), target)));
      if (to !== null && to !== from) edges.add(`${from} ${to}`);
    }
  }
  return edges.size;
}

function featureOf(path: string): string | null {
  return /^apps\/server\/src\/features\/([^/]+)\//.exec(path)?.[1] ?? null;
}

type Module = {
  readonly imports: ReadonlyMap<string, readonly [path: string, name: string]>;
  readonly words: ReadonlyMap<string, ReadonlySet<string>>;
};
const IMPORT = /^(?:import|export) (?!type)\{([^}]*)\} from "(\.[^"]+)";/gm;
const DECLARATION =
  /^(?:export )?(?:async )?(?:function\*?|const|class|let) (\w+)[\s\S]*?(?=^(?:export |async |function|const |class |let |type |\/\*\*)|(?![\s\S]))/gm;
const modules = new Map<string, Module>();

function moduleOf(path: string): Module {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const text = (texts.get(path) ?? "").replace(COMMENT, " ");
  const imports = [...text.matchAll(IMPORT)].flatMap(([, names = "", target = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name): [string, readonly [string, string]] => {
        const [theirs = "", ours = theirs] = name.split(" as ");
        return [ours, [normalize(join(dirname(path), target)), theirs]];
      }),
  );
  const words = [...text.matchAll(DECLARATION)].map(
    ([body, name = ""]): [string, ReadonlySet<string>] => [
      name,
      new Set(body.match(/[A-Za-z_]\w*/g)),
    ],
  );
  const read = { imports: new Map(imports), words: new Map(words) };
  modules.set(path, read);
  return read;
}

function filesPassed(path: string, name: string): number {
  if (!moduleOf(path).words.has(name)) throw new Error(`Expected ${name} in ${path}`);
  const reached = new Set<string>();
  const left = [[path, name] as readonly [string, string]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const key = next.join("#");
    const { imports, words } = moduleOf(next[0]);
    const elsewhere = imports.get(next[1]);
    const own = words.get(next[1]);
    if (reached.has(key) || (own === undefined && elsewhere === undefined)) continue;
    if (own === undefined && elsewhere !== undefined) left.push(elsewhere);
    else reached.add(key);
    for (const word of own ?? [])
      if (words.has(word)) left.push([next[0], word]);
      else if (imports.has(word)) left.push(imports.get(word) as readonly [string, string]);
  }
  return new Set([...reached].map((key) => key.split("#")[0])).size;
}

const features = "apps/server/src/features";
const journeys = [
  filesPassed(`${features}/signing/sign-envelope.ts`, "signAsGuest"),
  filesPassed(`${features}/envelopes/create-envelope.ts`, "createEnvelope"),
  filesPassed(`${features}/envelopes/list-envelopes.ts`, "listEnvelopes"),
  filesPassed(`${features}/proof/evidence/make-evidence.ts`, "makeEvidence"),
];
const rooms = importLaw.filter(({ name }) => name?.startsWith("feature-order-")).length;
const short = sources.filter((path) => (texts.get(path)?.split("\n").length ?? 0) - 1 < 15);
const rows: readonly (readonly [what: string, now: string | number, atMost: string])[] = [
  ["source files", sources.length, "950"],
  ["source bytes, MB", megabytes(sources), "4.0"],
  ["test bytes, MB", megabytes(tests), "2.5"],
  ["source files under 15 lines", short.length, "50"],
  ["files in the largest folder", largestFolder(), "40"],
  ["server features / arrows between them", `${rooms} / ${arrows()}`, "10 / 32"],
  [
    "files that a guest’s signature / a creation / a list / an evidence file passes",
    journeys.join(" / "),
    "45 / 22 / 12 / 35",
  ],
  ["words of comments in source", commentWords(), "70,000"],
];
for (const [what, now, atMost] of rows)
  console.log(`${what.padEnd(80)} ${String(now).padStart(18)}   ≤ ${atMost}`);
