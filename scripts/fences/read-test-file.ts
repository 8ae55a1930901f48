import { parse } from "@swc/core";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** What a test file says once it runs: nothing of its comments, nor of the tests it skips. */
export type TestFile = {
  readonly path: string;
  /** Its tests and their groups, each with the texts in it: its rows, its body; of a group, those of its tests. */
  readonly tests: readonly NamedTest[];
  /** Every text in it, its folded lines put together again. */
  readonly texts: readonly string[];
  /** The texts outside of any test: what all of them may refer to. */
  readonly shared: readonly string[];
};
export type NamedTest = { readonly name: string; readonly texts: readonly string[] };

type Node = { readonly type?: string; readonly [member: string]: unknown };
type Found = { readonly tests: { readonly name: string; readonly texts: string[] }[]; readonly texts: string[]; readonly shared: string[] };
/** Where a node stands: the tests and groups around it, and whether one of them is a test. */
type Place = { readonly around: readonly { readonly texts: string[] }[]; readonly inTest: boolean };

const TEST_CALLS: ReadonlySet<string> = new Set(["test", "it", "describe"]);
const GROUP = "describe";
const NOT_RUN: ReadonlySet<string> = new Set(["skip", "todo", "fixme", "fails", "fail"]);

/** Reads the names and the texts of a test file from its syntax tree. `path` is from `root`. */
export async function readTestFile(root: string, path: string): Promise<TestFile> {
  const source = await readFile(join(root, path), "utf8");
  const tree = await parse(source, { syntax: "typescript", tsx: path.endsWith("x"), decorators: false, target: "esnext" });
  const found: Found = { tests: [], texts: [], shared: [] };
  visit(tree.body, { around: [], inTest: false }, found);
  return { path, ...found };
}

function visit(value: unknown, place: Place, found: Found): void {
  if (Array.isArray(value)) for (const item of value) visit(item, place, found);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const node = value as Node;
  const call = node.type === "CallExpression" ? testCallOf(node) : null;
  if (call?.runs === false) return;
  const inner = call ? entered(place, call, found) : place;
  const text = textOf(node)?.replace(/\s*\n\s*/g, " ");
  if (text !== undefined) {
    found.texts.push(text);
    for (const { texts } of inner.around) texts.push(text);
    if (!inner.inTest) found.shared.push(text);
  }
  for (const member of Object.values(node)) visit(member, inner, found);
}

function entered({ around, inTest }: Place, call: { readonly name: string; readonly isGroup: boolean }, found: Found): Place {
  const named = { name: call.name, texts: [] };
  found.tests.push(named);
  return { around: [...around, named], inTest: inTest || !call.isGroup };
}

/** Gives the name of a test or a group of tests; null when the call is none. */
function testCallOf(call: Node): { readonly name: string; readonly runs: boolean; readonly isGroup: boolean } | null {
  const callee = wordsOf(call.callee as Node);
  const [name, ...rest] = (call.arguments as readonly { readonly expression: Node }[]).map(({ expression }) => expression);
  const text = name ? textOf(name) : null;
  if (!TEST_CALLS.has(callee[0] ?? "") || text === null) return null;
  return { name: text, runs: !callee.some((word) => NOT_RUN.has(word)) && !rest.some(isSkipped), isGroup: callee.includes(GROUP) };
}

/** `test.describe.each(rows)` → test, describe, each. */
function wordsOf(callee: Node): readonly string[] {
  if (callee.type === "Identifier") return [callee.value as string];
  if (callee.type === "CallExpression") return wordsOf(callee.callee as Node);
  if (callee.type === "TaggedTemplateExpression") return wordsOf(callee.tag as Node);
  if (callee.type !== "MemberExpression") return [];
  const { property } = callee as unknown as { readonly property: Node };
  return [...wordsOf(callee.object as Node), ...(property.type === "Identifier" ? [property.value as string] : [])];
}

/** `{ skip: true }`, `{ todo: true }`. */
function isSkipped(options: Node): boolean {
  if (options.type !== "ObjectExpression") return false;
  return (options.properties as readonly Node[]).some(({ key }) => NOT_RUN.has(((key as Node | undefined)?.value as string) ?? ""));
}

function textOf(node: Node): string | null {
  if (node.type === "StringLiteral" || node.type === "JSXText") return node.value as string;
  if (node.type === "RegExpLiteral") return (node.pattern as string).replace(/\\(.)/g, "$1");
  if (node.type === "TemplateLiteral") {
    return (node.quasis as readonly Node[]).map(({ cooked, raw }) => (cooked as string | null) ?? raw).join("${}");
  }
  if (node.type !== "BinaryExpression" || node.operator !== "+") return null;
  const parts = [textOf(node.left as Node), textOf(node.right as Node)];
  return parts.includes(null) ? null : parts.join("");
}
