export type TestPdf = {
  readonly pages?: number;
  readonly text?: string;
  readonly width?: number;
  readonly height?: number;
  /** More entries of each page. */
  readonly pageExtra?: string;
  /** More entries of the catalog. */
  readonly catalogExtra?: string;
};
/** A script on opening: such a file is signed only as a corrected copy. */
export const SCRIPT = "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>";

/** A valid PDF (ISO 32000-1, one cross-reference table), a line of ASCII text a page. */
export function makePdf({
  pages = 1,
  text = "Contrat de location",
  width = 595,
  height = 842,
  pageExtra = "",
  catalogExtra = "",
}: TestPdf = {}): Uint8Array {
  const kids = Array.from({ length: pages }, (_, index) => `${4 + 2 * index} 0 R`).join(" ");
  const objects = [
    `<</Type/Catalog/Pages 2 0 R${catalogExtra}>>`,
    `<</Type/Pages/Kids[${kids}]/Count ${pages}>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
  ];
  for (let index = 0; index < pages; index++) {
    const content = `BT /F1 18 Tf 60 ${height - 80} Td (${text} - page ${index + 1}) Tj ET`;
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + 2 * index} 0 R${pageExtra}>>`,
    );
    objects.push(`<</Length ${content.length}>>\nstream\n${content}\nendstream`);
  }
  let body = "%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n";
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(body + end, "latin1"));
}
