import { stringEnd } from "../pdf/byte-reader.ts";

/** One operation of a content stream. `end`: where its text ends. */
type Operation = {
  readonly operator: string;
  readonly operands: readonly string[];
  readonly start: number;
  readonly end: number;
};

const BLANK = /(?:[\0\t\n\f\r ]+|%[^\r\n]*)+/y;
const WORD = /<<|>>|[[\]{}]|<[^<>]*>|\/[^\0\t\n\f\r ()<>[\]{}/%]*|[^\0\t\n\f\r ()<>[\]{}/%]+|[)>]/y;
const OPERAND = /^(?:[+-]?[\d.]|<|>|\[|\]|\/|true$|false$|null$|\{|\})/;
const INLINE_END = /[\0\t\n\f\r ]EI(?=[\0\t\n\f\r ]|$)/g;
const PAINTS = new Set(["S", "s", "f", "F", "f*", "B", "B*", "b", "b*"]);
const INVISIBLE = "3";

/** The operations of a content stream. Source: ISO 32000-2 §7.8.2, §8.9.7. */
export function* contentOperations(text: string): Generator<Operation> {
  let operands: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; ) {
    BLANK.lastIndex = at;
    at += BLANK.exec(text)?.[0].length ?? 0;
    if (at >= text.length) return;
    const end = text[at] === "(" ? stringEnd(text, at) : wordEnd(text, at);
    const word = text.slice(at, end);
    at = end;
    if (word.startsWith("(") || OPERAND.test(word)) {
      operands.push(word);
      continue;
    }
    if (word === "ID") {
      INLINE_END.lastIndex = at;
      at = INLINE_END.exec(text) ? INLINE_END.lastIndex : text.length;
    }
    yield { operator: word === "ID" ? "EI" : word, operands, start, end: at };
    operands = [];
    start = at;
  }
}

function wordEnd(text: string, at: number): number {
  WORD.lastIndex = at;
  return WORD.exec(text) ? WORD.lastIndex : at + 1;
}

/** How many graphics states a content leaves saved. */
export function openStates(text: string): number {
  let depth = 0;
  for (const { operator } of contentOperations(text)) {
    if (operator === "q") depth += 1;
    else if (operator === "Q") depth = Math.max(0, depth - 1);
  }
  return depth;
}

/**
 * Removes what hidden layers would paint; operators of the graphics state stay, so nothing else
 * moves.
 * Shape: null when nothing is hidden. `isHidden` takes the name of an `/OC` property.
 * Source: ISO 32000-2 §8.11.3.2, §14.6.
 */
export function withoutHidden(
  text: string,
  isHidden: (property: string) => boolean,
): string | null {
  const marks: boolean[] = [];
  const saved: { mode: string; hidden: boolean }[] = [];
  const out: string[] = [];
  let [mode, hidden, changed] = ["0", 0, false];
  for (const { operator, operands, start, end } of contentOperations(text)) {
    const written = text.slice(start, end);
    if (operator === "BDC" || operator === "BMC") {
      const hides =
        operator === "BDC" && operands[0] === "/OC" && isHidden(operands[1]?.slice(1) ?? "");
      marks.push(hides);
      out.push(written);
      if (hides && hidden++ === 0) out.push(`\n${INVISIBLE} Tr\n`);
      changed ||= hides;
    } else if (operator === "EMC") {
      if (marks.pop() && --hidden === 0) out.push(`\n${mode} Tr\n`);
      out.push(written);
    } else if (operator === "q") {
      saved.push({ mode, hidden: hidden > 0 });
      out.push(written);
    } else if (operator === "Q") {
      const before = saved.pop();
      mode = before?.mode ?? mode;
      out.push(written);
      // The restored state has the rendering mode of when it was saved.
      if (hidden > 0 || before?.hidden) out.push(`\n${hidden > 0 ? INVISIBLE : mode} Tr\n`);
    } else if (operator === "Tr") {
      mode = operands[0] ?? mode;
      if (hidden === 0) out.push(written);
    } else if (hidden === 0) out.push(written);
    else out.push(hiddenForm(operator, written));
  }
  return changed ? out.join("") : null;
}

function hiddenForm(operator: string, written: string): string {
  if (PAINTS.has(operator)) return "\nn\n";
  return operator === "Do" || operator === "sh" || operator === "BI" || operator === "EI"
    ? "\n"
    : written;
}
