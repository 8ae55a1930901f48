import type { Reader } from "../../platform/database/database.ts";
import type { StoredDocument } from "../documents/public.ts";
import { type EnvelopeParts, selectEnvelope } from "./store.ts";

/** An envelope with all its parts, each list in order. */
export type EnvelopeAggregate = EnvelopeParts & { readonly documents: readonly StoredDocument[] };

/** Gives an envelope that is not purged, or null. */
export function loadEnvelope(reader: Reader, id: string): Promise<EnvelopeAggregate | null> {
  return selectEnvelope(reader, id);
}
