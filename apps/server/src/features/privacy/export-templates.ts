import type { Platform } from "../../platform/platform.ts";
import { downloadName, slugify } from "../documents/public.ts";
import { selectLayouts, selectTemplates } from "../envelopes/public.ts";
import type { Archive } from "./open-archive.ts";

const LONGEST_SLUG = 60;

/** Adds one's templates and their files, and one's layouts. Gives the names of the files that could not be read. */
export async function exportTemplates(
  platform: Platform,
  { archive, ownerId }: { readonly archive: Archive; readonly ownerId: string },
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const { id, name, content, documents, createdAt, updatedAt } of await selectTemplates(platform.db, ownerId)) {
    const folder = `modeles/${slugify(name).slice(0, LONGEST_SLUG)}-${id}`;
    const copy = { id, name, ...content, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
    await archive.addText(`${folder}/modele.json`, [`${JSON.stringify(copy, null, 2)}\n`]);
    for (const [index, document] of documents.entries()) {
      const title = document.name.replace(/\.pdf$/i, "");
      const file = `${folder}/documents/${index + 1}-${downloadName({ title, signed: false, ending: "pdf" })}`;
      if ((await platform.files.size(document.sha256)) !== document.sizeBytes) missing.push(file);
      else await archive.addFile(file, { sizeBytes: document.sizeBytes, open: () => platform.files.stream(document.sha256) });
    }
  }
  const layouts = await selectLayouts(platform.db, ownerId);
  if (layouts.length > 0) await archive.addText("dispositions.json", [`${JSON.stringify(layouts, null, 2)}\n`]);
  return missing;
}
