import type { BatchFile } from "./batch-file.ts";

/** Reads how many pages a file has and their sizes, in this page alone. What cannot be opened here is told: it could not be signed either. */
export async function readFilePages(file: File): Promise<BatchFile["state"]> {
  try {
    const [{ openPdf }, bytes] = await Promise.all([import("../../../pdf/open-pdf.ts"), file.arrayBuffer()]);
    const pdf = await openPdf(bytes, { worker: "shared" });
    try {
      const first = await pdf.pageSize(1);
      const last = pdf.pageCount === 1 ? first : await pdf.pageSize(pdf.pageCount);
      return { kind: "ready", pageCount: pdf.pageCount, first, last };
    } finally {
      pdf.close();
    }
  } catch (error) {
    const code = isProtected(error) ? "pdf_encrypted" : (await isForRecipients(file)) ? "pdf_encrypted_for_recipients" : "pdf_damaged";
    const { problemSentence } = await import("@paraphe/contracts/problems");
    return { kind: "refused", reason: problemSentence({ code }) };
  }
}

/** The engine says nothing of its own of what is encrypted for the holders of certificates. Source: ISO 32000-2 §7.6.5. */
async function isForRecipients(file: File): Promise<boolean> {
  return new TextDecoder("latin1").decode(await file.arrayBuffer()).includes("/Adobe.PubSec");
}

/** The engine's own name for a file that asks for a password. */
function isProtected(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.name === "PasswordException";
}
