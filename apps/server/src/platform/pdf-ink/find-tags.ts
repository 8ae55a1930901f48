import type { FieldType, FoundField, TagCover } from "@paraphe/pades";
import {
  isTrap,
  openPdfiumDocument,
  type PageSize,
  type PageText,
  type PdfiumDocument,
  type Picture,
  PIXEL_BYTES,
  pictureSize,
  type TextBox,
} from "./pdfium-document.ts";

const KINDS: Readonly<Record<string, FieldType>> = {
  signature: "signature",
  sign: "signature",
  paraphe: "initials",
  initials: "initials",
  date: "date",
  nom: "name",
  name: "name",
  texte: "text",
  text: "text",
  case: "checkbox",
  checkbox: "checkbox",
  mention: "mention",
};
/** The least room of each kind. Units: points. */
const ROOM: Readonly<Record<FieldType, PageSize>> = {
  signature: { width: 178, height: 54 },
  initials: { width: 60, height: 35 },
  date: { width: 70, height: 15 },
  name: { width: 120, height: 15 },
  text: { width: 120, height: 15 },
  checkbox: { width: 11, height: 11 },
  mention: { width: 268, height: 42 },
};
/** Kind, role, label: `{{texte:client:Nom}}`. A line may break within the tag. */
const TAG = /\{\{\s*(\p{L}{1,20})\s*(?::([^:{}]{0,100}))?(?::([^{}]{0,200}))?\}\}/gu;
const MOST_TAGS = 5_000;
/** Beyond the letters' boxes, for slanted ones. Units: points. */
const SLACK = 0.7;

export type FoundTag = { readonly field: FoundField; readonly covers: readonly TagCover[] };
export type FoundTags = { readonly tags: readonly FoundTag[]; readonly isCut: boolean };

/** In the order of the pages, until `isLate`; an unreadable file has none. */
export async function findTags(bytes: Uint8Array, isLate: () => boolean): Promise<FoundTags> {
  const tags: FoundTag[] = [];
  let document: PdfiumDocument | null = null;
  let isCut = false;
  try {
    document = await openPdfiumDocument(bytes);
    for (let pageNumber = 1; document?.sizeOf(pageNumber) && !isCut; pageNumber += 1) {
      isCut = tags.length > MOST_TAGS || isLate();
      if (!isCut) tags.push(...tagsOn(document, pageNumber));
    }
  } catch (error) {
    if (!isTrap(error)) throw error;
    document = null;
  } finally {
    document?.close();
  }
  return { tags: tags.slice(0, MOST_TAGS), isCut };
}

type Written = {
  readonly type: FieldType;
  readonly role: string | null;
  readonly words: string;
  readonly lines: readonly TextBox[];
};

function tagsOn(document: PdfiumDocument, pageNumber: number): readonly FoundTag[] {
  const size = document.sizeOf(pageNumber);
  const written = document.read(pageNumber, writtenTags) ?? [];
  if (size === null || written.length === 0) return [];
  const grown = written.map(({ lines }) => lines.map((line) => grow(line, size)));
  const grounds = document.draw(pageNumber, { ...pictureSize(size), shown: "content" }, (picture) =>
    grown.map((lines) => lines.map((line) => groundOf(picture, line))),
  );
  return written.map((tag, index) => ({
    field: fieldOf(tag, { pageNumber, size }),
    covers: (grown[index] ?? []).map((line, at) => ({
      pageNumber,
      ...placeOf(line),
      ground: grounds?.[index]?.[at] ?? [1, 1, 1],
    })),
  }));
}

function writtenTags({ text, boxOf }: PageText): readonly Written[] {
  if (!text.includes("{{")) return [];
  return [...text.matchAll(TAG)].flatMap((match) => {
    const [whole, word = "", role = "", words = ""] = match;
    const type = KINDS[word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()];
    const lines = linesOf(whole.length, (offset) => boxOf(match.index + offset));
    if (type === undefined || lines.length === 0) return [];
    return [{ type, role: oneLine(role) || null, words: oneLine(words), lines }];
  });
}

const oneLine = (text: string): string => text.replace(/[\p{C}\p{Z}]+/gu, " ").trim();

/** The boxes of a tag's letters, joined line by line. */
function linesOf(length: number, boxOf: (offset: number) => TextBox | null): readonly TextBox[] {
  const lines: TextBox[] = [];
  for (let offset = 0; offset < length; offset += 1) {
    const box = boxOf(offset);
    if (box === null || box.right <= box.left || box.bottom <= box.top) continue;
    const line = lines.at(-1);
    if (line && box.top < line.bottom && line.top < box.bottom)
      lines[lines.length - 1] = {
        left: Math.min(line.left, box.left),
        top: Math.min(line.top, box.top),
        right: Math.max(line.right, box.right),
        bottom: Math.max(line.bottom, box.bottom),
      };
    else lines.push(box);
  }
  return lines;
}

/** From the tag's first letter to the right and down, as large as its kind needs. */
function fieldOf(
  { type, role, words, lines: [line] }: Written,
  { pageNumber, size }: { readonly pageNumber: number; readonly size: PageSize },
): FoundField {
  const { left, top, right, bottom } = line as TextBox;
  const isBox = type === "checkbox";
  const height = Math.min(1, Math.max(bottom - top, ROOM[type].height / size.height));
  const width = Math.min(
    1,
    isBox
      ? (height * size.height) / size.width
      : Math.max(right - left, ROOM[type].width / size.width),
  );
  return {
    source: "tag",
    name: [type, role, words].filter(Boolean).join(":"),
    role,
    type,
    pageNumber,
    x: Math.max(0, Math.min(left, 1 - width)),
    y: Math.max(0, Math.min(top, 1 - height)),
    width,
    height,
    required: !isBox,
    label: type === "mention" ? "" : words,
    value: type === "mention" ? words || null : null,
    maxLength: null,
  };
}

function grow({ left, top, right, bottom }: TextBox, { width, height }: PageSize): TextBox {
  const [across, down] = [SLACK / width, SLACK / height];
  return {
    left: Math.max(0, left - across),
    top: Math.max(0, top - down),
    right: Math.min(1, right + across),
    bottom: Math.min(1, bottom + down),
  };
}

const placeOf = ({ left, top, right, bottom }: TextBox) => ({
  x: left,
  y: top,
  width: right - left,
  height: bottom - top,
});

/** The most frequent colour: letters cover less than what is behind them. */
function groundOf(picture: Picture, { left, top, right, bottom }: TextBox): TagCover["ground"] {
  const { columns, rows, stride, pixels } = picture;
  const counts = new Map<number, number>();
  let [most, best] = [0xffffff, 0];
  for (let row = Math.floor(top * rows); row < bottom * rows && row < rows; row += 1)
    for (let column = Math.floor(left * columns); column < right * columns; column += 1) {
      const at = row * stride + column * PIXEL_BYTES;
      const [blue = 0, green = 0, red = 0] = pixels.subarray(at, at + 3);
      const colour = (red << 16) | (green << 8) | blue;
      const count = (counts.get(colour) ?? 0) + 1;
      counts.set(colour, count);
      if (count > best) [most, best] = [colour, count];
    }
  return [(most >> 16) / 255, ((most >> 8) & 255) / 255, (most & 255) / 255];
}
