import type { TestFile } from "./render-security-lines.ts";
import { type SignatureLine, signatureLines } from "./signature-lines.ts";

/** Gives the table of what the signing core promises with the tests that show it. Throws when a test that is named is not there. */
export function renderSignatureLines(files: readonly TestFile[], lines: readonly SignatureLine[] = signatureLines): string {
  const rows = lines.map(({ what, shownBy }) => {
    const tests = shownBy.map((reference) => {
      const [file = "", ...title] = reference.split(": ");
      const name = title.join(": ");
      if (!files.some(({ path, text }) => path.endsWith(`/${file}`) && text.includes(name)))
        throw new Error(`${file} has no test named "${name}"`);
      return `${name.replaceAll("|", "\\|")} (\`${file}\`)`;
    });
    return `| ${what} | ${tests.join("<br>")} |`;
  });
  return ["| what | shown by |", "| --- | --- |", ...rows].join("\n");
}
