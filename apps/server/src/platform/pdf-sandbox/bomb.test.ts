import { constants, deflateRawSync } from "node:zlib";
import { PadesError } from "@paraphe/pades";
import { afterAll, expect, test } from "vitest";
import { createPdfSandbox } from "./create-pdf-sandbox.ts";
import { SandboxLimitError } from "./pdf-sandbox.ts";

const sandbox = createPdfSandbox({ size: 1 });
afterAll(() => sandbox.close());

const CHUNK_BYTES = 16 * 1024 * 1024;

/** Zeros, deflated without ever being held: blocks that end on a byte may be repeated (RFC 1951 §3.2.4; the checksum is RFC 1950's Adler-32 of zeros). */
function deflatedZeros(chunks: number): Uint8Array {
  const block = deflateRawSync(new Uint8Array(CHUNK_BYTES), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(((((chunks * CHUNK_BYTES) % 65_521) << 16) | 1) >>> 0);
  return Buffer.concat([Buffer.from([0x78, 0xda]), ...Array.from({ length: chunks }, () => block), Buffer.from([0x03, 0x00]), checksum]);
}

/** A one-page PDF with a stream that every reader must inflate first: its cross-references, or its objects. */
function pdfWithStream(data: Uint8Array, where: "xref" | "objects"): Uint8Array {
  const kind = where === "xref" ? "/Type /XRef /W [1 2 1] /Index [0 4] /Root 1 0 R /Size 5" : "/Type /ObjStm /N 1 /First 4";
  const parts = [
    Buffer.from(
      "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n",
    ),
    Buffer.from("3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>\nendobj\n"),
  ];
  const offset = parts.reduce((sum, part) => sum + part.length, 0);
  parts.push(Buffer.from(`4 0 obj\n<< ${kind} /Filter /FlateDecode /Length ${data.length} >>\nstream\n`), Buffer.from(data));
  parts.push(Buffer.from(`\nendstream\nendobj\nstartxref\n${offset}\n%%EOF\n`));
  return new Uint8Array(Buffer.concat(parts));
}

const contract = Buffer.from(
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\n" +
    "xref\n0 4\n0000000000 65535 f \n0000000009 00000 n \n0000000054 00000 n \n0000000105 00000 n \ntrailer<</Size 4/Root 1 0 R>>\nstartxref\n169\n%%EOF\n",
);

test("reads a sound document", async () => {
  expect(await sandbox.call("inspect", new Uint8Array(contract))).toMatchObject({ pageCount: 1, signatureCount: 0 });
});

test.each(["xref", "objects"] as const)(
  "survives 1.5 GB deflated in its %s, and reads the next document",
  async (where) => {
    const bomb = pdfWithStream(deflatedZeros(90), where);
    expect(bomb.length).toBeLessThan(2_000_000);
    const outcome = await sandbox.call("inspect", bomb).catch((error: unknown) => error);
    expect(outcome instanceof SandboxLimitError || outcome instanceof PadesError).toBe(true);
    expect(await sandbox.call("inspect", new Uint8Array(contract))).toMatchObject({ pageCount: 1 });
  },
  60_000,
);
