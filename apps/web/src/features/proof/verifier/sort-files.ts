export type FileKind = "proof" | "pdf" | "certificate" | "keys" | "photo";

export type TakenFile = {
  readonly kind: FileKind;
  readonly name: string;
  readonly bytes: Uint8Array;
};

/** First bytes: JPEG, PNG, WebP (RFC 9649 §2.4), HEIF and AVIF (ISO 14496-12 §4.3). */
const PICTURE = /^(?:\xff\xd8\xff|\x89PNG\r\n|RIFF[^]{4}WEBP|[^]{4}ftyp(?:hei|hev|mif1|avif))/;

/** By content, not name; null for other files. */
export function kindOf(bytes: Uint8Array): FileKind | null {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  if (PICTURE.test(String.fromCharCode(...bytes.subarray(0, 16)))) return "photo";
  if (start.includes("%PDF-")) return "pdf";
  // A JWK set has one required member (RFC 7517 §5).
  if (/^\s*\{\s*"keys"\s*:/.test(start)) return "keys";
  if (start.trimStart().startsWith("{")) return "proof";
  if (start.includes("-----BEGIN CERTIFICATE-----")) return "certificate";
  // DER: SEQUENCE, length on two bytes (RFC 5280 §4.1).
  return bytes[0] === 0x30 && bytes[1] === 0x82 ? "certificate" : null;
}

const isOnly = (kind: FileKind): boolean => kind === "proof" || kind === "photo";

/** A proof or photograph replaces the earlier one; a same name, the same file. */
export function withFiles(
  before: readonly TakenFile[],
  added: readonly TakenFile[],
): readonly TakenFile[] {
  return added.reduce<readonly TakenFile[]>((all, file) => {
    const others = all.filter(
      ({ kind, name }) => kind !== file.kind || (!isOnly(kind) && name !== file.name),
    );
    return [...others, file];
  }, before);
}
