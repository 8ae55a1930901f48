import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TextRule, textRules } from "./text-rules.ts";

export type TextViolation = {
  readonly rule: string;
  readonly why: string;
  readonly path: string;
  readonly line: number;
};

const TEST = /\.test\.tsx?$/;

/** Blanks comments, line by line; `//` after a colon is an address. */
function withoutComments(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, " ");
  return text.replace(/\/\*[\s\S]*?\*\//g, blank).replace(/(^|[^:"'`\\])\/\/[^\n]*/gm, blank);
}

function applies(rule: TextRule, path: string): boolean {
  if (!rule.files.test(path) || rule.except?.test(path)) return false;
  return rule.name === "no-mocked-modules" || rule.inComments === true || !TEST.test(path);
}

function findIn(path: string, text: string): TextViolation[] {
  const code = withoutComments(text);
  return textRules
    .filter((rule) => applies(rule, path))
    .flatMap((rule) => {
      const read = rule.inComments ? text : code;
      const forbidden =
        typeof rule.forbidden === "function" ? rule.forbidden(path) : rule.forbidden;
      const found = forbidden?.exec(read);
      return found
        ? [
            {
              rule: rule.name,
              why: rule.why,
              path,
              line: read.slice(0, found.index).split("\n").length,
            },
          ]
        : [];
    });
}

/** First violation of each file and rule. `paths` are from `root`. */
export async function findTextViolations(
  root: string,
  paths: readonly string[],
): Promise<TextViolation[]> {
  const read = paths.filter((path) => textRules.some((rule) => applies(rule, path)));
  const found = await Promise.all(
    read.map(async (path) => findIn(path, await readFile(join(root, path), "utf8"))),
  );
  return found.flat();
}
