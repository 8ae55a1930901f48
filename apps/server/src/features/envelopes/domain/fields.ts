import {
  type EnvelopeWarning,
  failure,
  problem,
  type Result,
  success,
  visibleText,
  isToCopy,
} from "@paraphe/contracts";
import type { EnvelopeField, EnvelopeRecipient } from "./envelope.ts";

type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
type Document = {
  readonly id: string;
  readonly pages: readonly { readonly fields?: readonly Box[] }[];
};

/** Smaller overlaps only touch. Units: fractions of the page (half a millimetre of A4). */
const TOUCH = 0.002;

/** Gives fields over the upload's own fields or signatures: one would hide the other. */
export function coveredFields(envelope: {
  readonly documents: readonly Document[];
  readonly fields: readonly EnvelopeField[];
}): readonly EnvelopeWarning[] {
  const pages = new Map(envelope.documents.map((document) => [document.id, document.pages]));
  return envelope.fields
    .filter((field) =>
      pages.get(field.documentId)?.[field.page - 1]?.fields?.some((own) => covers(field, own)),
    )
    .map((field) => ({
      code: "covers_form_field",
      field_id: field.id,
      document_id: field.documentId,
      page: field.page,
    }));
}

function covers(field: Box, own: Box): boolean {
  const width = Math.min(field.x + field.width, own.x + own.width) - Math.max(field.x, own.x);
  const height = Math.min(field.y + field.height, own.y + own.height) - Math.max(field.y, own.y);
  return width > TOUCH && height > TOUCH;
}

type TakenBox = Box & { readonly coverable?: true };
/** `taken`: the upload's own fields, signatures, and links (`coverable`). */
type Page = {
  readonly width: number;
  readonly height: number;
  readonly taken?: readonly TakenBox[];
};
type DocumentToSign = {
  readonly id: string;
  readonly pageCount: number;
  readonly pages: readonly Page[];
};
export type PlacementRequest = {
  readonly documents: readonly DocumentToSign[];
  readonly recipients: readonly Pick<EnvelopeRecipient, "id" | "role">[];
  readonly fields: readonly EnvelopeField[];
  readonly newId: () => string;
};

/** A crowded page gets smaller ones. Units: points. */
const SIZES_PT = [
  { width: 180, height: 56 },
  { width: 140, height: 44 },
  { width: 100, height: 32 },
  { width: 70, height: 24 },
  { width: 50, height: 16 },
] as const;
const A4_PT = { width: 595, height: 842 };
const MARGIN_PT = 36;
const GAP_PT = 6;

/**
 * Fills each document's last page, bottom first, over links only as a last resort. Errors:
 * `not_ready_to_send` when full.
 */
export function placeMissingFields({
  documents,
  recipients,
  fields,
  newId,
}: PlacementRequest): Result<readonly EnvelopeField[]> {
  const placed: EnvelopeField[] = [];
  const unplaced = recipients.filter(
    (recipient) =>
      recipient.role === "signer" &&
      !fields.some((field) => field.recipientId === recipient.id && field.type === "signature"),
  );
  for (const document of documents) {
    const page: Page = document.pages[document.pageCount - 1] ?? A4_PT;
    const placedThere = fields.filter(
      (field) => field.documentId === document.id && field.page === document.pageCount,
    );
    const taken: readonly TakenBox[] = [...placedThere, ...(page.taken ?? [])];
    const count = unplaced.length;
    const boxes =
      freeBoxes(page, { taken, count }) ??
      freeBoxes(page, { taken: taken.filter(({ coverable }) => !coverable), count });
    if (boxes === null) {
      return failure(
        problem("not_ready_to_send", {
          params: {
            reason:
              "la dernière page n’a plus de place libre pour une signature. Placez les champs vous-même.",
          },
        }),
      );
    }
    for (const [index, recipient] of unplaced.entries()) {
      const place = { documentId: document.id, page: document.pageCount, ...(boxes[index] as Box) };
      placed.push({
        ...place,
        id: newId(),
        recipientId: recipient.id,
        type: "signature",
        required: true,
        label: null,
        value: null,
      });
    }
  }
  return success(placed);
}

/** Gives a free place for one signature on the last page. Errors: `not_ready_to_send`. */
export function freePlace(document: Pick<DocumentToSign, "pageCount" | "pages">): Result<Box> {
  const recipients = [{ id: "", role: "signer" }] as const;
  const placed = placeMissingFields({
    documents: [{ ...document, id: "" }],
    recipients,
    fields: [],
    newId: () => "",
  });
  if (!placed.ok) return placed;
  const { x, y, width, height } = placed.value[0] as EnvelopeField;
  return success({ x, y, width, height });
}

/** Takes the largest size at which all fit. */
function freeBoxes(
  page: Page,
  { taken, count }: { readonly taken: readonly Box[]; readonly count: number },
): readonly Box[] | null {
  for (const size of SIZES_PT) {
    const boxes: Box[] = [];
    for (const candidate of candidates(page, size)) {
      if (boxes.length === count) break;
      if (!taken.some((box) => overlaps(box, candidate))) boxes.push(candidate);
    }
    if (boxes.length === count) return boxes;
  }
  return null;
}

/** Runs from the bottom left, row by row; a box larger than the page shrinks. */
function* candidates(
  page: Page,
  size: { readonly width: number; readonly height: number },
): Generator<Box> {
  const margin = Math.min(MARGIN_PT, page.width / 10, page.height / 10);
  const width = Math.min(size.width, page.width - 2 * margin);
  const height = Math.min(size.height, page.height - 2 * margin);
  for (
    let bottom = page.height - margin;
    bottom - height >= margin - 1e-6;
    bottom -= height + GAP_PT
  ) {
    for (let left = margin; left + width <= page.width - margin + 1e-6; left += width + GAP_PT) {
      yield {
        x: left / page.width,
        y: (bottom - height) / page.height,
        width: width / page.width,
        height: height / page.height,
      };
    }
  }
}

function overlaps(left: Box, right: Box): boolean {
  return (
    left.x < right.x + right.width &&
    right.x < left.x + left.width &&
    left.y < right.y + right.height &&
    right.y < left.y + left.height
  );
}

type Size = { readonly width: number; readonly height: number };
type MentionedDocument = { readonly id: string; readonly pages: readonly Size[] };

/** Smaller text cannot be read. Units: points. */
const SMALLEST_READ = 5;
/** The core prints so too: it shrinks text until the lines fit. */
const LARGEST = 11;
const LEADING = 1.22;
const SHRINK = 0.94;
const MARGIN = 0.02;

export function smallMentions(envelope: {
  readonly documents: readonly MentionedDocument[];
  readonly fields: readonly EnvelopeField[];
}): readonly EnvelopeWarning[] {
  const pages = new Map(envelope.documents.map((document) => [document.id, document.pages]));
  return envelope.fields.flatMap((field) => {
    const page = pages.get(field.documentId)?.[field.page - 1];
    const sentence = isToCopy(field) ? visibleText(field.value ?? "").trim() : "";
    if (sentence === "" || !page) return [];
    const place = { width: field.width * page.width, height: field.height * page.height };
    if (printedSize(sentence, place) >= SMALLEST_READ) return [];
    return [
      {
        code: "mention_too_small" as const,
        field_id: field.id,
        document_id: field.documentId,
        page: field.page,
      },
    ];
  });
}

function printedSize(sentence: string, place: Size): number {
  const words = sentence.split(/\s+/u).map(widthOf);
  const margin = 2 * MARGIN * Math.min(place.width, place.height);
  const [width, height] = [place.width - margin, place.height - margin];
  let size = Math.min(LARGEST, place.height * 0.78);
  while (size >= SMALLEST_READ) {
    const lines = linesOf(words, width / size);
    if (lines !== null && lines * size * LEADING <= height + 0.01) return size;
    size *= SHRINK;
  }
  return size;
}

/** Gives null when a word is wider than a line. Units: em. */
function linesOf(words: readonly number[], room: number): number | null {
  let [lines, used] = [1, 0];
  for (const word of words) {
    if (word > room) return null;
    const longer = used === 0 ? word : used + SPACE + word;
    if (longer > room) lines += 1;
    used = longer > room ? word : longer;
  }
  return lines;
}

const SPACE = 0.2;

/**
 * Estimates Instrument Sans by mean widths of families of characters, within some percent. Units:
 * em.
 */
function widthOf(word: string): number {
  let width = 0;
  for (const character of word) {
    if (/[fijlt.,;:!?'’]/u.test(character)) width += 0.29;
    else if (/[mwMW]/u.test(character)) width += 0.85;
    else width += /\p{Lu}/u.test(character) ? 0.7 : 0.54;
  }
  return width;
}
