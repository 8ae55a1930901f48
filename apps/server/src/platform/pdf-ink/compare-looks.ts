import {
  PIXEL_BYTES,
  type PdfiumDocument,
  type Picture,
  isTrap,
  openPdfiumDocument,
  pictureSize,
  writePng,
} from "./pdfium-document.ts";

/** Encloses all differences: fractions of the displayed page, origin top left. */
type DifferingPlace = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
type PageDifference = {
  readonly pageNumber: number;
  readonly place: DifferingPlace;
  readonly original: Uint8Array;
  readonly copy: Uint8Array;
};
/** `through`: the last page compared; `unread`: undrawable pages. */
export type LooksComparison = {
  readonly through: number;
  readonly unread: readonly number[];
  readonly difference: PageDifference | null;
};

export type PagesToCompare = {
  readonly original: Uint8Array;
  readonly copy: Uint8Array;
  readonly pageCount: number;
  readonly from: number;
};

/** Copies of 300 files differ by 2 through rounding. */
const SAME = 4;

/**
 * Compares with annotations and fields, to the first difference, the end, or `enough`; one page at
 * least.
 */
export async function compareLooks(
  pages: PagesToCompare,
  enough: () => boolean,
): Promise<LooksComparison> {
  const unread: number[] = [];
  let open = await openBoth(pages);
  try {
    for (let pageNumber = pages.from; pageNumber <= pages.pageCount; pageNumber += 1) {
      if (pageNumber > pages.from && enough())
        return { through: pageNumber - 1, unread, difference: null };
      const compared = open === null ? "unread" : comparePage(open, pageNumber);
      if (compared === "unread" || compared === "trap") unread.push(pageNumber);
      else if (compared !== "same") return { through: pageNumber, unread, difference: compared };
      if (compared === "trap") open = await openBoth(pages);
    }
    return { through: pages.pageCount, unread, difference: null };
  } finally {
    close(open);
  }
}

type Both = { readonly original: PdfiumDocument; readonly copy: PdfiumDocument };

async function openBoth({ original, copy }: PagesToCompare): Promise<Both | null> {
  try {
    const first = await openPdfiumDocument(original);
    const second = await openPdfiumDocument(copy);
    if (first !== null && second !== null) return { original: first, copy: second };
    first?.close();
    second?.close();
    return null;
  } catch (error) {
    if (!isTrap(error)) throw error;
    return null;
  }
}

function close(open: Both | null): void {
  open?.original.close();
  open?.copy.close();
}

function comparePage(open: Both, pageNumber: number): PageDifference | "same" | "unread" | "trap" {
  try {
    return pageDifference(open, pageNumber);
  } catch (error) {
    if (!isTrap(error)) throw error;
    return "trap";
  }
}

function pageDifference(
  { original, copy }: Both,
  pageNumber: number,
): PageDifference | "same" | "unread" {
  const [size, other] = [original.sizeOf(pageNumber), copy.sizeOf(pageNumber)];
  if (size === null || other === null) return "unread";
  const [asked, askedOfCopy] = [pictureSize(size), pictureSize(other)];
  const first = original.draw(pageNumber, asked, kept);
  if (first === null) return "unread";
  const isSameSize = asked.columns === askedOfCopy.columns && asked.rows === askedOfCopy.rows;
  const place = isSameSize
    ? copy.draw(pageNumber, asked, (second) => ({ found: differingPlace(first, second) }))
    : { found: WHOLE };
  if (place === null) return "unread";
  if (place.found === null) return "same";
  const png = copy.draw(pageNumber, askedOfCopy, writePng);
  return png === null
    ? "unread"
    : { pageNumber, place: place.found, original: writePng(first), copy: png };
}

const WHOLE: DifferingPlace = { x: 0, y: 0, width: 1, height: 1 };

const kept = (picture: Picture): Picture => ({ ...picture, pixels: picture.pixels.slice() });

function differingPlace(first: Picture, second: Picture): DifferingPlace | null {
  const { columns, rows, stride } = first;
  let [left, top, right, bottom] = [columns, rows, -1, -1];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (!differs(first.pixels, second.pixels, row * stride + column * PIXEL_BYTES)) continue;
      left = Math.min(left, column);
      right = Math.max(right, column);
      top = Math.min(top, row);
      bottom = row;
    }
  }
  if (right < 0) return null;
  return {
    x: left / columns,
    y: top / rows,
    width: (right - left + 1) / columns,
    height: (bottom - top + 1) / rows,
  };
}

function differs(first: Uint8Array, second: Uint8Array, at: number): boolean {
  for (let channel = at; channel < at + 3; channel += 1)
    if (Math.abs((first[channel] ?? 0) - (second[channel] ?? 0)) > SAME) return true;
  return false;
}
