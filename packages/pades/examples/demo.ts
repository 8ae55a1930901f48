import type { Fonts } from "@paraphe/pades";
import { createDemoPki, type DemoPki } from "./demo-pki.ts";

/** What the examples share. The core has no clock: the caller gives the time. */
export type Demo = { readonly pki: DemoPki; readonly fonts: Fonts; readonly now: Date };

/** For example `node examples/countersign.ts countersigned.pdf`. */
export async function runExample(make: (demo: Demo) => Promise<Uint8Array>): Promise<void> {
  const [{ writeFile }, { readDemoFonts }] = await Promise.all([
    import("node:fs/promises"),
    import("./demo-fonts.ts"),
  ]);
  const path = process.argv[2];
  if (!path) throw new Error("Expected the path of the file to write");
  const now = new Date();
  const pki = await createDemoPki(now);
  const bytes = await make({ pki, fonts: await readDemoFonts(), now });
  await writeFile(path, bytes);
  await writeFile(`${path}.root.der`, pki.root);
  console.log(`${path}: ${bytes.length} bytes`);
}
