/** The characters a font has a glyph for. */
export type FontCoverage = { has(codePoint: number): boolean };

const UNICODE_FULL = new Set(["3:10", "0:4", "0:6"]);
const UNICODE_BMP = new Set(["3:1", "0:3"]);
const CMAP = 0x636d6170;

/**
 * Reads which characters a TrueType font can draw.
 * Errors: throws when the font has no Unicode table this reader knows: a fault of the installation, not of a person.
 * Source: OpenType 1.9.1, 'cmap', formats 4 and 12.
 */
export function readFontCoverage(font: Uint8Array): FontCoverage {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const cmap = tableOffset(view, CMAP);
  const subtables = Array.from({ length: view.getUint16(cmap + 2) }, (_, index) => {
    const record = cmap + 4 + index * 8;
    return {
      kind: `${view.getUint16(record)}:${view.getUint16(record + 2)}`,
      offset: cmap + view.getUint32(record + 4),
    };
  });
  const chosen =
    subtables.find(({ kind }) => UNICODE_FULL.has(kind)) ??
    subtables.find(({ kind }) => UNICODE_BMP.has(kind));
  const format = chosen === undefined ? 0 : view.getUint16(chosen.offset);
  if (chosen === undefined || (format !== 4 && format !== 12))
    throw new Error(`Expected a font with a Unicode cmap of format 4 or 12, met format ${format}`);
  const covered =
    format === 12 ? readFormat12(view, chosen.offset) : readFormat4(view, chosen.offset);
  return { has: (codePoint) => covered.has(codePoint) };
}

function tableOffset(view: DataView, tag: number): number {
  for (let index = 0; index < view.getUint16(4); index++) {
    const record = 12 + index * 16;
    if (view.getUint32(record) === tag) return view.getUint32(record + 8);
  }
  throw new Error("Expected a font with a cmap table");
}

function readFormat12(view: DataView, offset: number): ReadonlySet<number> {
  const covered = new Set<number>();
  for (let group = 0; group < view.getUint32(offset + 12); group++) {
    const at = offset + 16 + group * 12;
    const [start, end, glyph] = [
      view.getUint32(at),
      view.getUint32(at + 4),
      view.getUint32(at + 8),
    ];
    for (let codePoint = start; codePoint <= end; codePoint++)
      if (glyph + codePoint - start !== 0) covered.add(codePoint);
  }
  return covered;
}

function readFormat4(view: DataView, offset: number): ReadonlySet<number> {
  const covered = new Set<number>();
  const segments = view.getUint16(offset + 6) / 2;
  const ends = offset + 14;
  const starts = ends + segments * 2 + 2;
  const deltas = starts + segments * 2;
  const ranges = deltas + segments * 2;
  for (let segment = 0; segment < segments; segment++) {
    const [start, end] = [view.getUint16(starts + segment * 2), view.getUint16(ends + segment * 2)];
    const delta = view.getUint16(deltas + segment * 2);
    const rangeAt = ranges + segment * 2;
    const range = view.getUint16(rangeAt);
    for (let codePoint = start; codePoint <= end && codePoint !== 0xffff; codePoint++) {
      // A range offset counts from its own place in the table.
      const raw =
        range === 0 ? codePoint : view.getUint16(rangeAt + range + (codePoint - start) * 2);
      const glyph = range !== 0 && raw === 0 ? 0 : (raw + delta) & 0xffff;
      if (glyph !== 0) covered.add(codePoint);
    }
  }
  return covered;
}
