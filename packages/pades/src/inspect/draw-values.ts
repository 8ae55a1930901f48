import {
  type Lettered,
  letteredAnnotations,
  letteredContent,
  letteredEntries,
} from "../annotations/lettered-annotations.ts";
import { displayedSize } from "../appearance/form-x-object.ts";
import { embedTextFonts, type TextFonts } from "../font/text-fonts.ts";
import { PadesError } from "../pades-error.ts";
import { freeNumbers } from "../pdf/free-numbers.ts";
import { beginUpdate, type IncrementalUpdate, latinBytes } from "../pdf/incremental-update.ts";
import { type OpenPdf, openPdf, requireIncremental } from "../pdf/open-pdf.ts";
import type { Fonts } from "../pdf/types.ts";
import { writeNumber } from "../pdf/write-object.ts";
import { putTextAppearance } from "../sign/field-appearances.ts";
import { withEntries } from "../sign/prepare-fields.ts";
import { placeOf } from "../sign/prepare-signature.ts";
import { annotationsOfPages } from "./flatten-annotations.ts";
import { frameContent, undrawnFields } from "./form-values.ts";

/** Of all fields together: each is laid out at many sizes. Units: characters. */
const MOST_TEXT = 100_000;

/**
 * Draws the value of every text and choice field and the text of every annotation, in our fonts,
 * shrunk to the place.
 * Errors: PadesError `pdf_too_complex` for too much text, or characters that no font has.
 * Source: ISO 32000-2 §12.7.4.3.
 */
export async function drawValues(
  bytes: Uint8Array,
  fonts: Pick<Fonts, "text"> | undefined,
): Promise<Uint8Array> {
  const open = await openPdf(bytes);
  const fields = undrawnFields(open);
  const annotations = letteredAnnotations(open, annotationsOfPages(open));
  const texts = [...fields, ...annotations].map(({ text }) => text);
  if (texts.length === 0) return bytes;
  if (!fonts) throw new TypeError("Expected fonts for the values of the form");
  requireIncremental(open);
  if (texts.reduce((sum, text) => sum + text.length, 0) > MOST_TEXT)
    throw new PadesError("pdf_too_complex", "Expected a form of a bearable size");
  const update = beginUpdate(open, { from: freeNumbers(open).from });
  const letters = await drawable(() =>
    embedTextFonts(update, { fonts, texts, shared: null, resource: "PsV" }),
  );
  for (const { ref, dict, text } of fields) {
    const place = placeOf(open, dict);
    const under = frameContent(open, dict, displayedSize(place.rectangle, place.rotation));
    const look = await putTextAppearance(update, place, {
      value: text,
      fonts: letters,
      lines: "many",
      under,
    });
    update.put(ref.objectNumber, withEntries(dict, { AP: `<</N ${look} 0 R>>` }), ref.generation);
  }
  for (const annotation of annotations) await drawLetters(open, update, { annotation, letters });
  return update.finish().bytes;
}

async function drawLetters(
  open: OpenPdf,
  update: IncrementalUpdate,
  { annotation, letters }: { readonly annotation: Lettered; readonly letters: TextFonts },
): Promise<void> {
  const { ref, dict, frame } = annotation;
  const look = update.allocate();
  await update.putStream(
    look,
    letteredEntries(open, annotation, letters),
    latinBytes(letteredContent(open, annotation, letters)),
  );
  const entries = {
    Rect: `[${frame.map((value) => writeNumber(value, 3)).join(" ")}]`,
    AP: `<</N ${look} 0 R>>`,
  };
  update.put(ref.objectNumber, withEntries(dict, entries), ref.generation);
}

/** Printed to a new file, such text appears in its author's fonts. */
async function drawable<T>(embed: () => Promise<T>): Promise<T> {
  try {
    return await embed();
  } catch (cause) {
    if (!(cause instanceof PadesError) || cause.code !== "unsupported_character") throw cause;
    throw new PadesError("pdf_too_complex", "Expected values that the fonts can draw", { cause });
  }
}
