import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  findRefusedLicences,
  findThirdParties,
  type LockEntry,
  type ThirdParty,
} from "./find-third-parties.ts";

/** Content under another licence than its package's: package, content, licence, text. */
const CARRIED = [
  ["@embedpdf/pdfium", "PDFium, compiled to WebAssembly", "BSD-3-Clause", "LICENSE.pdfium"],
  ["pdfjs-dist", "Foxit fonts", "BSD-3-Clause", "standard_fonts/LICENSE_FOXIT"],
  ["pdfjs-dist", "Liberation fonts", "OFL-1.1", "standard_fonts/LICENSE_LIBERATION"],
  ["pdfjs-dist", "Adobe’s character maps", "BSD-3-Clause", "cmaps/LICENSE"],
  ["pdfjs-dist", "CGATS colour profile", "CC0-1.0", "iccs/LICENSE"],
  ["pdfjs-dist", "OpenJPEG", "BSD-2-Clause", "wasm/LICENSE_OPENJPEG"],
  ["pdfjs-dist", "PDFium’s JBIG2 decoder", "BSD-3-Clause", "wasm/LICENSE_JBIG2"],
  ["pdfjs-dist", "qcms", "MIT", "wasm/LICENSE_QCMS"],
  ["pdfjs-dist", "QuickJS", "MIT", "wasm/LICENSE_QUICKJS"],
] as const;

/**
 * Lists what is shipped, from the lock file and node_modules.
 * Errors: throws on a refused licence.
 */
export function renderThirdParty(root: string): string {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockEntry>;
  };
  const parties = findThirdParties(lock.packages, root);
  const refused = findRefusedLicences(parties);
  if (refused.length > 0)
    throw new Error(
      `Licences that are not allowed: ${refused
        .map(({ name, version, licence }) => `${name}@${version} (${licence})`)
        .join(", ")}`,
    );
  for (const [name, , , file] of CARRIED) readFileSync(join(root, "node_modules", name, file));
  return [
    "## Packages",
    "",
    "| package | version | licence | text |",
    "| --- | --- | --- | --- |",
    ...parties.map(renderParty),
    "",
    "## Carried inside a package",
    "",
    "| package | content | licence | text |",
    "| --- | --- | --- | --- |",
    ...CARRIED.map(
      ([name, content, licence, file]) =>
        `| ${name} | ${content} | ${licence} | \`node_modules/${name}/${file}\` |`,
    ),
  ].join("\n");
}

const renderParty = ({ name, version, licence, text }: ThirdParty): string =>
  `| ${name} | ${version} | ${licence} | ${text === null ? "none shipped" : `\`${text}\``} |`;
