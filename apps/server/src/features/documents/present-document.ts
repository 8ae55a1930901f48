import type { Document } from "@paraphe/contracts";
import type { StoredDocument } from "./domain/document.ts";
import { presentFindings } from "./domain/findings.ts";

/** Gives a document as the contract has it. `sha256` and `size` are those of the current bytes: what `documents/{docId}/file/` serves. */
export function presentDocument(document: StoredDocument): Document {
  return {
    id: document.id,
    name: document.name,
    size: document.current.sizeBytes,
    page_count: document.pageCount,
    sha256: Buffer.from(document.current.sha256).toString("hex"),
    pages: document.pages.map(({ width, height, rotation }) => ({ width, height, rotation })),
    order: document.position,
    control: {
      result: document.control.result,
      findings: [...presentFindings(document.control.findings)],
      accepted: document.normalisedAccepted,
    },
  };
}
