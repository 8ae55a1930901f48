import type { NoticeReceipt } from "../../notices/public.ts";
import type { Verdict } from "../prints/domain/file-verdict.ts";
import type { EnvelopeProof } from "../prints/own-proofs.ts";
import type { EnvelopeRecord } from "../prints/read-record.ts";
import type { ValidatedDocument } from "../prints/validate-record.ts";

/** A signed file small enough to travel with the evidence file. */
export type SignedFile = { readonly name: string; readonly bytes: Uint8Array };

/** All that an evidence file says: the journal, and what validating the stored files gave. */
export type EvidenceFacts = {
  readonly madeAt: Date;
  readonly publicUrl: string;
  /** Who runs the service, as its certificates have it. */
  readonly organization: string;
  readonly record: EnvelopeRecord;
  readonly validated: readonly ValidatedDocument[];
  readonly verdict: Verdict;
  /** The register of messages, which no event chains. */
  readonly messages: readonly NoticeReceipt[];
  /** DER: every issuer that ever was, the living first; `timestamp`: our own authority, if it stamps. */
  readonly authorities: {
    readonly issuers: readonly Uint8Array[];
    readonly timestamp: Uint8Array | null;
  };
  readonly publicProof: EnvelopeProof;
  /** Empty when together they are too large to travel. */
  readonly signedFiles: readonly SignedFile[];
};

/** Where a document's name was erased of the journal. */
export const documentName = ({ name }: Pick<ValidatedDocument, "name">): string =>
  name ?? "Nom effacé";
