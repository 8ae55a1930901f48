import { DUE_LINES, securityLines } from "./security-lines.ts";

export type TestFile = { readonly path: string; readonly text: string };

/** A test says which line it shows by how its name begins. */
const NAMED = /\b(?:test|it)(?:\.each\([^`]*?\))?\(\s*(["'`])security line (\d+): ((?:(?!\1).)+)\1/g;

/** Gives the table of the security lines with the tests that show each. Throws when a line that is due has none, or a test names a line that is not there. */
export function renderSecurityLines(files: readonly TestFile[]): string {
  const shown = new Map<number, string[]>();
  for (const { path, text } of files)
    for (const [, , line, name] of text.matchAll(NAMED)) {
      const number = Number(line);
      if (securityLines[number - 1] === undefined) throw new Error(`${path} shows security line ${number}, which does not exist`);
      shown.set(number, [...(shown.get(number) ?? []), `${name ?? ""} (\`${path.split("/").at(-1) ?? path}\`)`]);
    }
  const missing = DUE_LINES.filter((number) => !shown.has(number));
  if (missing.length > 0) throw new Error(`security lines without a test of their own: ${missing.join(", ")}`);
  const rows = securityLines.map((what, index) => {
    const tests = shown.get(index + 1)?.map((name) => name.replaceAll("|", "\\|")) ?? ["not numbered yet"];
    return `| ${index + 1} | ${what} | ${tests.join("<br>")} |`;
  });
  return ["| line | what | shown by |", "| --- | --- | --- |", ...rows].join("\n");
}
