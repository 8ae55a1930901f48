import { Readable } from "node:stream";
import { slugify } from "../documents/public.ts";
import { listSignatures, pictureOf } from "../signing/public.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Archive } from "./open-archive.ts";

const LONGEST_SLUG = 60;

/** Adds one's saved signatures: what each is made of, and its picture. */
export async function exportSignatures(
  platform: Platform,
  { archive, userId }: { readonly archive: Archive; readonly userId: string },
): Promise<void> {
  for (const { id, name, kind, isDefault, createdAt, lastUsedAt, mark } of await listSignatures(platform, userId)) {
    const file = `signatures/${slugify(name).slice(0, LONGEST_SLUG)}-${id}`;
    const made = mark.kind === "strokes" ? { strokes: mark.strokes } : mark.kind === "typed" ? { text: mark.text, hand: mark.hand } : {};
    const copy = {
      id,
      name,
      kind,
      is_default: isDefault,
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    };
    await archive.addText(`${file}.json`, [`${JSON.stringify({ ...copy, ...made }, null, 2)}\n`]);
    const { type, bytes } = pictureOf(mark);
    if (type === "image/svg+xml") await archive.addText(`${file}.svg`, [new TextDecoder().decode(bytes)]);
    else await archive.addFile(`${file}.png`, { sizeBytes: bytes.length, open: async () => Readable.from([Buffer.from(bytes)]) });
  }
}
