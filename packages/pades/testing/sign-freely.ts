import { PdfDict } from "@libpdf/core";
import { concatBytes } from "../src/asn1/der-writer.ts";
import { toHex } from "../src/asn1/hex.ts";
import { beginUpdate, latinBytes } from "../src/pdf/incremental-update.ts";
import { latinText } from "../src/pdf/byte-reader.ts";
import { arrayAt, dictAt, openPdf } from "../src/pdf/open-pdf.ts";
import { pageAt } from "../src/pdf/page-geometry.ts";
import { writeDate, writeObject } from "../src/pdf/write-object.ts";
import { withEntries } from "../src/sign/prepare-fields.ts";
import { TEST_NOW } from "./test-pki.ts";

const RESERVE = 16_384;
const RANGE_ROOM = "0000000000 0000000000 0000000000 0000000000";

export type FreeSignature = {
  /** Makes the CMS over these bytes. */
  readonly cms: (covered: Uint8Array) => Promise<Uint8Array>;
  readonly fieldName?: string;
  readonly rect?: string;
  readonly subFilter?: string;
  /** Certifies with this level. */
  readonly certification?: number;
  /** The levels that its references give, where they are not that one. */
  readonly levels?: readonly number[];
  /** The range that is written and signed; the right one when absent. `gap` is where the Contents string is. */
  readonly range?: (gap: { from: number; to: number; end: number }) => readonly number[];
  readonly type?: string;
  /** `/Reference` as it is. */
  readonly reference?: string;
  /** Entries of the field, and of its value, besides the usual ones. */
  readonly fieldExtra?: string;
  readonly valueExtra?: string;
  /** Entries of the form besides its fields. */
  readonly formExtra?: string;
  /** Writes this entry of the value as an object of its own. */
  readonly indirect?: "ByteRange" | "Contents";
  /** Changes the whole file's text before it is signed, its length kept: what came before is another maker's, right or wrong. */
  readonly change?: (text: string) => string;
};

/** Signs as any maker of signatures could, in one revision, right or wrong: for what our own writer refuses to make. */
export async function signFreely(bytes: Uint8Array, options: FreeSignature): Promise<Uint8Array> {
  const open = await openPdf(bytes);
  const update = beginUpdate(open);
  const [field, value, form] = [update.allocate(), update.allocate(), update.allocate()];
  const page = pageAt(open, 1);
  const { certification, subFilter = "ETSI.CAdES.detached", type = "Sig" } = options;
  const levels = (options.levels ?? [certification]).map(
    (level) =>
      `<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/V/1.2/P ${level}>>>>`,
  );
  const reference = certification ? `/Reference[${levels.join("")}]` : (options.reference ?? "");
  const entries = { ByteRange: `[${RANGE_ROOM}]`, Contents: `<${"0".repeat(RESERVE * 2)}>` };
  const apart = options.indirect && update.allocate();
  const written = (key: keyof typeof entries): string =>
    key === options.indirect ? ` ${apart} 0 R` : entries[key];
  if (options.indirect === "ByteRange") update.put(apart ?? 0, entries.ByteRange);
  update.put(
    value,
    `<</ByteRange${written("ByteRange")}/Contents${written("Contents")}/Type/${type}/Filter/Adobe.PPKLite/SubFilter/${subFilter}/M${writeDate(TEST_NOW)}${reference}${options.valueExtra ?? ""}>>`,
  );
  if (options.indirect === "Contents") update.put(apart ?? 0, entries.Contents);
  update.put(
    field,
    `<</Type/Annot/Subtype/Widget/FT/Sig/T(${options.fieldName ?? "libre"})/Rect[${options.rect ?? "0 0 0 0"}]/P ${writeObject(page.ref)}/F 132/V ${value} 0 R${options.fieldExtra ?? ""}>>`,
  );
  const old = dictAt(open, open.catalog, "AcroForm");
  const fields = (old ? arrayAt(open, old, "Fields") : undefined)?.toArray().map(writeObject) ?? [];
  const listed = withEntries(old ?? new PdfDict(), {
    Fields: `[${[...fields, `${field} 0 R`].join(" ")}]`,
    SigFlags: "3",
  });
  update.put(form, `${listed.slice(0, -2)}${options.formExtra ?? ""}>>`);
  const annotations = arrayAt(open, page.dict, "Annots")?.toArray().map(writeObject) ?? [];
  update.put(
    page.ref.objectNumber,
    withEntries(page.dict, { Annots: `[${[...annotations, `${field} 0 R`].join(" ")}]` }),
  );
  const permissions = certification ? { Perms: `<</DocMDP ${value} 0 R>>` } : {};
  update.put(
    open.catalogRef.objectNumber,
    withEntries(open.catalog, { AcroForm: `${form} 0 R`, ...permissions }),
  );
  const { bytes: finished, offsets } = update.finish();
  const whole = options.change ? latinBytes(options.change(latinText(finished))) : finished;
  if (whole.length !== finished.length) throw new Error("a change that moves the bytes behind it");
  return fill(
    whole,
    offsets.get(options.indirect === "ByteRange" ? (apart ?? 0) : value) ?? 0,
    options,
  );
}

async function fill(
  whole: Uint8Array,
  objectOffset: number,
  { cms, range }: FreeSignature,
): Promise<Uint8Array> {
  const rangeAt = whole.indexOf(0x5b, objectOffset) + 1;
  const from = latinText(whole).indexOf("<00", rangeAt);
  const gap = { from, to: from + RESERVE * 2 + 2, end: whole.length };
  const numbers = range?.(gap) ?? [0, gap.from, gap.to, gap.end - gap.to];
  whole.set(latinBytes(numbers.join(" ").padEnd(RANGE_ROOM.length)), rangeAt);
  const pieces: Uint8Array[] = [];
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const start = Math.max(0, numbers[index] ?? 0);
    pieces.push(whole.subarray(start, start + Math.max(0, numbers[index + 1] ?? 0)));
  }
  whole.set(latinBytes(toHex(await cms(concatBytes(pieces)))), gap.from + 1);
  return whole;
}
