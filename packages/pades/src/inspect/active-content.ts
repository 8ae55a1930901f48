import { PdfArray, PdfDict, PdfStream } from "@libpdf/core";
import { ownEntry } from "../own-entry.ts";
import { dictAt, follow, nameAt, type OpenPdf, textAt } from "../pdf/open-pdf.ts";
import type { FindingCode } from "../pdf/types.ts";
import { emptyForm } from "./empty-form.ts";
import { isProgram } from "./program-file.ts";
import { isUnsafeAddress } from "./unsafe-address.ts";
import { eachDict } from "./walk-objects.ts";

/** What the object graph holds besides pages. */
export type ActiveContent = { readonly counts: ReadonlyMap<FindingCode, number>; readonly executableAttachments: number };

/** Actions by what they do; links (URI) and jumps inside the document stay. Source: ISO 32000-2 §12.6.4, table 201. */
const ACTIONS: Readonly<Record<string, FindingCode>> = {
  JavaScript: "javascript",
  Launch: "launch_action",
  GoToR: "external_action",
  GoToE: "external_action",
  SubmitForm: "external_action",
  ImportData: "external_action",
  ResetForm: "external_action",
  Hide: "hidden_layers",
  SetOCGState: "hidden_layers",
  Rendition: "multimedia",
  Movie: "multimedia",
  Sound: "multimedia",
  RichMediaExecute: "multimedia",
};
/**
 * What a stream shows that stands in another file, or that is printed instead of it: readers differ in what they do with it.
 * Source: ISO 32000-2 §7.3.8.2 (external data), §8.10.4 (reference XObjects), §8.9.5.4 (alternate images), §14.11.7 (OPI);
 * ISO 32000-1 §8.8.2, §8.10.1 (PostScript in a form, which printers run).
 */
type Elsewhere = { readonly code: FindingCode; readonly keys: readonly string[]; isThere(open: OpenPdf, stream: PdfStream): boolean };
const ELSEWHERE: readonly Elsewhere[] = [
  { code: "external_action", keys: ["F", "FFilter", "FDecodeParms"], isThere: (_open, stream) => stream.has("F") },
  { code: "external_action", keys: ["Ref"], isThere: (open, stream) => nameAt(open, stream, "Subtype") === "Form" && stream.has("Ref") },
  {
    code: "alternate_images",
    keys: ["Alternates"],
    isThere: (open, stream) => nameAt(open, stream, "Subtype") === "Image" && stream.has("Alternates"),
  },
  { code: "reader_dependent", keys: ["OPI"], isThere: (_open, stream) => stream.has("OPI") },
  {
    code: "reader_dependent",
    keys: ["Subtype2", "PS"],
    isThere: (open, stream) => nameAt(open, stream, "Subtype") === "Form" && (stream.has("Subtype2") || stream.has("PS")),
  },
];
/** Printers run these, screens show nothing of them. Source: ISO 32000-1 §8.8.2. */
const isPostScript = (open: OpenPdf, dict: PdfDict): dict is PdfStream =>
  dict instanceof PdfStream && nameAt(open, dict, "Subtype") === "PS";
/** Transfer functions change every colour, where they are applied at all. Source: ISO 32000-2 §10.5, table 57. */
const TRANSFERS = ["TR", "TR2"] as const;
/** What a normalised copy no longer holds. */
const REMOVED: ReadonlySet<FindingCode> = new Set([
  "javascript",
  "launch_action",
  "external_action",
  "alternate_images",
  "hidden_layers",
  "structure_rebuilt",
  "portfolio",
  "reader_dependent",
  "form_values",
]);
const MULTIMEDIA = new Set(["RichMedia", "Screen", "3D", "Movie", "Sound"]);
/** Says whether this kind of finding is removed by the normalised copy. */
export const isRemoved = (code: FindingCode): boolean => REMOVED.has(code);

/**
 * Looks through every object that the trailer reaches, names decoded: never a search in the text of the file.
 * Errors: PadesError `pdf_too_complex` when the graph is deeper or larger than any honest file.
 */
export function activeContent(open: OpenPdf): ActiveContent {
  const counts = new Map<FindingCode, number>();
  const count = (code: FindingCode): void => void counts.set(code, (counts.get(code) ?? 0) + 1);
  let executableAttachments = 0;
  // ISO 32000-2 §12.3.5: some readers show what is attached instead of the pages.
  if (open.catalog.has("Collection")) count("portfolio");
  for (const dict of eachDict(open)) {
    const action = actionFinding(open, dict);
    if (action) count(action);
    // ISO 32000-2 §7.3.8.2: required. Readers guess where such a stream ends, each in its own way.
    if (dict instanceof PdfStream && !dict.has("Length")) count("structure_rebuilt");
    if (dict instanceof PdfStream) for (const { code, isThere } of ELSEWHERE) if (isThere(open, dict)) count(code);
    if (isPostScript(open, dict) || transferringStates(open, dict).length > 0) count("reader_dependent");
    if (MULTIMEDIA.has(nameAt(open, dict, "Subtype") ?? "")) count("multimedia");
    if (dictAt(open, dict, "EF") === undefined) continue;
    count("attachments");
    if (isProgram(open, dict)) executableAttachments += 1;
  }
  return { counts, executableAttachments };
}

/**
 * Gives what kind of action a dictionary is; null when it is none, or a harmless one. A script counts wherever it stands (§12.6.4.14 gives renditions one),
 * and `/S` before `/Type`, which readers do not ask for (§12.6.2: optional).
 */
export function actionFinding(open: OpenPdf, dict: PdfDict): FindingCode | null {
  const kind = nameAt(open, dict, "S");
  if (dict.has("JS") || kind === "JavaScript") return "javascript";
  if (kind === "Thread") return dict.has("F") ? "external_action" : null;
  if (kind === "URI") return isUnsafeAddress(textAt(open, dict, "URI")) ? "external_action" : null;
  // What every relative address is completed with (§12.6.4.8, table 211).
  if (kind === undefined && isUnsafeAddress(textAt(open, dict, "Base"))) return "external_action";
  const type = nameAt(open, dict, "Type");
  const found = ownEntry(ACTIONS, kind ?? "") ?? null;
  // `/S /Sound` and the like also name other things than actions, in dictionaries of a type of their own.
  return type === undefined || type === "Action" || ALWAYS_ACTIONS.has(kind ?? "") ? found : null;
}

/** Kinds that name nothing but an action. */
const ALWAYS_ACTIONS = new Set(["Launch", "GoToR", "GoToE", "SubmitForm", "ImportData", "ResetForm", "SetOCGState", "RichMediaExecute"]);

/** Gives the graphics states that resources name, or a shading's own, where these change colours by a function: a name is a plain one. */
function transferringStates(open: OpenPdf, dict: PdfDict): readonly PdfDict[] {
  const named = dictAt(open, dict, "ExtGState");
  if (named === undefined) return [];
  return [named, ...Array.from(named, ([, value]) => follow(open, value))].filter(
    (state): state is PdfDict =>
      state instanceof PdfDict && TRANSFERS.some((key) => [PdfDict, PdfArray].some((kind) => follow(open, state.get(key)) instanceof kind)),
  );
}

/** Has a dictionary show its own data, everywhere, and in its own colours. */
export function keepOwnData(open: OpenPdf, dict: PdfDict): void {
  for (const state of transferringStates(open, dict)) for (const key of TRANSFERS) state.delete(key);
  if (!(dict instanceof PdfStream)) return;
  if (isPostScript(open, dict)) emptyForm(dict);
  for (const { keys, isThere } of ELSEWHERE) if (isThere(open, dict)) for (const key of keys) dict.delete(key);
}
