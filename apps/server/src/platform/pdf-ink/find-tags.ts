import { editDistance } from "@paraphe/kernel/french-words";
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
const FIRST_KINDS = Object.keys(KINDS).filter(
  (kind, index, all) => all.findIndex((one) => KINDS[one] === KINDS[kind]) === index,
);
/** Units: points. */
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
const ALMOST = /(\{{1,2})\s*(\p{L}[^{}:;=|,\r\n]{0,29})(?:([:;=|,])[^{}]{0,300})?(\}{0,2})/gu;
const [MOST_TAGS, MOST_NAMED, LONGEST_WRITTEN] = [5_000, 10, 80] as const;
/** Beyond the letters' boxes, for slanted ones. Units: points. */
const [SLACK, DOWN] = [1.2, 0.7] as const;

/** `room`: the wanted size of the field, in parts of the page. */
type FoundTag = {
  readonly field: FoundField;
  readonly room: PageSize;
  readonly covers: readonly TagCover[];
};
/** `near`: the kinds that it may mean. */
type UnreadTag = { readonly written: string; readonly near: readonly string[] };
/** `tags`: the first of them. */
export type UnreadTags = { readonly count: number; readonly tags: readonly UnreadTag[] };
type FoundTags = {
  readonly tags: readonly FoundTag[];
  readonly unread: UnreadTags;
  readonly isCut: boolean;
};

/** In the order of the pages, until `isLate`; an unreadable file has none. */
export async function findTags(bytes: Uint8Array, isLate: () => boolean): Promise<FoundTags> {
  const tags: FoundTag[] = [];
  let unread = NONE.unread;
  let document: PdfiumDocument | null = null;
  let isCut = false;
  try {
    document = await openPdfiumDocument(bytes);
    for (let pageNumber = 1; !isCut && document?.sizeOf(pageNumber); pageNumber += 1) {
      isCut = isLate();
      if (isCut) break;
      const room = MOST_TAGS - tags.length - unread.count;
      const found = tagsOn(document, pageNumber, room);
      tags.push(...found.tags);
      unread = {
        count: unread.count + found.unread.count,
        tags: [...unread.tags, ...found.unread.tags].slice(0, MOST_NAMED),
      };
      isCut = tags.length + unread.count > MOST_TAGS;
    }
  } catch (error) {
    if (!isTrap(error)) throw error;
    document = null;
    tags.length = 0;
    unread = NONE.unread;
  } finally {
    document?.close();
  }
  return { tags: tags.slice(0, MOST_TAGS), unread, isCut };
}

type Written = {
  readonly type: FieldType;
  readonly role: string | null;
  readonly words: string;
  readonly lines: readonly TextBox[];
};

function tagsOn(
  document: PdfiumDocument,
  pageNumber: number,
  room: number,
): Pick<FoundTags, "tags" | "unread"> {
  const size = document.sizeOf(pageNumber);
  const { written, unread } = document.read(pageNumber, (page) => writtenTags(page, room)) ?? NONE;
  if (size === null || written.length === 0) return { tags: [], unread };
  const grown = written.map(({ lines }) => lines.map((line) => grow(line, size)));
  const grounds = document.draw(pageNumber, { ...pictureSize(size), shown: "content" }, (picture) =>
    grown.map((lines) => lines.map((line) => groundOf(picture, line))),
  );
  const tags = written.map((tag, index) => ({
    ...fieldOf(tag, { pageNumber, size }),
    covers: (grown[index] ?? []).map((line, at) => ({
      pageNumber,
      ...placeOf(line),
      ground: grounds?.[index]?.[at] ?? ([1, 1, 1] as const),
    })),
  }));
  return { tags, unread };
}

type OnPage = { readonly written: readonly Written[]; readonly unread: UnreadTags };
const NONE: OnPage = { written: [], unread: { count: 0, tags: [] } };

function writtenTags({ text, boxOf }: PageText, room: number): OnPage {
  if (!/\{\{|\}\}/.test(text)) return NONE;
  const known = new Set<number>();
  const written: Written[] = [];
  for (const match of text.matchAll(TAG)) {
    if (written.length > room) break;
    const [whole, word = "", role = "", words = ""] = match;
    const kind = plain(word);
    const type = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    if (type === undefined) continue;
    known.add(match.index);
    const lines = linesOf(whole.length, (offset) => boxOf(match.index + offset));
    if (lines.length > 0)
      written.push({ type, role: oneLine(role) || null, words: oneLine(words), lines });
  }
  const tags: UnreadTag[] = [];
  let count = 0;
  for (const match of text.matchAll(ALMOST)) {
    if (written.length + count > room) break;
    const isShown = !known.has(match.index) && inPage(boxOf(match.index)) !== null;
    const tag = isShown ? unreadTag(match) : null;
    if (tag === null) continue;
    count += 1;
    if (tags.length < MOST_NAMED) tags.push(tag);
  }
  return { written, unread: { count, tags } };
}

const plain = (word: string): string =>
  word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

/** Null for other braces: `{{nom du client}}`. */
function unreadTag({
  0: whole,
  1: open,
  2: word = "",
  3: mark,
  4: close,
  ...match
}: RegExpExecArray) {
  const kind = plain(word);
  const near = nearestKinds(kind);
  const next = match.input[match.index + whole.length] ?? "\n";
  const hasEnd = mark !== undefined || close !== "" || /[\r\n]/.test(next);
  const isAlmost =
    open === "{{"
      ? mark === ":" || (near.length > 0 && hasEnd)
      : near[0] === kind && mark === ":" && close === "}}";
  if (!isAlmost) return null;
  const [first = ""] = kind.split(" ");
  const written = oneLine(close ? whole : (whole.split(/[\r\n]/)[0] ?? ""));
  const isLong = written.length > LONGEST_WRITTEN;
  return {
    written: isLong ? `${oneLine(written.slice(0, LONGEST_WRITTEN))}…` : written,
    near: near.length > 0 ? near : Object.hasOwn(KINDS, first) ? [first] : FIRST_KINDS,
  };
}

function nearestKinds(word: string): readonly string[] {
  const most = Math.min(2, Math.max(1, Math.floor(word.length / 3)));
  const all = Object.keys(KINDS).map((kind) => ({ kind, far: editDistance(word, kind) }));
  const least = Math.min(...all.map(({ far }) => far));
  return least > most ? [] : all.filter(({ far }) => far === least).map(({ kind }) => kind);
}

const oneLine = (text: string): string => text.replace(/[\p{C}\p{Z}]+/gu, " ").trim();

/** On a turned page a line may run down. */
function linesOf(length: number, boxOf: (offset: number) => TextBox | null): readonly TextBox[] {
  const letters = Array.from({ length }, (_, offset) => inPage(boxOf(offset))).flatMap(
    (box) => box ?? [],
  );
  const [first, second] = letters;
  const runsDown = first && second ? !isBeside(first, second) : false;
  const lines: TextBox[] = [];
  for (const box of letters) {
    const line = lines.at(-1);
    const isSame = line && (runsDown ? isUnder(line, box) : isBeside(line, box));
    if (isSame) lines[lines.length - 1] = around(line, box);
    else lines.push(box);
  }
  return lines;
}

const isBeside = (one: TextBox, other: TextBox): boolean =>
  other.top < one.bottom && one.top < other.bottom;
const isUnder = (one: TextBox, other: TextBox): boolean =>
  other.left < one.right && one.left < other.right;
const around = (one: TextBox, other: TextBox): TextBox => ({
  left: Math.min(one.left, other.left),
  top: Math.min(one.top, other.top),
  right: Math.max(one.right, other.right),
  bottom: Math.max(one.bottom, other.bottom),
});

function inPage(box: TextBox | null): TextBox | null {
  if (box === null) return null;
  const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)];
  const [right, bottom] = [Math.min(1, box.right), Math.min(1, box.bottom)];
  return right > left && bottom > top ? { left, top, right, bottom } : null;
}

/** On the tag's first line; `fieldsOfTags` gives it its room. */
function fieldOf(
  { type, role, words, lines: [line] }: Written,
  { pageNumber, size }: { readonly pageNumber: number; readonly size: PageSize },
): Pick<FoundTag, "field" | "room"> {
  const place = placeOf(line as TextBox);
  const isBox = type === "checkbox";
  const square = Math.max(place.height, ROOM[type].height / size.height);
  const room = isBox
    ? { width: (square * size.height) / size.width, height: square }
    : {
        width: Math.max(place.width, ROOM[type].width / size.width),
        height: ROOM[type].height / size.height,
      };
  const field: FoundField = {
    source: "tag",
    name: [type, role, words].filter(Boolean).join(":"),
    role,
    type,
    pageNumber,
    ...place,
    ...(isBox ? { width: Math.min(place.width, room.width) } : {}),
    required: !isBox,
    label: type === "mention" ? "" : words,
    value: type === "mention" ? words || null : null,
    maxLength: null,
  };
  return { field, room };
}

/**
 * Each grows to the right and down as far as no other field stands: overlaps break validation. One
 * that begins in its upper half takes no more from it.
 */
export function fieldsOfTags(
  tags: readonly FoundTag[],
  others: readonly FoundField[],
): readonly FoundField[] {
  const placed = [...others, ...tags.map(({ field }) => field)];
  for (const [index, { field, room }] of tags.entries()) {
    const at = others.length + index;
    const near = placed.filter((one, other) => other !== at && one.pageNumber === field.pageNumber);
    placed[at] = grown(field, room, near);
  }
  return placed.slice(others.length);
}

/** Between two fields. Units: parts of the page. */
const GAP = 0.001;

function grown(field: FoundField, room: PageSize, near: readonly FoundField[]): FoundField {
  const { x, y } = field;
  const half = y + field.height / 2;
  const below = near.filter(
    (one) => one.y > half && one.x < x + field.width && x < one.x + one.width,
  );
  const least = Math.min(field.height, ...below.map((one) => one.y - y - GAP));
  const beside = near.filter((one) => one.x > x && one.y < y + least && y < one.y + one.height);
  const right = Math.min(1, x + room.width, ...beside.map((one) => one.x - GAP));
  const width = Math.max(right - x, Math.min(field.width, room.width));
  const under = near.filter((one) => one.y > y && one.x < x + width && x < one.x + one.width);
  const bottom = Math.min(1, y + room.height, ...under.map((one) => one.y - GAP));
  return { ...field, width, height: Math.max(bottom - y, least) };
}

function grow({ left, top, right, bottom }: TextBox, { width, height }: PageSize): TextBox {
  const [across, down] = [SLACK / width, DOWN / height];
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
