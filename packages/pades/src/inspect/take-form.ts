import { PdfArray, PdfDict, PdfName, type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import { isShown } from "../annotations/draw-annotations.ts";
import { signedFields } from "../pdf/form-fields.ts";
import { beginUpdate, type IncrementalUpdate, latinBytes } from "../pdf/incremental-update.ts";
import {
  dictAt,
  follow,
  nameAt,
  type OpenPdf,
  openPdf,
  requireIncremental,
  textAt,
} from "../pdf/open-pdf.ts";
import {
  type Box,
  displayedGeometry,
  inheritedAt,
  type Page,
  placeOf,
  readPage,
  rectangleOn,
} from "../pdf/page-geometry.ts";
import type { FoundField, FoundForm, PagePlace, TagCover } from "../pdf/types.ts";
import { freeNumbers } from "../pdf/walk-objects.ts";
import { writeDate, writeNumber, writeObject } from "../pdf/write-object.ts";
import { withEntries } from "../sign/prepare-fields.ts";
import { annotationsOf, createLooks, type Looks, pagesOf } from "./flatten-annotations.ts";
import { openStates, pageContent } from "./flatten-layers.ts";
import { fieldText, flagsOf, frameContent } from "./form-values.ts";
import { rectangleOf } from "./inspect-pdf.ts";

const [MOST_FOUND, MOST_LOOKED_AT] = [5_000, 20_000] as const;
/** Smaller ones are traces of a tool, not places to fill in. Units: points. */
const SMALLEST = 3;
const [LONGEST_NAME, LONGEST_VALUE, MOST_PARENTS] = [200, 2_000, 64] as const;
/** Source: ISO 32000-2 §12.7.4.1, table 227; §12.7.5, tables 229 and 231. */
const [READ_ONLY, REQUIRED, PASSWORD, RADIO, PUSH_BUTTON, FILE] = [
  1, 2, 8_192, 32_768, 65_536, 1_048_576,
] as const;

/**
 * The form's fields that people may fill in, in the order of the pages.
 * Errors: those of `openPdf`.
 */
export async function findForm(bytes: Uint8Array): Promise<FoundForm> {
  const open = await openPdf(bytes);
  if (signedFields(open).length > 0) return { state: "signed", fields: [], isCut: false };
  if (isTaken(open)) return { state: "taken", fields: [], isCut: false };
  const widgets = widgetsToFill(open);
  return {
    state: "usable",
    fields: widgets.slice(0, MOST_FOUND).map(({ field }) => field),
    isCut: widgets.length > MOST_FOUND,
  };
}

/**
 * Replaces a form by its drawing, without the values of the fields that `findForm` gives, and
 * covers text tags. One update: the file's bytes stay its beginning.
 * Errors: those of `openPdf` and `requireIncremental`.
 * Source: ISO 32000-2 §12.5.5, §12.7.3, §14.5.
 */
export async function takeForm(
  bytes: Uint8Array,
  { covers, at }: { readonly covers: readonly TagCover[]; readonly at: Date },
): Promise<Uint8Array> {
  const open = await openPdf(bytes);
  requireIncremental(open);
  const update = beginUpdate(open, { from: freeNumbers(open).from });
  const drawing = {
    update,
    looks: createLooks(open, pagesOf(open)),
    forms: new Map<PdfStream, string>(),
    filled: new Set(widgetsToFill(open).map(({ widget }) => widget)),
    head: update.allocate(),
  };
  await update.putStream(drawing.head, "", latinBytes("q\n"));
  const seen = new Set<PdfRef>();
  for (const [index, ref] of open.pdf.context.pages.getPages().entries()) {
    if (seen.has(ref)) continue;
    seen.add(ref);
    await drawPage(open, readPage(open, ref), {
      ...drawing,
      covers: covers.filter(({ pageNumber }) => pageNumber === index + 1),
    });
  }
  const notes = dictAt(open, open.catalog, "PieceInfo") ?? new PdfDict();
  const taken = `<</LastModified${writeDate(at)}/Private<</Form/Taken>>>>`;
  update.put(
    open.catalogRef.objectNumber,
    withEntries(open.catalog, { AcroForm: null, PieceInfo: withEntries(notes, { [OWN]: taken }) }),
    open.catalogRef.generation,
  );
  return update.finish().bytes;
}

const OWN = "Paraphe";

/** Covered tags can still be read in the page's content. */
function isTaken(open: OpenPdf): boolean {
  const notes = dictAt(open, open.catalog, "PieceInfo");
  const own = notes && dictAt(open, notes, OWN);
  const kept = own && dictAt(open, own, "Private");
  return kept !== undefined && nameAt(open, kept, "Form") === "Taken";
}

type FoundWidget = { readonly widget: PdfDict; readonly field: FoundField };

function widgetsToFill(open: OpenPdf): readonly FoundWidget[] {
  const seen = new Set<PdfDict>();
  const signatures = new Set<string>();
  const found: FoundWidget[] = [];
  let lookedAt = 0;
  for (const [index, ref] of open.pdf.context.pages.getPages().entries()) {
    const page = readPage(open, ref);
    for (const { dict } of annotationsOf(open, page.dict)) {
      if (++lookedAt > MOST_LOOKED_AT || found.length > MOST_FOUND) return found;
      if (seen.has(dict) || nameAt(open, dict, "Subtype") !== "Widget") continue;
      seen.add(dict);
      const place = placeToFill(open, page, dict);
      const field = place && fieldOf(open, dict, { ...place, pageNumber: index + 1 });
      // One signature shown twice is one signature.
      if (!field || (field.type === "signature" && signatures.has(field.name))) continue;
      if (field.type === "signature") signatures.add(field.name);
      found.push({ widget: dict, field });
    }
  }
  return found;
}

/** Within the page; null where nothing can be written. */
function placeToFill(open: OpenPdf, page: Page, widget: PdfDict): PagePlace | null {
  const box = isShown(open, widget) ? rectangleOf(open, widget) : null;
  if (box === null) return null;
  const place = placeOf(page, box);
  const [x, y] = [Math.max(0, place.x), Math.max(0, place.y)];
  const width = Math.min(1, place.x + place.width) - x;
  const height = Math.min(1, place.y + place.height) - y;
  const shown = displayedGeometry(page);
  const isBigEnough = width * shown.width >= SMALLEST && height * shown.height >= SMALLEST;
  return isBigEnough ? { x, y, width, height } : null;
}

function fieldOf(
  open: OpenPdf,
  widget: PdfDict,
  place: PagePlace & { readonly pageNumber: number },
): FoundField | null {
  const kind = follow(open, inheritedAt(open, widget, "FT"));
  const flags = flagsOf(open, widget);
  const name = nameOf(open, widget);
  const label = labelOf(open, widget, name);
  const type = typeOf(kind instanceof PdfName ? kind.value : "", { flags, label });
  const isText = type === "text" || type === "date";
  const value = isText && (flags & PASSWORD) === 0 ? fieldText(open, widget) : "";
  if (type === null || (flags & READ_ONLY) !== 0 || value.length > LONGEST_VALUE) return null;
  const longest = follow(open, inheritedAt(open, widget, "MaxLen"));
  const option = (flags & RADIO) === 0 || type !== "checkbox" ? null : stateNames(open, widget)[0];
  return {
    ...place,
    source: "form",
    name,
    role: null,
    type,
    required: type === "signature" || ((flags & REQUIRED) !== 0 && type !== "checkbox"),
    label: option ? `${label}\u00a0: ${option}` : label,
    value: type === "checkbox" ? tickOf(open, widget) : type === "text" && value ? value : null,
    maxLength: isText && longest?.type === "number" && longest.value > 0 ? longest.value : null,
  };
}

/** A date of signature fills itself in: any other date is a text. */
const SIGNING_DATE =
  /^(?:date|le|fait le|date (?:du jour|de (?:la )?signature|signed)|(?:signature|signing) date)$/i;

function typeOf(
  kind: string,
  { flags, label }: { readonly flags: number; readonly label: string },
): FoundField["type"] | null {
  if (kind === "Sig") return "signature";
  if (kind === "Ch") return "text";
  if (kind === "Btn") return (flags & PUSH_BUTTON) === 0 ? "checkbox" : null;
  if (kind !== "Tx" || (flags & FILE) !== 0) return null;
  return SIGNING_DATE.test(label) ? "date" : "text";
}

/** Of a form whose parents are a circle too. Source: ISO 32000-2 §12.7.4.2. */
function nameOf(open: OpenPdf, widget: PdfDict): string {
  const parts: string[] = [];
  let node: PdfObject | undefined = widget;
  for (let depth = 0; node instanceof PdfDict && depth < MOST_PARENTS; depth += 1) {
    const part = textAt(open, node, "T");
    if (part) parts.unshift(part.slice(0, LONGEST_NAME));
    node = follow(open, node.get("Parent"));
  }
  return parts.join(".").slice(-LONGEST_NAME);
}

/** The words for people, else the name's last part: `page1[0].Nom_usage[0]` is « Nom usage ». */
function labelOf(open: OpenPdf, widget: PdfDict, name: string): string {
  const tip = follow(open, inheritedAt(open, widget, "TU"));
  const own =
    name
      .split(".")
      .at(-1)
      ?.replace(/\[\d+\]$/, "")
      .replaceAll("_", " ") ?? "";
  return oneLine(tip?.type === "string" ? tip.asString() : "") || oneLine(own);
}

function oneLine(text: string): string {
  return text
    .slice(0, 4 * LONGEST_NAME)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, LONGEST_NAME / 2);
}

function stateNames(open: OpenPdf, widget: PdfDict): readonly string[] {
  const looks = dictAt(open, widget, "AP");
  const states = looks && dictAt(open, looks, "N");
  if (states === undefined || states instanceof PdfStream) return [];
  return Array.from(states.keys(), ({ value }) => oneLine(value)).filter((name) => name !== "Off");
}

function tickOf(open: OpenPdf, widget: PdfDict): string | null {
  const state = nameAt(open, widget, "AS") ?? "Off";
  return state !== "Off" && stateNames(open, widget).includes(oneLine(state)) ? "Oui" : null;
}

type Drawing = {
  readonly update: IncrementalUpdate;
  readonly looks: Looks;
  readonly forms: Map<PdfStream, string>;
  readonly filled: ReadonlySet<PdfDict>;
  readonly head: number;
  readonly covers: readonly TagCover[];
};

async function drawPage(open: OpenPdf, page: Page, drawing: Drawing): Promise<void> {
  const { update, covers, head } = drawing;
  const listed = annotationsOf(open, page.dict);
  const kept = listed.filter(({ dict }) => nameAt(open, dict, "Subtype") !== "Widget");
  if (kept.length === listed.length && covers.length === 0) return;
  const objects = new Map<string, string>();
  const widgets = listed.filter((one) => !kept.includes(one));
  const drawn = widgets.map(({ dict }) => drawWidget(open, dict, { drawing, objects })).join("");
  const tail = update.allocate();
  const closing = "Q\n".repeat(openStates(pageContent(open, page.dict)) + 1);
  const content = `\n${closing}${covers.map((cover) => coverContent(page, cover)).join("")}${drawn}`;
  await update.putStream(tail, "", latinBytes(content));
  const before = contentsOf(open, page.dict).map(writeObject);
  const annotations = kept.map(({ item }) => writeObject(item)).join(" ");
  update.put(
    page.ref.objectNumber,
    withEntries(page.dict, {
      Annots: kept.length === 0 ? null : `[${annotations}]`,
      Contents: `[${[`${head} 0 R`, ...before, `${tail} 0 R`].join(" ")}]`,
      Resources: resourcesWith(open, page.dict, objects),
    }),
    page.ref.generation,
  );
}

function contentsOf(open: OpenPdf, page: PdfDict): readonly PdfObject[] {
  const contents = page.get("Contents");
  const value = follow(open, contents);
  if (value instanceof PdfArray) return value.toArray();
  return value instanceof PdfStream && contents instanceof PdfRef ? [contents] : [];
}

function resourcesWith(open: OpenPdf, page: PdfDict, objects: ReadonlyMap<string, string>): string {
  const inherited = follow(open, inheritedAt(open, page, "Resources"));
  const resources = inherited instanceof PdfDict ? inherited : new PdfDict();
  if (objects.size === 0) return withEntries(resources, {});
  const there = dictAt(open, resources, "XObject") ?? new PdfDict();
  return withEntries(resources, { XObject: withEntries(there, Object.fromEntries(objects)) });
}

function coverContent(page: Page, { ground, ...place }: TagCover): string {
  const [left, bottom, right, top] = rectangleOn(page, place);
  const colour = ground.map((part) => writeNumber(part, 3)).join(" ");
  const box = [left, bottom, right - left, top - bottom].map((side) => writeNumber(side, 3));
  return `q ${colour} rg ${box.join(" ")} re f Q\n`;
}

type WidgetDrawing = { readonly drawing: Drawing; readonly objects: Map<string, string> };

/** One to fill in shows its frame or its empty state, any other what it shows. */
function drawWidget(open: OpenPdf, widget: PdfDict, { drawing, objects }: WidgetDrawing): string {
  const box = isShown(open, widget) ? rectangleOf(open, widget) : null;
  if (box === null) return "";
  const kind = follow(open, inheritedAt(open, widget, "FT"));
  const isFilled = drawing.filled.has(widget);
  const isButton = kind instanceof PdfName && kind.value === "Btn";
  if (isFilled && isButton) widget.set("AS", PdfName.of("Off"));
  if (isFilled && !isButton && fieldText(open, widget) !== "") return frame(open, widget, box);
  const look = drawing.looks.of(widget);
  if (look === null) return isFilled ? frame(open, widget, box) : "";
  objects.set(look.name, formReference(open, look.form, drawing));
  return look.operators;
}

function frame(open: OpenPdf, widget: PdfDict, [left, bottom, right, top]: Box): string {
  const content = frameContent(open, widget, { width: right - left, height: top - bottom });
  const at = [left, bottom].map((side) => writeNumber(side, 3)).join(" ");
  return content === "" ? "" : `q 1 0 0 1 ${at} cm ${content} Q\n`;
}

/** Readers take an appearance without a subtype, and no such form of a page. */
function formReference(
  open: OpenPdf,
  form: PdfStream,
  { forms, update }: Pick<Drawing, "forms" | "update">,
): string {
  const own = open.pdf.context.registry.getRef(form);
  const isForm = nameAt(open, form, "Subtype") === "Form";
  const known = isForm && own ? writeObject(own) : forms.get(form);
  if (known !== undefined) return known;
  const number = update.allocate();
  const entries = [...form]
    .filter(([key]) => !["Length", "Type", "Subtype"].includes(key.value))
    .map(([key, value]) => `${writeObject(key)} ${writeObject(value)}`);
  update.putRaw(number, `/Type/XObject/Subtype/Form${entries.join("")}`, form.data);
  forms.set(form, `${number} 0 R`);
  return `${number} 0 R`;
}
