import { PdfArray, PdfDict, PdfNumber, PdfRef } from "@libpdf/core";
import {
  type PackedSubset,
  type TextFonts,
  baseSubset,
  embedTextFonts,
} from "../font/text-fonts.ts";
import { PadesError } from "../pades-error.ts";
import { type FormField, formFields } from "../pdf/form-fields.ts";
import { type IncrementalUpdate, beginUpdate } from "../pdf/incremental-update.ts";
import {
  type OpenPdf,
  arrayAt,
  dictAt,
  follow,
  nameAt,
  numberAt,
  openPdf,
  requireIncremental,
  textAt,
} from "../pdf/open-pdf.ts";
import type { Box, Rotation } from "../pdf/page-geometry.ts";
import {
  FIELD_LOOKS,
  type Mark,
  type OwnField,
  type PrepareSignatureOptions,
  type PreparedSignature,
} from "../pdf/types.ts";
import { writeDate, writeObject, writeText } from "../pdf/write-object.ts";
import type { Sha256 } from "../ports.ts";
import {
  type Place,
  placeableMark,
  putBoxAppearance,
  putMarkAppearance,
  putSignatureAppearance,
  putTextAppearance,
} from "./field-appearances.ts";
import {
  NO,
  type SignatureSight,
  YES,
  fieldName,
  sayUnplaced,
  signatureFieldName,
} from "./plan-fields.ts";
import { withEntries } from "./prepare-fields.ts";

const DEFAULT_RESERVE_BYTES = 8_192;
const USUAL_HAND = "caveat";
/** An invisible signature embeds nothing. */
const NO_MARK: Mark = { kind: "strokes", strokes: [] };

type Filled = { readonly field: FormField & { readonly ref: PdfRef }; readonly own: OwnField };

/**
 * Prepares a signer's revision: values, appearances, signature field, and room for the CMS.
 * Shape: changes the signer's own fields only; each, blank or not, gets a new appearance.
 * Errors: `field_not_found` for an unprepared file, `pdf_signing_forbidden` for a seed
 * value, `unsupported_character`, `invalid_image`.
 * Source: ISO 32000-2 §12.8.1, §12.8.2.4 (FieldMDP); EN 319 142-1 §6.3.
 */
export async function prepareSignature(
  bytes: Uint8Array,
  options: PrepareSignatureOptions,
): Promise<PreparedSignature> {
  const open = await openPdf(bytes);
  requireIncremental(open);
  const target = findTarget(open, options);
  const { signatureField } = target;
  const update = beginUpdate(open, { deflate: options.deflate });
  const appearance = await drawFields(open, update, { target, options });
  const value = update.allocate();
  update.put(
    signatureField.ref.objectNumber,
    withEntries(signatureField.dict, { V: `${value} 0 R`, AP: `<</N ${appearance} 0 R>>` }),
    signatureField.ref.generation,
  );
  const reserve = options.reserveBytes ?? DEFAULT_RESERVE_BYTES;
  const dictionary = signatureDictionary({
    options: {
      ...options,
      reason: reasonOf(options.reason, target.sight === "invisible" ? target.said : []),
    },
    lock: lockedNames(open, signatureField.dict),
    catalog: writeObject(open.catalogRef),
    reserve,
  });
  update.put(value, dictionary);
  const { bytes: whole, offsets } = update.finish();
  return sealRevision(whole, {
    objectOffset: offsets.get(value) ?? 0,
    reserve,
    sha256: options.sha256,
  });
}

type Target = {
  readonly signatureField: Filled["field"];
  readonly place: Place;
  readonly sight: SignatureSight;
  readonly found: readonly Filled[];
  readonly unplaced: readonly OwnField[];
  readonly said: readonly string[];
};

function findTarget(open: OpenPdf, options: PrepareSignatureOptions): Target {
  const fields = new Map(formFields(open).map((field) => [field.name, field]));
  const signatureField = withRef(
    fields.get(signatureFieldName(options.namePrefix, options.ownerKey)),
  );
  if (!signatureField || signatureField.type !== "Sig")
    throw new PadesError("field_not_found", "Expected a signature field prepared for this signer");
  if (dictAt(open, signatureField.dict, "V"))
    throw new PadesError("field_not_found", "Expected a signature field that is not signed yet");
  // Seed values ask of signers what this service cannot grant.
  if (signatureField.dict.has("SV"))
    throw new PadesError(
      "pdf_signing_forbidden",
      "Expected a signature field that asks nothing of its signer",
      {
        clause: "ISO 32000-2 §12.7.5.5, table 237",
      },
    );
  const found: Filled[] = [];
  const unplaced: OwnField[] = [];
  for (const own of options.ownFields) {
    const field = withRef(fields.get(fieldName(options.namePrefix, own.name)));
    if (field) found.push({ field, own });
    else unplaced.push(own);
  }
  const place = placeOf(open, signatureField.dict);
  const sight = place.rectangle[2] > place.rectangle[0] ? "visible" : "invisible";
  return { signatureField, place, sight, found, unplaced, said: sayUnplaced(unplaced, sight) };
}

async function drawFields(
  open: OpenPdf,
  update: IncrementalUpdate,
  { target, options }: { target: Target; options: PrepareSignatureOptions },
): Promise<number> {
  const { place, sight, found, unplaced, said } = target;
  const lines = sight === "visible" ? [...options.lines, ...said] : [];
  const fonts = await embedTextFonts(update, {
    fonts: options.fonts,
    texts: textsOf(found, lines),
    shared: await sharedFont(open, options),
  });
  const hand = await handFonts(update, { found, options });
  const { mark, initials } = await readyMarks(update, target, options);
  for (const filled of found) {
    const isInitials = filled.own.type === "initials";
    const says = wordsOf((isInitials && options.initials) || options.mark, options.signerName);
    await fillField(open, update, {
      ...filled,
      fonts: FIELD_LOOKS[filled.own.type] === "handwriting" ? hand : fonts,
      mark: isInitials ? initials : mark,
      says,
    });
  }
  const besides =
    initials !== mark && unplaced.some(({ type }) => type === "initials") ? initials : null;
  return putSignatureAppearance(update, place, {
    mark,
    initials: besides,
    lines,
    said: said.length,
    fonts,
  });
}

function handFonts(
  update: IncrementalUpdate,
  { found, options }: { found: readonly Filled[]; options: PrepareSignatureOptions },
) {
  const hand = options.fonts.hands[options.mark.kind === "typed" ? options.mark.hand : USUAL_HAND];
  const texts = valuesOf(found, ["handwriting"]);
  return embedTextFonts(update, {
    fonts: { text: [hand, ...options.fonts.text] },
    texts,
    shared: null,
    resource: "PsH",
  });
}

async function readyMarks(
  update: IncrementalUpdate,
  { sight, found, unplaced }: Target,
  options: PrepareSignatureOptions,
) {
  const count = (type: OwnField["type"], fields: readonly OwnField[]): number =>
    fields.filter((own) => own.type === type).length;
  const own = found.map((filled) => filled.own);
  const signatures = (sight === "visible" ? 1 : 0) + count("signature", own);
  const initials =
    count("initials", own) + (sight === "visible" ? Math.min(1, count("initials", unplaced)) : 0);
  const ready = (mark: Mark, resource: string, places: number) =>
    placeableMark(update, places > 0 ? mark : NO_MARK, { fonts: options.fonts, resource, places });
  if (!options.initials) {
    const mark = await ready(options.mark, "PsI", signatures + count("initials", own));
    return { mark, initials: mark };
  }
  return {
    mark: await ready(options.mark, "PsI", signatures),
    initials: await ready(options.initials, "PsJ", initials),
  };
}

function withRef(field: FormField | undefined): (FormField & { ref: PdfRef }) | null {
  return field?.ref ? { ...field, ref: field.ref } : null;
}

/** Validators display `/Reason`, which carries what an invisible signature cannot show. */
function reasonOf(reason: string | undefined, said: readonly string[]): string {
  return [...(reason ? [reason] : []), ...said].join("\u202f; ");
}

function textsOf(found: readonly Filled[], lines: readonly string[]): readonly string[] {
  return [...lines, ...valuesOf(found, ["line", "lines"])];
}

function valuesOf(
  found: readonly Filled[],
  looks: readonly (typeof FIELD_LOOKS)[OwnField["type"]][],
): readonly string[] {
  return found
    .filter(({ own }) => looks.includes(FIELD_LOOKS[own.type]))
    .map(({ own }) => own.value ?? "");
}

async function sharedFont(
  open: OpenPdf,
  options: PrepareSignatureOptions,
): Promise<{ reference: string; packed: PackedSubset } | null> {
  const packed = await baseSubset(options.fonts);
  const form = dictAt(open, open.catalog, "AcroForm");
  const resources = form ? dictAt(open, form, "DR") : undefined;
  const fonts = resources ? dictAt(open, resources, "Font") : undefined;
  for (const [, value] of fonts ?? []) {
    const font = follow(open, value);
    if (
      value instanceof PdfRef &&
      font instanceof PdfDict &&
      nameAt(open, font, "BaseFont") === packed.baseFont
    ) {
      return { reference: writeObject(value), packed };
    }
  }
  return null;
}

type FillRequest = Filled & {
  readonly fonts: TextFonts;
  readonly mark: Awaited<ReturnType<typeof placeableMark>>;
  readonly says: string;
};

/** A mark's letters, or for a drawing the signer's name. */
function wordsOf(mark: Mark, signerName: string): string {
  return mark.kind === "typed" ? mark.text : signerName;
}

async function fillField(
  open: OpenPdf,
  update: IncrementalUpdate,
  { field, own, fonts, mark, says }: FillRequest,
): Promise<void> {
  const place = placeOf(open, field.dict);
  const { appearance, value } = await appearanceOf(update, place, { own, fonts, mark, says });
  const entries = { V: value === "" ? null : writeText(value), AP: `<</N ${appearance} 0 R>>` };
  update.put(field.ref.objectNumber, withEntries(field.dict, entries), field.ref.generation);
}

async function appearanceOf(
  update: IncrementalUpdate,
  place: Place,
  { own, fonts, mark, says }: Pick<FillRequest, "own" | "fonts" | "mark" | "says">,
): Promise<{ appearance: number; value: string }> {
  const look = FIELD_LOOKS[own.type];
  if (look === "mark")
    return { appearance: await putMarkAppearance(update, place, mark), value: says };
  if (look === "box") {
    const ticked = own.value === "true";
    return {
      appearance: await putBoxAppearance(update, place, ticked ? "ticked" : "empty"),
      value: ticked ? YES : NO,
    };
  }
  const value = own.value ?? "";
  const isByHand = look === "handwriting";
  const lines = look === "line" ? "one" : "many";
  return {
    appearance: await putTextAppearance(update, place, { value, fonts, lines, isByHand }),
    value,
  };
}

export function placeOf(open: OpenPdf, dict: PdfDict): Place {
  const numbers = arrayAt(open, dict, "Rect")
    ?.toArray()
    .map((item) => {
      const number = follow(open, item);
      return number instanceof PdfNumber ? number.value : 0;
    });
  const [a = 0, b = 0, c = 0, d = 0] = numbers ?? [];
  const characteristics = dictAt(open, dict, "MK");
  const rotation = (characteristics ? numberAt(open, characteristics, "R") : undefined) ?? 0;
  const rectangle: Box = [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
  return { rectangle, rotation: ([0, 90, 180, 270].includes(rotation) ? rotation : 0) as Rotation };
}

function lockedNames(open: OpenPdf, field: PdfDict): readonly string[] {
  const lock = dictAt(open, field, "Lock");
  const names = lock ? arrayAt(open, lock, "Fields") : undefined;
  const own = textAt(open, field, "T") ?? "";
  if (!(names instanceof PdfArray)) return [own];
  return names.toArray().flatMap((item) => {
    const name = follow(open, item);
    return name?.type === "string" ? [name.asString()] : [];
  });
}

/** Three numbers as wide as any offset of a table. */
const BYTE_RANGE_ROOM = "0000000000 0000000000 0000000000";
const RANGE_KEY = "/ByteRange[0 ";
const CONTENTS_KEY = "/Contents<";

type SignatureDictionaryRequest = {
  readonly options: Pick<
    PrepareSignatureOptions,
    "signingTime" | "signerName" | "reason" | "location"
  >;
  readonly lock: readonly string[];
  readonly catalog: string;
  readonly reserve: number;
};

/**
 * Room for ByteRange and Contents comes first, so that their places are known. Validators read
 * FieldMDP in /Reference only.
 * Source: ISO 32000-2 §12.8.1 table 255, §12.8.2.4; EN 319 142-1 §6.3.
 */
function signatureDictionary({
  options,
  lock,
  catalog,
  reserve,
}: SignatureDictionaryRequest): string {
  const reason = options.reason ? `/Reason${writeText(options.reason)}` : "";
  const location = options.location ? `/Location${writeText(options.location)}` : "";
  const fields = lock.map(writeText).join("");
  return `<<${placeholders(reserve)}/Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/M${writeDate(options.signingTime)}/Name${writeText(options.signerName)}${reason}${location}/Reference[<</Type/SigRef/TransformMethod/FieldMDP/Data ${catalog}/TransformParams<</Type/TransformParams/V/1.2/Action/Include/Fields[${fields}]>>>>]>>`;
}

/** Source: EN 319 142-1 §5.4.3; ISO 32000-2 §12.8.5. */
export function timestampDictionary(reserve: number): string {
  return `<<${placeholders(reserve)}/Type/DocTimeStamp/Filter/Adobe.PPKLite/SubFilter/ETSI.RFC3161>>`;
}

const placeholders = (reserve: number): string =>
  `${RANGE_KEY}${BYTE_RANGE_ROOM}]${CONTENTS_KEY}${"0".repeat(reserve * 2)}>`;

type SealRequest = {
  readonly objectOffset: number;
  readonly reserve: number;
  readonly sha256?: Sha256 | undefined;
};

/** Digests everything but the Contents string. */
export async function sealRevision(
  bytes: Uint8Array,
  { objectOffset, reserve, sha256 }: SealRequest,
): Promise<PreparedSignature> {
  const rangeAt = bytes.indexOf(0x3c, objectOffset) + 2 + RANGE_KEY.length;
  const contentsAt = rangeAt + BYTE_RANGE_ROOM.length + 1 + CONTENTS_KEY.length - 1;
  const after = contentsAt + reserve * 2 + 2;
  const byteRange = [0, contentsAt, after, bytes.length - after] as const;
  const text = byteRange
    .slice(1)
    .map((value) => String(value).padEnd(10, " "))
    .join(" ");
  for (let index = 0; index < text.length; index += 1)
    bytes[rangeAt + index] = text.charCodeAt(index);
  const digestSha256 = sha256
    ? await sha256([bytes.subarray(0, contentsAt), bytes.subarray(after)])
    : await digestAround(bytes, { from: contentsAt, to: after });
  return {
    bytes,
    byteRange,
    contentsOffset: contentsAt + 1,
    contentsLength: reserve * 2,
    digestSha256,
  };
}

/** Bytes after the gap move over it and back: a copy would cost more than the digest. */
async function digestAround(
  bytes: Uint8Array,
  gap: { from: number; to: number },
): Promise<Uint8Array> {
  const tail = bytes.slice(gap.from);
  bytes.copyWithin(gap.from, gap.to);
  const length = bytes.length - (gap.to - gap.from);
  const digest = await crypto.subtle.digest("SHA-256", bytes.subarray(0, length) as BufferSource);
  bytes.set(tail, gap.from);
  return new Uint8Array(digest);
}
