import { PdfArray, PdfDict, type PdfObject, PdfRef } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { arrayAt, dictAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";

/** Which optional content the file shows on screen when it is opened. */
export type Layers = {
  readonly count: number;
  /** Says whether this `/OC` value (a group or a membership) is shown. */
  isShown(value: PdfObject | undefined): boolean;
};

const MAX_DEPTH = 32;
/** An expression may name another one twice, and that one a third twice: what is asked grows with every level. */
const MAX_STEPS = 1_000_000;

/**
 * Reads the layers' default state, as a reader shows them.
 * Errors: PadesError `pdf_too_complex`, from `isShown` too, for expressions that no reader could evaluate.
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
      throw new PadesError("pdf_too_complex", "Expected bearable visibility expressions", { clause: "ISO 32000-2 §8.11.2.2" });
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
      groups instanceof PdfArray ? groups.toArray().flatMap((item) => asDict(open, item)) : groups instanceof PdfDict ? [groups] : [];
    return members.length === 0 || policy(nameAt(open, dict, "P") ?? "AnyOn", members.map(groupShown));
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

/** States that the configuration sets by itself for the screen. */
function viewStates(open: OpenPdf, configuration: PdfDict): Map<PdfDict, boolean> {
  const states = new Map<PdfDict, boolean>();
  for (const application of arrayAt(open, configuration, "AS")?.toArray() ?? []) {
    for (const dict of asDict(open, application)) {
      if (nameAt(open, dict, "Event") !== "View") continue;
      for (const group of (arrayAt(open, dict, "OCGs")?.toArray() ?? []).flatMap((item) => asDict(open, item))) {
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

function evaluate(open: OpenPdf, expression: PdfArray, { depth, shown, step }: Evaluation): boolean {
  step();
  if (depth > MAX_DEPTH) return true;
  const [operator, ...operands] = expression.toArray();
  const values = operands.map((operand) => {
    const value = follow(open, operand);
    return value instanceof PdfArray ? evaluate(open, value, { depth: depth + 1, shown, step }) : shown(operand, depth + 1);
  });
  const name = operator?.type === "name" ? operator.value : "";
  if (name === "Not") return !(values[0] ?? false);
  return name === "Or" ? values.some(Boolean) : values.every(Boolean);
}
