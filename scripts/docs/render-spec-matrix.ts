import { judgeSpecLines, type JudgedLine } from "../fences/judge-spec-lines.ts";
import { listFiles } from "../fences/list-files.ts";
import { readSpecLines } from "../fences/read-spec-lines.ts";

const QUOTING_TESTS_SHOWN = 3;

/** Writes, section by section, each line of the specification with the tests that show it. */
export async function renderSpecMatrix(root: string): Promise<string> {
  const judged = await judgeSpecLines(root, await listFiles(root), await readSpecLines(root));
  const count = (state: JudgedLine["state"]) => judged.filter((line) => line.state === state).length;
  const groups = Map.groupBy(judged, ({ section, group }) => (group === "" ? section : `${section} — ${group}`));
  const tables = [...groups].map(
    ([title, lines]) =>
      `## ${title}\n\n| line | shown by |\n| --- | --- |\n${lines.map((line) => `| ${cell(line.line)} | ${shownBy(line)} |`).join("\n")}`,
  );
  const summary = `${judged.length} lines: ${count("covered")} shown by tests, ${count("planned")} planned, ${count("open")} left open by the specification.`;
  return [summary, ...tables].join("\n\n");
}

function shownBy(line: JudgedLine): string {
  if (line.state === "planned") return `planned: ${line.planned}`;
  if (line.state === "open") return "left open; settled by the contract";
  // Who else quotes the words of a line that names its tests changes often, and tells nothing more.
  if (line.tests) return line.tests.map(named).join("<br>");
  const quoting = new Set(line.quotes.flatMap(({ quotedBy }) => quotedBy));
  return [...quoting]
    .slice(0, QUOTING_TESTS_SHOWN)
    .map((path) => `quoted by ${link(path)}`)
    .join("<br>");
}

function named(test: string): string {
  const [path = "", name = ""] = test.split(" › ", 2);
  return `${link(path)}: ${cell(name)}`;
}

function link(path: string): string {
  return `[${path.split("/").at(-1)}](../../${path})`;
}

/** A table's row of the specification keeps its words, not its bars. */
function cell(text: string): string {
  return text
    .replace(/^\||\|$/g, "")
    .replaceAll("|", "·")
    .replaceAll("<", "&lt;")
    .trim();
}
