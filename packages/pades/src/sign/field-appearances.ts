import {
  type Area,
  INK,
  type PlaceableMark,
  type Size,
  boxContent,
  displayedSize,
  formEntries,
  markContent,
  textContent,
  typedBounds,
} from "../appearance/content.ts";
import { embedImage } from "../appearance/image.ts";
import { embedTextFonts, type TextFonts } from "../font/text-fonts.ts";
import {
  DEFLATE_FROM_BYTES,
  type IncrementalUpdate,
  latinBytes,
} from "../pdf/incremental-update.ts";
import type { Box, Rotation } from "../pdf/page-geometry.ts";
import type { Fonts, Mark } from "../pdf/types.ts";

export type Place = { readonly rectangle: Box; readonly rotation: Rotation };

const LINE_SIZE = 7;
const VALUE_SIZE = 11;
/** The captions' share of the signature's box. */
const LINES_SHARE = { under: 0.42, beside: 0.5, besideSaid: 0.62 } as const;

type ReadyMark = {
  readonly mark: PlaceableMark;
  readonly images: string;
  readonly fonts: string;
  readonly deflateFrom: number;
};
/** Deflating strokes saves three fifths; they are most of what a signer adds besides the CMS. */
const DEFLATE_DRAWING_FROM_BYTES = { once: 2_048, repeated: 1_024 } as const;

/**
 * Embeds the mark's image or font once for all its places.
 * Errors: `invalid_image`, `unsupported_character`.
 */
export async function placeableMark(
  update: IncrementalUpdate,
  mark: Mark,
  { fonts, resource, places }: { fonts: Fonts; resource: string; places: number },
): Promise<ReadyMark> {
  const deflateFrom =
    places > 1 ? DEFLATE_DRAWING_FROM_BYTES.repeated : DEFLATE_DRAWING_FROM_BYTES.once;
  if (mark.kind === "strokes") return { mark, images: "", fonts: "", deflateFrom };
  if (mark.kind === "typed") {
    const written = { text: [fonts.hands[mark.hand], ...fonts.text] };
    const bounds = typedBounds(mark.text, written);
    const letters = await embedTextFonts(update, {
      fonts: written,
      texts: [mark.text],
      shared: null,
      resource,
    });
    return {
      mark: { kind: "letters", runs: letters.runsOf(mark.text), bounds },
      images: "",
      fonts: letters.resources,
      deflateFrom,
    };
  }
  const { number, width, height } = await embedImage(update, mark.bytes);
  return {
    mark: { kind: "image", resource, width, height },
    images: `/${resource} ${number} 0 R`,
    fonts: "",
    deflateFrom,
  };
}

type SignatureParts = {
  readonly mark: ReadyMark;
  /** Drawn beside the mark when they have no field. */
  readonly initials: ReadyMark | null;
  readonly lines: readonly string[];
  /** Values without a place need more room, and wrap. */
  readonly said: number;
  readonly fonts: TextFonts;
};

/** The lines stand under the mark or, in a wide box, beside it. */
export async function putSignatureAppearance(
  update: IncrementalUpdate,
  place: Place,
  parts: SignatureParts,
): Promise<number> {
  const { mark, initials, lines, said, fonts } = parts;
  const size = displayedSize(place.rectangle, place.rotation);
  const { markArea, linesArea } = signatureAreas(size, lines.length, said);
  const text = linesArea
    ? textContent({
        area: linesArea,
        lines,
        fonts,
        size: LINE_SIZE,
        breaking: said > 0 ? "wrap" : "keep",
        vertical: "middle",
        color: "0.2 0.2 0.2 rg",
      })
    : "";
  const isVisible = size.width > 0 && size.height > 0;
  const align = linesArea?.x === markArea.x ? 0 : 0.5;
  const content = isVisible ? drawnMarks({ area: markArea, align }, mark, initials) + text : "";
  const resources = resourcesOf([mark, ...(initials ? [initials] : [])], fonts.resources);
  return putForm(update, place, { content, resources, deflateFrom: mark.deflateFrom });
}

/** Initials take the last quarter. */
function drawnMarks(
  { area, align }: { area: Area; align: number },
  mark: ReadyMark,
  initials: ReadyMark | null,
): string {
  if (!initials) return markContent(mark.mark, area, align);
  const quarter = area.width / 4;
  return (
    markContent(mark.mark, { ...area, width: area.width - quarter * 1.1 }, align) +
    markContent(initials.mark, { ...area, x: area.x + area.width - quarter, width: quarter })
  );
}

function resourcesOf(marks: readonly ReadyMark[], textFonts = ""): string {
  const fonts = textFonts + marks.map((mark) => mark.fonts).join("");
  const images = marks.map((mark) => mark.images).join("");
  return `${fonts === "" ? "" : `/Font<<${fonts}>>`}${images === "" ? "" : `/XObject<<${images}>>`}`;
}

export async function putMarkAppearance(
  update: IncrementalUpdate,
  place: Place,
  mark: ReadyMark,
): Promise<number> {
  const area = inset(displayedSize(place.rectangle, place.rotation), 0.04);
  return putForm(update, place, {
    content: markContent(mark.mark, area),
    resources: resourcesOf([mark]),
    deflateFrom: mark.deflateFrom,
  });
}

/** Handwriting looks small for its font size. */
const HAND_SCALE = 1.3;
type TextParts = {
  readonly value: string;
  readonly fonts: TextFonts;
  readonly lines: "one" | "many";
  readonly under?: string;
  readonly isByHand?: boolean;
};

export async function putTextAppearance(
  update: IncrementalUpdate,
  place: Place,
  { value, fonts, lines, under = "", isByHand = false }: TextParts,
): Promise<number> {
  const size = displayedSize(place.rectangle, place.rotation);
  const letters = isByHand ? VALUE_SIZE * HAND_SCALE : VALUE_SIZE;
  const content =
    value === ""
      ? ""
      : `/Tx BMC q\n${textContent({
          area: inset(size, 0.02),
          lines: [value],
          fonts,
          size: Math.min(letters, size.height * 0.78),
          breaking: lines === "many" ? "wrap" : "keep",
          vertical: lines === "many" && size.height > 2.4 * letters ? "top" : "middle",
          color: `${INK} rg`,
        })}Q EMC\n`;
  return putForm(update, place, {
    content: under + content,
    resources: `/Font<<${fonts.resources}>>`,
  });
}

export async function putBoxAppearance(
  update: IncrementalUpdate,
  place: Place,
  state: "ticked" | "empty",
): Promise<number> {
  const { width, height } = displayedSize(place.rectangle, place.rotation);
  return putForm(update, place, {
    content: boxContent({ x: 0, y: 0, width, height }, state),
    resources: "",
  });
}

/** A deflated drawing is a form of its own: DSS takes a new filter for a forbidden change. */
async function putForm(
  update: IncrementalUpdate,
  place: Place,
  {
    content,
    resources,
    deflateFrom = DEFLATE_FROM_BYTES,
  }: { content: string; resources: string; deflateFrom?: number },
): Promise<number> {
  const [number, size, data] = [
    update.allocate(),
    displayedSize(place.rectangle, place.rotation),
    latinBytes(content),
  ];
  if (data.length < deflateFrom) {
    await update.putStream(number, formEntries(size, place.rotation, resources), data);
    return number;
  }
  const drawing = update.allocate();
  update.putPacked(drawing, formEntries(size, 0, resources), await update.deflate(data));
  await update.putStream(
    number,
    formEntries(size, place.rotation, `/XObject<</Drawing ${drawing} 0 R>>`),
    latinBytes("/Drawing Do\n"),
  );
  return number;
}

function inset({ width, height }: Size, share: number): Area {
  const margin = Math.min(width, height) * share;
  return {
    x: margin,
    y: margin,
    width: Math.max(0.1, width - 2 * margin),
    height: Math.max(0.1, height - 2 * margin),
  };
}

function signatureAreas(
  size: Size,
  lineCount: number,
  said: number,
): { markArea: Area; linesArea: Area | null } {
  const all = inset(size, 0.04);
  if (lineCount === 0) return { markArea: all, linesArea: null };
  if (said > 0 || size.width > 4 * size.height) {
    const width = all.width * (said > 0 ? LINES_SHARE.besideSaid : LINES_SHARE.beside);
    return {
      markArea: { ...all, width: (all.width - width) * 0.96 },
      linesArea: { ...all, x: all.x + all.width - width, width },
    };
  }
  const height = Math.min(lineCount * LINE_SIZE * 1.22, all.height * LINES_SHARE.under);
  return {
    markArea: { ...all, y: all.y + height, height: all.height - height },
    linesArea: { ...all, height },
  };
}
