import { PDF, PdfRef, PdfStream } from "@libpdf/core";
import { concatBytes } from "../asn1/der-writer.ts";
import { PadesError } from "../pades-error.ts";
import { packedBearably, requireBearableObjects } from "./bearable-objects.ts";
import { ExactNames } from "./exact-names.ts";
import { quietly, resolveQuietly } from "./obey-xref.ts";
import type { RawDictionary } from "./read-dictionary.ts";
import type { WorkBudget } from "./work-budget.ts";
import { writeObject } from "./write-object.ts";
import type { CrossReference, XrefEntry } from "./xref-types.ts";
import { xrefView } from "./xref-view.ts";

const ENCODER = new TextEncoder();
const KEYS = ["Filter", "DecodeParms", "N", "First"];
type Xref = Pick<CrossReference, "entries" | "trailer">;

/**
 * Checks the object streams of an encrypted file. The parser decrypts them from a catalog of ours
 * that leads to no packed object, so it reads none; false when one is unreadable.
 * Shape: true for a file without encryption or with a user password.
 * Errors: PadesError `pdf_too_complex`, `pdf_damaged`; `pdf_encrypted` for names that the parser
 * changes.
 */
export async function isDecryptedBearably(
  bytes: Uint8Array,
  { entries, trailer }: Xref,
  budget: WorkBudget,
): Promise<boolean> {
  const packing = new Set(
    [...entries.values()].flatMap((entry) => (entry.kind === "packed" ? [entry.stream] : [])),
  );
  if (packing.size === 0 || !trailer.entries.has("Encrypt")) return true;
  const { view, plain } = withoutPacking(bytes, { entries, trailer });
  requireBearableObjects(view, { entries: plain, trailer }, { budget });
  const pdf = await quietly(() => PDF.load(view)).catch(() => null);
  if (!pdf) return false;
  if (!pdf.isAuthenticated) return true;
  const resolve = resolveQuietly(pdf);
  const names = new ExactNames(budget);
  const isReadable = [...packing].every((number) => {
    const stream = resolve(PdfRef.of(number, 0));
    return (
      stream instanceof PdfStream &&
      packedBearably(dictionaryOf(stream), stream.data, { budget, stream: number, names })
    );
  });
  // The parser respells such names, and a decrypted copy would keep its spelling.
  if (!names.isEmpty)
    throw new PadesError("pdf_encrypted", "Expected names that outlast the encryption", {
      clause: "ISO 32000-2 §7.3.5",
    });
  return isReadable;
}

function withoutPacking(
  bytes: Uint8Array,
  { entries, trailer }: Xref,
): { readonly view: Uint8Array; readonly plain: Xref["entries"] } {
  const plain = new Map<number, XrefEntry>(
    [...entries].filter(([, entry]) => entry.kind === "plain"),
  );
  let number = 1;
  while (entries.has(number)) number += 1;
  plain.set(number, { kind: "plain", offset: bytes.length + 1, generation: 0 });
  const root = `${number} 0 R`;
  const kept = new Map(trailer.entries).set("Root", { text: root, bytes: ENCODER.encode(root) });
  const catalog = ENCODER.encode(`\n${number} 0 obj\n<</Type/Catalog>>\nendobj\n`);
  return {
    view: xrefView(concatBytes([bytes, catalog]), {
      entries: plain,
      trailer: { ...trailer, entries: kept },
    }),
    plain,
  };
}

function dictionaryOf(stream: PdfStream): RawDictionary {
  const written = KEYS.flatMap((key): [string, { text: string; bytes: Uint8Array }][] => {
    const value = stream.get(key);
    return value ? [[key, { text: writeObject(value), bytes: new Uint8Array() }]] : [];
  });
  return { entries: new Map(written), end: 0 };
}
