import { PdfDict, PdfStream } from "@libpdf/core";
import { dictAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { type FontCodes, fontCodes } from "./font-codes.ts";
import { contentText } from "./flatten-layers.ts";
import { contentOperations } from "./hide-content.ts";
import { stringBytes } from "./string-bytes.ts";

/** What a look shows in letters, in the order in which they are drawn, null when its fonts do not say; `paints`: something else as well. */
export type ShownText = { readonly text: string | null; readonly paints: boolean };

/** What puts something other than letters on the page. Source: ISO 32000-2 §8.2, table 50. */
const PAINTING = new Set(["S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "sh", "EI"]);
const SHOWING = new Set(["Tj", "TJ", "'", '"']);
/** Rendering modes that show no letter. Source: ISO 32000-2 §9.3.6, table 104. */
const UNSEEN = new Set(["3", "7"]);
const MAX_DEPTH = 4;
/** No field has more letters, blank ones counted: what is longer is not read to its end. Units: characters. */
export const LONGEST_SHOWN = 40_000;

type State = { readonly codes: FontCodes; readonly mode: string };
type Frame = { readonly resources: readonly PdfDict[]; readonly state: State; readonly depth: number };

/** Reads what a look shows. `defaults`: the form's resources, where readers look for fonts that the look does not name. Source: ISO 32000-2 §9.4. */
export function shownText(open: OpenPdf, look: PdfStream, defaults: PdfDict | undefined): ShownText {
  const state = { codes: fontCodes(open, undefined), mode: "0" };
  return readForm(open, look, { resources: defaults ? [defaults] : [], state, depth: 0 });
}

function readForm(open: OpenPdf, form: PdfStream, { resources, state: outer, depth }: Frame): ShownText {
  const own = dictAt(open, form, "Resources");
  const known = own ? [own, ...resources] : resources;
  const saved: State[] = [];
  let state = outer;
  let text: string | null = "";
  let paints = false;
  const add = (more: string | null): void => void (text = text === null || more === null ? null : text + more);
  for (const { operator, operands } of contentOperations(contentText(open, form))) {
    if (text !== null && text.length > LONGEST_SHOWN) break;
    if (operator === "q") saved.push(state);
    else if (operator === "Q") state = saved.pop() ?? outer;
    else if (operator === "Tf") state = { ...state, codes: codesOf(open, known, operands[0]) };
    else if (operator === "Tr") state = { ...state, mode: operands[0] ?? "0" };
    else if (SHOWING.has(operator) && !UNSEEN.has(state.mode)) for (const shown of stringsOf(operands)) add(state.codes(shown));
    else if (operator === "Do") {
      const inner = objectOf(open, known, operands[0]);
      const isForm = inner !== null && nameAt(open, inner, "Subtype") === "Form";
      const shown = isForm && depth < MAX_DEPTH ? readForm(open, inner, { resources: known, state, depth: depth + 1 }) : null;
      add(isForm ? (shown?.text ?? null) : "");
      paints ||= shown?.paints ?? true;
    } else if (PAINTING.has(operator)) paints = true;
  }
  return { text, paints };
}

const stringsOf = (operands: readonly string[]): string[] => operands.filter((one) => /^(?:\(|<(?!<))/.test(one)).map(stringBytes);

const READ = new WeakMap<PdfDict, FontCodes>();

function codesOf(open: OpenPdf, resources: readonly PdfDict[], operand: string | undefined): FontCodes {
  const font = named(open, resources, { kind: "Font", operand });
  if (!(font instanceof PdfDict)) return fontCodes(open, undefined);
  const codes = READ.get(font) ?? fontCodes(open, font);
  READ.set(font, codes);
  return codes;
}

function objectOf(open: OpenPdf, resources: readonly PdfDict[], operand: string | undefined): PdfStream | null {
  const found = named(open, resources, { kind: "XObject", operand });
  return found instanceof PdfStream ? found : null;
}

function named(
  open: OpenPdf,
  resources: readonly PdfDict[],
  { kind, operand }: { readonly kind: string; readonly operand: string | undefined },
) {
  const name = operand?.slice(1).replace(/#([0-9A-Fa-f]{2})/g, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) ?? "";
  for (const one of resources) {
    const found = follow(open, dictAt(open, one, kind)?.get(name));
    if (found !== undefined) return found;
  }
  return undefined;
}
