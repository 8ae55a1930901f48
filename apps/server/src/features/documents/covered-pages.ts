import { problem, type Problem } from "@paraphe/contracts";
import { type OverfullPage, overfullPages, type SignatureState } from "@paraphe/pades/parts";
import type { DocumentControl, StoredDocument } from "./domain/document.ts";
import { KEPT_CODES } from "./domain/findings.ts";
import type { FieldToPrepare } from "./prepare-revision.ts";

/** A document's fields before it is prepared. */
type PlannedDocument = {
  readonly document: Pick<StoredDocument, "pages" | "control">;
  /** This document's alone, in the order in which they will be prepared. */
  readonly fields: readonly Omit<FieldToPrepare, "id" | "documentId" | "label">[];
  /** The ids of whoever may sign first. */
  readonly firstSigners: readonly string[];
};

/** Gives the pages that so many fields would cover that a signature would not be valid any more: sealing such a file would fail. */
export function coveredPagesOf({ document, fields, firstSigners }: PlannedDocument): readonly OverfullPage[] {
  return overfullPages({
    fields: fields.map(({ recipientId, page, ...place }) => ({ ...place, ownerKey: recipientId, pageNumber: page })),
    firstOwners: firstSigners,
    state: signatureState(document.control),
    covered: document.pages.flatMap(({ covered }, index) => (covered ? [{ pageNumber: index + 1, ...covered }] : [])),
  });
}

/** Gives the refusal of a document of this name with such a page. */
export function pageCovered(name: string, { pageNumber, excess }: OverfullPage): Problem {
  return problem("page_covered", { params: { name, page: pageNumber, share: SHARES[excess] } });
}

const SHARES: Readonly<Record<OverfullPage["excess"], string>> = { half: "plus de la moitié", most: "plus de 70\u00a0%" };

/** Says what a file bore when it came, by what its control found. */
export function signatureState({ findings }: DocumentControl): SignatureState {
  const codes = new Set(findings.map(({ code }) => code));
  if (codes.has("certified")) return "certified";
  return KEPT_CODES.isDisjointFrom(codes) ? "unsigned" : "signed";
}
