/** Makes a sound one-page PDF of exactly this many bytes, padded inside a stream. */
export function makePdfOfSize(sizeBytes: number): Uint8Array {
  const build = (padding: number): string => {
    const objects = [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << >> >>",
      `<< /Length ${String(padding).padStart(10)} >>\nstream\n${" ".repeat(padding)}\nendstream`,
    ];
    let text = "%PDF-1.7\n";
    const offsets = objects.map((body, index) => {
      const offset = text.length;
      text += `${index + 1} 0 obj\n${body}\nendobj\n`;
      return offset;
    });
    const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
    const start = String(text.length).padStart(10);
    return `${text}xref\n0 5\n0000000000 65535 f \n${rows}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  };
  const bytes = new TextEncoder().encode(build(sizeBytes - build(0).length));
  if (bytes.byteLength !== sizeBytes)
    throw new Error(`${bytes.byteLength} bytes made where ${sizeBytes} were asked`);
  return bytes;
}
