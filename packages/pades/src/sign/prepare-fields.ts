import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import { displayedSize, formEntries } from "../appearance/content.ts";
import { baseSubset, embedFont } from "../font/text-fonts.ts";
import { PadesError } from "../pades-error.ts";
import { certificationLevel, formFields, signedFields } from "../pdf/form-fields.ts";
import { freeNumbers } from "../pdf/walk-objects.ts";
import { beginUpdate, type IncrementalUpdate } from "../pdf/incremental-update.ts";
import {
  arrayAt,
  dictAt,
  follow,
  type OpenPdf,
  openPdf,
  requireIncremental,
} from "../pdf/open-pdf.ts";
import { type Box, type Page, pageAt, readPage, rectangleOn } from "../pdf/page-geometry.ts";
import { FIELD_LOOKS, type FieldPlacement, type PrepareFieldsOptions } from "../pdf/types.ts";
import { writeNumber, writeObject, writeText } from "../pdf/write-object.ts";
import { carrierOf, fieldName, furtherPlace, signatureFieldName } from "./plan-fields.ts";

/**
 * Null for a direct form, and for one that is also the information dictionary.
 * Tolerance: PyPDF2 makes one object of both.
 */
export function formReference(open: OpenPdf): PdfRef | null {
  const [form, information] = [open.catalog.get("AcroForm"), open.trailer.get("Info")];
  if (!(form instanceof PdfRef)) return null;
  return information instanceof PdfRef && information.objectNumber === form.objectNumber
    ? null
    : form;
}

/** Print; a signature's also locked. Source: ISO 32000-2 §12.5.3, table 167. */
const FLAGS = { field: 4, signature: 132 } as const;
/**
 * Read-only, as values come from the service; multi-line for free text.
 * Source: ISO 32000-2 §12.7.4.1, §12.7.5.3.
 */
const FIELD_FLAGS = { line: 1, text: 1 | 4096 } as const;
const SHARED_FONT = "PsF";
/** Each missing number is a row of this revision. */
const MOST_MISSING = 1_000;

type SignaturePlan = {
  readonly ownerKey: string;
  readonly placement: FieldPlacement | null;
  readonly names: readonly string[];
};
type Widget = { readonly number: number; readonly page: Page };

/**
 * Prepares every field of every signer in one update: later signers only fill and sign.
 * Shape: one signature field for each owner; other signature and initials places are text fields. A
 * signed file gets only signature fields, a certified one invisible ones.
 * Errors: `pdf_damaged`, `pdf_encrypted`, `pdf_signing_forbidden`, `field_not_found`,
 * `pdf_of_this_envelope`.
 * Source: ISO 32000-2 §7.5.6, §12.7.4; §12.7.5.5 (Lock).
 */
export async function prepareFields(
  bytes: Uint8Array,
  options: PrepareFieldsOptions,
): Promise<Uint8Array> {
  return prepareOpened(await openPdf(bytes), options);
}

export async function prepareOpened(
  open: OpenPdf,
  options: PrepareFieldsOptions,
): Promise<Uint8Array> {
  requireIncremental(open);
  refuseOwnFields(open, options.namePrefix);
  const room = roomIn(open);
  const plans = signaturePlans(options, room);
  const { from, missing } = freeNumbers(open);
  const update = beginUpdate(open, { from });
  putMissing(update, missing);
  const widgets: Widget[] = [];
  for (const plan of plans) widgets.push(await putSignatureField(open, update, { plan, options }));
  if (room === "every_field") {
    const carried = new Set(plans.map(({ placement }) => placement?.name));
    for (const field of options.fields)
      if (!carried.has(field.name))
        widgets.push(await putTextField(open, update, { field, options }));
  }
  const indirect = room === "every_field" ? indirectly(update) : writeObject;
  putAnnotations(open, update, { widgets, indirect });
  const font =
    room !== "every_field" ? null : await embedFont(update, await baseSubset(options.fonts));
  putForm(open, update, { fields: widgets.map(({ number }) => number), font, indirect });
  return update.finish().bytes;
}

/** Two fields of one name are one field (ISO 32000-2 §12.7.4.2). */
export function refuseOwnFields(open: OpenPdf, namePrefix: string): void {
  const start = fieldName(namePrefix, "");
  if (formFields(open).some(({ name }) => name.startsWith(start)))
    throw new PadesError("pdf_of_this_envelope", "Expected a file without fields of this name", {
      clause: "ISO 32000-2 §12.7.4.2",
    });
}

/** Validators that compare revisions look for each object, and give up on a missing one. */
function putMissing(update: IncrementalUpdate, missing: readonly number[]): void {
  for (const number of missing.slice(0, MOST_MISSING)) update.put(number, "null");
}

/** What may be added without harm to a signature of the file. */
type Room = "every_field" | "signatures" | "invisible_signatures";

/**
 * A signed file gets signature fields only. A visible field in a certified file is the EAA and SSA
 * attacks: validators reject it.
 * Source: ISO 32000-2 §12.8.2.2, table 257; Rohlmann et al., "Breaking the Specification: PDF
 * Certification".
 */
function roomIn(open: OpenPdf): Room {
  const certification = certificationLevel(open);
  if (certification === 1)
    throw new PadesError("pdf_signing_forbidden", "Expected a certification that allows signing", {
      clause: "ISO 32000-2 §12.8.2.2",
    });
  if (certification !== null) return "invisible_signatures";
  return signedFields(open).length > 0 ? "signatures" : "every_field";
}

function signaturePlans(options: PrepareFieldsOptions, room: Room): readonly SignaturePlan[] {
  const owners = new Set([
    ...(options.ownerKeys ?? []),
    ...options.fields.map(({ ownerKey }) => ownerKey),
  ]);
  return [...owners].map((ownerKey) => {
    const own = options.fields.filter((field) => field.ownerKey === ownerKey);
    const asked = carrierOf(own) ?? null;
    const carrier = room === "signatures" ? furtherPlace(own) : asked;
    const others =
      room === "every_field"
        ? own
            .filter((field) => field !== asked)
            .map(({ name }) => fieldName(options.namePrefix, name))
        : [];
    return {
      ownerKey,
      placement: room === "invisible_signatures" ? null : carrier,
      names: [signatureFieldName(options.namePrefix, ownerKey), ...others],
    };
  });
}

async function putSignatureField(
  open: OpenPdf,
  update: IncrementalUpdate,
  { plan, options }: { plan: SignaturePlan; options: PrepareFieldsOptions },
): Promise<Widget> {
  const page = pageAt(open, plan.placement?.pageNumber ?? 1);
  const rectangle: Box = plan.placement ? rectangleOn(page, plan.placement) : [0, 0, 0, 0];
  const [number, lock, appearance] = [update.allocate(), update.allocate(), update.allocate()];
  update.put(
    lock,
    `<</Type/SigFieldLock/Action/Include/Fields[${plan.names.map(writeText).join("")}]>>`,
  );
  await update.putStream(
    appearance,
    formEntries(displayedSize(rectangle, page.rotation), page.rotation, ""),
    new Uint8Array(),
  );
  const tooltip = plan.placement?.tooltip ?? "Signature";
  const name = signatureFieldName(options.namePrefix, plan.ownerKey);
  update.put(
    number,
    `<</Type/Annot/Subtype/Widget/FT/Sig/T${writeText(name)}/TU${writeText(tooltip)}${placed(page, rectangle)}/F ${FLAGS.signature}/Lock ${lock} 0 R/AP<</N ${appearance} 0 R>>>>`,
  );
  return { number, page };
}

async function putTextField(
  open: OpenPdf,
  update: IncrementalUpdate,
  { field, options }: { field: FieldPlacement; options: PrepareFieldsOptions },
): Promise<Widget> {
  const page = pageAt(open, field.pageNumber);
  const rectangle = rectangleOn(page, field);
  const [number, appearance] = [update.allocate(), update.allocate()];
  await update.putStream(
    appearance,
    formEntries(displayedSize(rectangle, page.rotation), page.rotation, ""),
    new Uint8Array(),
  );
  const look = FIELD_LOOKS[field.type];
  const flags = look === "lines" || look === "handwriting" ? FIELD_FLAGS.text : FIELD_FLAGS.line;
  update.put(
    number,
    `<</Type/Annot/Subtype/Widget/FT/Tx/T${writeText(fieldName(options.namePrefix, field.name))}/TU${writeText(field.tooltip)}${placed(page, rectangle)}/F ${FLAGS.field}/Ff ${flags}/DA(/${SHARED_FONT} 0 Tf 0 g)/AP<</N ${appearance} 0 R>>>>`,
  );
  return { number, page };
}

function placed(page: Page, rectangle: Box): string {
  const turned = page.rotation === 0 ? "" : `/MK<</R ${page.rotation}>>`;
  return `/Rect[${rectangle.map((value) => writeNumber(value, 3)).join(" ")}]/P ${writeObject(page.ref)}${turned}`;
}

/** Validators that compare revisions follow objects only: a direct dictionary looks altered. */
const indirectly =
  (update: IncrementalUpdate) =>
  (item: PdfObject): string => {
    if (!(item instanceof PdfDict)) return writeObject(item);
    const number = update.allocate();
    update.put(number, writeObject(item));
    return `${number} 0 R`;
  };

type Added = {
  readonly widgets: readonly Widget[];
  readonly indirect: (item: PdfObject) => string;
};

function putAnnotations(
  open: OpenPdf,
  update: IncrementalUpdate,
  { widgets, indirect }: Added,
): void {
  const pages = new Map<PdfRef, { page: Page; numbers: number[] }>();
  for (const { page, number } of widgets) {
    const entry = pages.get(page.ref) ?? { page, numbers: [] };
    entry.numbers.push(number);
    pages.set(page.ref, entry);
  }
  for (const ref of indirect === writeObject ? [] : open.pdf.context.pages.getPages()) {
    const page = pages.has(ref) ? null : readPage(open, ref);
    if (page && arrayAt(open, page.dict, "Annots")?.toArray().some(isWrittenInPlace))
      pages.set(ref, { page, numbers: [] });
  }
  for (const { page, numbers } of pages.values()) {
    const listed = page.dict.get("Annots");
    const array = follow(open, listed);
    const items = [
      ...(array instanceof PdfArray ? array.toArray().map(indirect) : []),
      ...numbers.map((number) => `${number} 0 R`),
    ];
    const syntax = `[${items.join(" ")}]`;
    if (listed instanceof PdfRef && array instanceof PdfArray)
      update.put(listed.objectNumber, syntax, listed.generation);
    else
      update.put(
        page.ref.objectNumber,
        withEntries(page.dict, { Annots: syntax }),
        page.ref.generation,
      );
  }
}

const isWrittenInPlace = (item: PdfObject): boolean => item instanceof PdfDict;

/**
 * A dictionary's syntax with entries replaced, added, or (null) removed.
 * Errors: `pdf_damaged` for a stream, whose data would be lost.
 */
export function withEntries(
  dict: PdfDict,
  entries: Readonly<Record<string, string | null>>,
): string {
  if (dict instanceof PdfStream)
    throw new PadesError("pdf_damaged", "Expected a dictionary, met a stream");
  const kept = [...dict]
    .filter(([key]) => !Object.hasOwn(entries, key.value))
    .map(([key, value]) => `${writeObject(key)} ${writeObject(value)}`);
  const changed = Object.entries(entries).flatMap(([key, value]) =>
    value === null ? [] : [`/${key} ${value}`],
  );
  return `<<${[...kept, ...changed].join(" ")}>>`;
}

/** Source: ISO 32000-2 §12.7.3. */
function putForm(
  open: OpenPdf,
  update: IncrementalUpdate,
  added: { fields: readonly number[]; font: number | null; indirect: Added["indirect"] },
): void {
  const listed = formReference(open);
  const form = dictAt(open, open.catalog, "AcroForm") ?? new PdfDict();
  const fields = arrayAt(open, form, "Fields")?.toArray().map(added.indirect) ?? [];
  const entries: Record<string, string | null> = {
    Fields: `[${[...fields, ...added.fields.map((number) => `${number} 0 R`)].join(" ")}]`,
    // SignaturesExist and AppendOnly. Source: ISO 32000-2 §12.7.3, table 225.
    SigFlags: "3",
  };
  if (added.font !== null) {
    // An unsigned file's fields have appearances by now; a signed file keeps its own.
    entries.NeedAppearances = null;
    entries.DR = resourcesWithFont(open, form, added.font);
    if (!form.has("DA")) entries.DA = `(/${SHARED_FONT} 0 Tf 0 g)`;
  }
  const syntax = withEntries(form, entries);
  if (listed) update.put(listed.objectNumber, syntax, listed.generation);
  else {
    const number = update.allocate();
    update.put(number, syntax);
    update.put(
      open.catalogRef.objectNumber,
      withEntries(open.catalog, { AcroForm: `${number} 0 R` }),
      open.catalogRef.generation,
    );
  }
}

function resourcesWithFont(open: OpenPdf, form: PdfDict, font: number): string {
  const resources = dictAt(open, form, "DR") ?? new PdfDict();
  const fonts = dictAt(open, resources, "Font") ?? new PdfDict();
  // A file prepared before has its own PsF; content tells ours.
  const name = [
    SHARED_FONT,
    ...Array.from({ length: 99 }, (_, index) => `${SHARED_FONT}${index}`),
  ].find((candidate) => !fonts.has(candidate));
  return withEntries(resources, {
    Font: withEntries(fonts, { [name ?? SHARED_FONT]: `${font} 0 R` }),
  });
}
