import type { EnvelopeWarning, Problem } from "@paraphe/contracts";
import { coveredPagesOf, pageCovered } from "../documents/public.ts";
import type { EnvelopeField } from "./domain/envelope.ts";
import { awaitedRecipients } from "./domain/routing.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";

type Draft = Pick<EnvelopeAggregate, "envelope" | "documents" | "recipients" | "fields">;

/** Gives a warning for each page that the fields would cover so far that a signature would not be valid any more, at its largest field. Such a draft is not sent. */
export function coveredPageWarnings(draft: Draft): readonly EnvelopeWarning[] {
  return findCoveredPages(draft).flatMap(({ document, page, fields }) => {
    const there = fields.filter((field) => field.page === page.pageNumber);
    const [largest] = there.toSorted((left, right) => right.width * right.height - left.width * left.height);
    return largest ? [{ code: "page_covered", field_id: largest.id, document_id: document.id, page: page.pageNumber }] : [];
  });
}

/** Gives why such a draft cannot be sent, or null: its signers would agree to what could not be sealed. */
export function coveredPageRefusal(draft: Draft): Problem | null {
  const [found] = findCoveredPages(draft);
  return found ? pageCovered(found.document.name, found.page) : null;
}

function findCoveredPages({ envelope, documents, recipients, fields }: Draft) {
  const firstSigners = [...awaitedRecipients(envelope.flow, recipients)];
  const byDocument = Map.groupBy(fields, (field: EnvelopeField) => field.documentId);
  return documents.flatMap((document) => {
    const own = byDocument.get(document.id) ?? [];
    return coveredPagesOf({ document, fields: own, firstSigners }).map((page) => ({ document, page, fields: own }));
  });
}
