import { concatBytes } from "../asn1/der-writer.ts";
import { type WorkBudget, isBlank, latinText, lineEnd, spend, tokenEnd } from "./byte-reader.ts";
import type { CrossReference, XrefEntry } from "./cross-reference.ts";

type Xref = Pick<CrossReference, "entries" | "trailer">;
type Piece = { readonly bytes: Uint8Array; readonly from: number; readonly end: number };

const [HASH, SLASH, PERCENT] = [0x23, 0x2f, 0x25] as const;
const ENCODER = new TextEncoder();
const END = ENCODER.encode("\nendobj\n");

/**
 * The parser would lose these names: it decodes `#xx` as UTF-8, while a name is bytes. Copies in
 * memory are spelled so that it yields Latin-1.
 * Source: ISO 32000-2 §7.3.5 (two names are the same if their bytes are).
 */
export class ExactNames {
  private readonly budget: WorkBudget;
  private readonly plain = new Map<number, Uint8Array>();
  private readonly packed = new Map<string, Uint8Array>();

  /** Bytes that may be appended. */
  constructor(budget: WorkBudget) {
    this.budget = budget;
  }

  get isEmpty(): boolean {
    return this.plain.size + this.packed.size === 0;
  }

  /** Its offset, its value, and the place behind its stream, if any. */
  notePlain(offset: number, { behind, ...piece }: Piece & { readonly behind: number }): void {
    const value = this.plain.has(offset) ? null : this.respelled(piece);
    if (!value) return;
    const { bytes, from, end } = piece;
    const rest = bytes.subarray(end, behind);
    spend(this.budget, rest.length);
    this.plain.set(offset, concatBytes([bytes.subarray(offset, from), value, rest, END]));
  }

  /** By stream number and index. */
  notePacked(
    {
      stream,
      index,
      number,
    }: { readonly stream: number; readonly index: number; readonly number: number },
    piece: Piece,
  ): void {
    const value = this.respelled(piece);
    if (value)
      this.packed.set(
        `${stream} ${index}`,
        concatBytes([ENCODER.encode(`${number} 0 obj\n`), value, END]),
      );
  }

  /** The objects follow the file; its cross-reference points at them. */
  behind(
    bytes: Uint8Array,
    { entries, trailer }: Xref,
  ): { readonly bytes: Uint8Array; readonly xref: Xref } {
    const chunks: Uint8Array[] = [bytes];
    let position = bytes.length;
    const led = [...entries].map(([number, entry]): [number, XrefEntry] => {
      const object = entry.kind === "plain" ? this.plain.get(entry.offset) : this.packedAt(entry);
      if (!object) return [number, entry];
      const offset = position;
      chunks.push(object);
      position += object.length;
      spend(this.budget, object.length);
      return [
        number,
        { kind: "plain", offset, generation: entry.kind === "plain" ? entry.generation : 0 },
      ];
    });
    return { bytes: concatBytes(chunks), xref: { entries: new Map(led), trailer } };
  }

  private packedAt(entry: XrefEntry): Uint8Array | undefined {
    return entry.kind === "packed" ? this.packed.get(`${entry.stream} ${entry.index}`) : undefined;
  }

  /** Null where nothing changes. */
  private respelled({ bytes, from, end }: Piece): Uint8Array | null {
    const value = bytes.subarray(from, end);
    if (value.indexOf(HASH) < 0) return null;
    spend(this.budget, value.length);
    const parts: Uint8Array[] = [];
    let kept = 0;
    for (let at = 0; at < value.length; ) {
      const byte = value[at];
      const after = isBlank(byte)
        ? at + 1
        : byte === PERCENT
          ? lineEnd(value, at)
          : tokenEnd(value, at);
      const name = byte === SLASH ? respelledName(value.subarray(at + 1, after)) : null;
      if (name !== null) {
        parts.push(value.subarray(kept, at), ENCODER.encode(name));
        kept = after;
      }
      at = after;
    }
    return parts.length > 0 ? concatBytes([...parts, value.subarray(kept)]) : null;
  }
}

/** Null for a name of ASCII alone or without a code. */
function respelledName(name: Uint8Array): string | null {
  if (name.indexOf(HASH) < 0) return null;
  const text = latinText(name).replace(/#([0-9A-Fa-f]{2})/g, (_code, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  if (bytes.every((byte) => byte < 0x80)) return null;
  // A code makes the parser decode the whole name as UTF-8.
  const coded = ENCODER.encode(String.fromCharCode(...bytes));
  return `/${Array.from(coded, (byte) => `#${byte.toString(16).padStart(2, "0")}`).join("")}`;
}
