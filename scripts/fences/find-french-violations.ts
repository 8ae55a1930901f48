import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PROBLEMS } from "@paraphe/contracts";

/** French strings that the specification fixes to the character; the product has each unbroken. */
const FIXED = JSON.parse(
  readFileSync(new URL("./spec-strings.json", import.meta.url), "utf8"),
) as readonly string[];

export type FrenchViolation = {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly why: string;
};

/** Files with French for users; tests and developers' messages are excluded. */
const FRENCH_FILES =
  /^(packages\/contracts\/src|packages\/proof\/src|apps\/web\/src|apps\/server\/src)\/.*\.tsx?$/;
const FRENCH_ALONE = /^(packages\/contracts|packages\/proof|apps\/web)\//;
const TEST_FILES = /^(apps|packages|tests)\/.*\.(test|spec)\.tsx?$/;
const NOT_SHOWN = /\.test\.tsx?$|\.generated\.ts$/;

const ELISION =
  /(^|[^\p{L}])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|presqu|aujourd)'\p{L}/iu;
const TIGHT_MARK = /[\p{L}\p{N})}»…] [;!?](?=\s|$|<)/u;
const COLON = /[\p{L}\p{N})}»…] :(?=\s|$|<)/u;
const QUOTES = /« | »/u;
const NARROW_COLON = /(?:\u202f|\\u202f):/u;
const FULL_STOPS = /\p{L}\.\.\.(?!\p{L})/u;
const BYTES = /\d\s?[kKMG]B\b/u;
const OPTIONAL = /(?<!\p{L})optionnel/iu;
const ORDINAL = /(?:^|\s)\d+(?:er|re|e|ème)(?=\s|$)/u;
const STRAIGHT_QUOTES = /(?:^|\S[\s(])\\?"\p{L}[^"\\\n]*\\?"/u;

function fault(text: string): string | null {
  if (ELISION.test(text)) return "straight apostrophe: write ’";
  if (TIGHT_MARK.test(text)) return "ordinary space before ; ! or ?: write U+202F";
  if (COLON.test(text)) return "ordinary space before a colon: write U+00A0";
  if (QUOTES.test(text)) return "ordinary space inside « »: write U+00A0";
  if (NARROW_COLON.test(text)) return "narrow space before a colon: write U+00A0";
  return null;
}

/** Words too: for files whose strings are French alone. */
function wordFault(text: string): string | null {
  if (FULL_STOPS.test(text)) return "three full stops: write …";
  if (BYTES.test(text)) return "English unit: write ko, Mo or Go after U+00A0";
  if (OPTIONAL.test(text)) return "write « facultatif »";
  if (ORDINAL.test(text)) return "ordinal on the line: write it in words, or 3ᵉ";
  if (STRAIGHT_QUOTES.test(text.replace(/\$\{[^}]*\}/gu, ""))) return "straight quotes: write « »";
  return null;
}

/**
 * Double-quoted literals, JSX text, and templates with French quotes except those of `french`.
 * Other templates are SQL and HTML, tested by their feature.
 */
function literalsOf(text: string, path: string): { value: string; index: number }[] {
  const quoted = [
    /"((?:[^"\\\n]|\\.)*)"/g,
    /(?<!french)`([^`\n]*«[^`\n]*)`/g,
    // The formatter leaves single quotes around double ones alone.
    /(?<=[\s(,{[=])'([^'\n]*"[^'\n]*)'/g,
  ].flatMap((literal) =>
    [...text.matchAll(literal)].map((match) => ({ value: match[1] ?? "", index: match.index })),
  );
  if (!path.endsWith(".tsx")) return quoted;
  const between = [...text.matchAll(/>([^<>{}=]*\p{L}[^<>{}=]*)</gu)].map((match) => ({
    value: match[1] ?? "",
    index: match.index,
  }));
  const code = /=>|;\s*\n|\breturn\b|&&|\?\s*\(|^\s*[\])]/;
  return [
    ...quoted,
    ...between.filter(({ value }) => !code.test(value) && !/^\s*\d* ?[&|?:]/.test(value)),
  ];
}

function findIn(path: string, text: string): FrenchViolation[] {
  const fixed = FIXED.toSorted((one, other) => other.length - one.length);
  const blank = (comment: string) => comment.replace(/[^\n]/g, " ");
  const code = text.replace(/\/\*[\s\S]*?\*\//g, blank).replace(/(^|[^:"'`\\])\/\/[^\n]*/gm, blank);
  return literalsOf(code, path).flatMap(({ value, index }) => {
    const own = fixed.reduce(
      (rest, words) => rest.replaceAll(words, "").replaceAll(words.replaceAll('"', '\\"'), ""),
      value,
    );
    const why = fault(own) ?? (FRENCH_ALONE.test(path) ? wordFault(own) : null);
    return why
      ? [{ path, line: code.slice(0, index).split("\n").length, text: value.trim(), why }]
      : [];
  });
}

export async function findFrenchViolations(
  root: string,
  paths: readonly string[],
): Promise<FrenchViolation[]> {
  const read = paths.filter((path) => FRENCH_FILES.test(path) && !NOT_SHOWN.test(path));
  return (
    await Promise.all(
      read.map(async (path) => findIn(path, await readFile(join(root, path), "utf8"))),
    )
  ).flat();
}

/** `product`: shown nowhere; `tests`: quoted by none. */
export type MissingStrings = {
  readonly product: readonly string[];
  readonly tests: readonly string[];
};

export async function findMissingStrings(
  root: string,
  paths: readonly string[],
): Promise<MissingStrings> {
  const missingFrom = async (files: readonly string[]) => {
    const texts = await Promise.all(files.map((path) => readFile(join(root, path), "utf8")));
    // The formatter folds long JSX text.
    const everything = texts.map((text) => text.replace(/\n\s+/g, " ")).join("\n");
    return FIXED.filter(
      (words) => !everything.includes(words) && !everything.includes(words.replaceAll('"', '\\"')),
    );
  };
  return {
    product: await missingFrom(
      paths.filter((path) => FRENCH_FILES.test(path) && !NOT_SHOWN.test(path)),
    ),
    tests: await missingFrom(paths.filter((path) => TEST_FILES.test(path))),
  };
}

/** Empty, without capital, or with an unfilled parameter. */
export function findBadSentences(): string[] {
  return Object.entries(PROBLEMS)
    .filter(
      ([code, { sentence, status }]) =>
        !/^[a-z]+(_[a-z]+)*$/.test(code) ||
        !/^\p{Lu}.{8,}/u.test(sentence) ||
        status < 400 ||
        status > 599,
    )
    .map(([code]) => code);
}
