import type { BatchFile } from "./batch-file.ts";

/** Reads how many pages a file has and their sizes, in this page alone. What cannot be opened here is told: it could not be signed either. */
export async function readFilePages(file: File): Promise<BatchFile["state"]> {
  try {
    const [{ openPdf }, bytes] = await Promise.all([import("../../pdf/open-pdf.ts"), file.arrayBuffer()]);
    const pdf = await openPdf(bytes, { worker: "shared" });
    try {
      const first = await pdf.pageSize(1);
      const last = pdf.pageCount === 1 ? first : await pdf.pageSize(pdf.pageCount);
      return { kind: "ready", pageCount: pdf.pageCount, first, last };
    } finally {
      pdf.close();
    }
  } catch (error) {
    if (isProtected(error))
      return { kind: "refused", reason: "Ce PDF est protégé par un mot de passe. Retirez la protection, puis déposez-le à nouveau." };
    return { kind: "refused", reason: "Ce fichier ne peut pas être lu. Exportez-le à nouveau en PDF." };
  }
}

/** The engine's own name for a file that asks for a password. */
function isProtected(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.name === "PasswordException";
}
