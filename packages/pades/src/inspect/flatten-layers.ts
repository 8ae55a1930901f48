import {
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
} from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { latinText, spend, stringEnd } from "../pdf/byte-reader.ts";
import { decodedData, decodingBudget } from "../pdf/deflate.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { type OpenPdf, arrayAt, dictAt, follow, nameAt, numberAt } from "../pdf/open-pdf.ts";
import { inheritedAt } from "../pdf/page-geometry.ts";
import { eachDict } from "../pdf/walk-objects.ts";

type Layers = {
  readonly count: number;
  isShown(value: PdfObject | undefined): boolean;
};

const MAX_DEPTH = 32;
/** Shared subexpressions make the work grow exponentially. */
const MAX_STEPS = 1_000_000;

/**
 * Reads the layers' default state.
 * Errors: `pdf_too_complex`, also from `isShown`, for too large expressions.
 * Source: ISO 32000-2 §8.11.2, §8.11.4.3, §8.11.4.5.
 */
export function readLayers(open: OpenPdf): Layers {
  const properties = dictAt(open, open.catalog, "OCProperties");
  const configuration = (properties ? dictAt(open, properties, "D") : undefined) ?? new PdfDict();
  const listed = (dict: PdfDict, key: string): Set<PdfDict> =>
    new Set((arrayAt(open, dict, key)?.toArray() ?? []).flatMap((item) => asDict(open, item)));
  const [on, off] = [listed(configuration, "ON"), listed(configuration, "OFF")];
  const usage = viewStates(open, configuration);
  const baseOff = nameAt(open, configuration, "BaseState") === "OFF";
  const groupShown = (group: PdfDict): boolean => {
    const state = usage.get(group);
    if (state !== undefined) return state;
    return off.has(group) ? false : on.has(group) || !baseOff;
  };
  let steps = 0;
  const step = (): void => {
    steps += 1;
    if (steps > MAX_STEPS)
      throw new PadesError("pdf_too_complex", "Expected bearable visibility expressions", {
        clause: "ISO 32000-2 §8.11.2.2",
      });
  };
  const shown = (value: PdfObject | undefined, depth: number): boolean => {
    step();
    const dict = follow(open, value);
    if (!(dict instanceof PdfDict) || depth > MAX_DEPTH || !properties) return true;
    if (nameAt(open, dict, "Type") !== "OCMD") return groupShown(dict);
    const expression = arrayAt(open, dict, "VE");
    if (expression) return evaluate(open, expression, { depth, shown, step });
    const groups = follow(open, dict.get("OCGs"));
    const members =
      groups instanceof PdfArray
        ? groups.toArray().flatMap((item) => asDict(open, item))
        : groups instanceof PdfDict
          ? [groups]
          : [];
    return (
      members.length === 0 || policy(nameAt(open, dict, "P") ?? "AnyOn", members.map(groupShown))
    );
  };
  return {
    count: properties ? (arrayAt(open, properties, "OCGs")?.length ?? 0) : 0,
    isShown: (value) => shown(value, 0),
  };
}

const asDict = (open: OpenPdf, value: PdfObject): PdfDict[] => {
  const dict = value instanceof PdfRef ? follow(open, value) : value;
  return dict instanceof PdfDict ? [dict] : [];
};

function viewStates(open: OpenPdf, configuration: PdfDict): Map<PdfDict, boolean> {
  const states = new Map<PdfDict, boolean>();
  for (const application of arrayAt(open, configuration, "AS")?.toArray() ?? []) {
    for (const dict of asDict(open, application)) {
      if (nameAt(open, dict, "Event") !== "View") continue;
      for (const group of (arrayAt(open, dict, "OCGs")?.toArray() ?? []).flatMap((item) =>
        asDict(open, item),
      )) {
        const usage = dictAt(open, group, "Usage");
        const view = usage ? dictAt(open, usage, "View") : undefined;
        const state = view ? nameAt(open, view, "ViewState") : undefined;
        if (state) states.set(group, state !== "OFF");
      }
    }
  }
  return states;
}

/** Source: ISO 32000-2 §8.11.2.2, table 97. */
function policy(name: string, states: readonly boolean[]): boolean {
  if (name === "AllOn") return states.every(Boolean);
  if (name === "AnyOff") return states.some((state) => !state);
  if (name === "AllOff") return states.every((state) => !state);
  return states.some(Boolean);
}

type Evaluation = {
  readonly depth: number;
  readonly shown: (value: PdfObject | undefined, depth: number) => boolean;
  readonly step: () => void;
};

function evaluate(
  open: OpenPdf,
  expression: PdfArray,
  { depth, shown, step }: Evaluation,
): boolean {
  step();
  if (depth > MAX_DEPTH) return true;
  const [operator, ...operands] = expression.toArray();
  const values = operands.map((operand) => {
    const value = follow(open, operand);
    return value instanceof PdfArray
      ? evaluate(open, value, { depth: depth + 1, shown, step })
      : shown(operand, depth + 1);
  });
  const name = operator?.type === "name" ? operator.value : "";
  if (name === "Not") return !(values[0] ?? false);
  return name === "Or" ? values.some(Boolean) : values.every(Boolean);
}

export function emptyForm(stream: PdfStream): void {
  for (const key of Array.from(stream.keys())) if (key.value !== "Length") stream.delete(key.value);
  stream.set("Type", PdfName.of("XObject"));
  stream.set("Subtype", PdfName.of("Form"));
  stream.set("BBox", new PdfArray([0, 0, 0, 0].map((value) => PdfNumber.of(value))));
  stream.setData(new Uint8Array());
}

/** Annotation flag Hidden. Source: ISO 32000-2 §12.5.3. */
const HIDDEN = 2;

const READING_COST = 4;

/** Removes hidden content and the layers themselves. Source: ISO 32000-2 §8.11. */
export function flattenLayers(open: OpenPdf): void {
  const layers = readLayers(open);
  if (!open.catalog.has("OCProperties")) return;
  for (const ref of open.pdf.context.pages.getPages()) {
    const page = follow(open, ref);
    if (page instanceof PdfDict) flattenPage(open, page, layers);
  }
  for (const dict of eachDict(open)) {
    if (dict instanceof PdfStream && nameAt(open, dict, "Subtype") === "Form")
      flattenStream(open, dict, layers);
    if (dict instanceof PdfStream && numberAt(open, dict, "PatternType") === 1)
      flattenStream(open, dict, layers);
    if (dict.has("OC")) takeOut(open, dict, layers);
  }
  open.catalog.delete("OCProperties");
}

function flattenPage(open: OpenPdf, page: PdfDict, layers: Layers): void {
  const resources = follow(open, inheritedAt(open, page, "Resources"));
  const isHidden = decideHidden(open, resources instanceof PdfDict ? resources : undefined, layers);
  const flat = withoutHidden(pageContent(open, page), isHidden);
  if (flat !== null)
    page.set("Contents", open.pdf.context.register(new PdfStream([], latinBytes(flat))));
}

export function pageContent(open: OpenPdf, page: PdfDict): string {
  const contents = follow(open, page.get("Contents"));
  const parts: readonly (PdfObject | undefined)[] =
    contents instanceof PdfArray
      ? contents.toArray().map((item) => follow(open, item))
      : [contents];
  return parts
    .flatMap((part) => (part instanceof PdfStream ? [contentText(open, part)] : []))
    .join("\n");
}

/** Charges the budget again, as reading words costs more than decoding. */
export function contentText(open: OpenPdf, stream: PdfStream): string {
  const data = decodedData(stream, decodingBudget(open));
  spend(decodingBudget(open), data.length * READING_COST);
  return latinText(data);
}

function flattenStream(open: OpenPdf, stream: PdfStream, layers: Layers): void {
  const resources = dictAt(open, stream, "Resources");
  if (!resources || !dictAt(open, resources, "Properties")) return;
  const flat = withoutHidden(contentText(open, stream), decideHidden(open, resources, layers));
  if (flat !== null) stream.setData(latinBytes(flat));
}

function decideHidden(
  open: OpenPdf,
  resources: PdfDict | undefined,
  layers: Layers,
): (property: string) => boolean {
  const properties = resources ? dictAt(open, resources, "Properties") : undefined;
  return (property) =>
    properties !== undefined &&
    properties.has(property) &&
    !layers.isShown(properties.get(property));
}

function takeOut(open: OpenPdf, dict: PdfDict, layers: Layers): void {
  const shown = layers.isShown(dict.get("OC"));
  dict.delete("OC");
  if (shown) return;
  if (!(dict instanceof PdfStream)) {
    if (arrayAt(open, dict, "Rect"))
      dict.set("F", PdfNumber.of((numberAt(open, dict, "F") ?? 0) | HIDDEN));
    return;
  }
  emptyForm(dict);
}

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

/** Source: ISO 32000-2 §7.8.2, §8.9.7. */
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

/** Counts the graphics states that a content leaves saved. */
export function openStates(text: string): number {
  let depth = 0;
  for (const { operator } of contentOperations(text)) {
    if (operator === "q") depth += 1;
    else if (operator === "Q") depth = Math.max(0, depth - 1);
  }
  return depth;
}

/**
 * Operators of the graphics state stay, so nothing else moves; null when nothing is hidden.
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
