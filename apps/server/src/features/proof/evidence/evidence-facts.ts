import type { Inclusion } from "@paraphe/contracts";
import type { EnvelopeAggregate } from "../../envelopes/public.ts";
import type { StoredEvent } from "../../journal/public.ts";
import type { NoticeReceipt } from "../../notices/public.ts";
import type { Judgement } from "../prints/domain/judge-proof.ts";
import type { EnvelopeProof } from "../prints/own-proofs.ts";
import type { JournalVerdict } from "./judge-journal.ts";
import type { ToldDocument } from "./tell-files.ts";
import type { ToldAct, Unsaid } from "./told-by-journal.ts";

/** A signed file small enough to travel with the evidence file. */
export type SignedFile = { readonly name: string; readonly bytes: Uint8Array };

/** All that an evidence file says, gathered at one moment: what was recorded, and what validating the stored bytes gave. */
export type EvidenceFacts = EnvelopeAggregate & {
  readonly madeAt: Date;
  readonly publicUrl: string;
  /** Who runs the service, as its certificates have it. */
  readonly organization: string;
  /** When it was sent, as the journal has it; of a journal that does not, today's, null once the account is closed. */
  readonly senderEmail: string | null;
  /** What comes from the tables alone, and is said to. */
  readonly unsaid: Unsaid & { readonly senderEmail: boolean };
  readonly validated: readonly ToldDocument[];
  readonly judgement: Judgement;
  readonly acts: readonly ToldAct[];
  readonly events: readonly StoredEvent[];
  readonly chain: JournalVerdict;
  /** Where the tables say otherwise than a journal that holds, in French: what the file tells is then the journal's. */
  readonly differences: readonly string[];
  readonly messages: readonly NoticeReceipt[];
  /** That the journal stands in the transparency log; null while no checkpoint covers it. */
  readonly inclusion: Inclusion | null;
  /** DER: of every issuer that ever was, the living ones first; `timestamp`: of our own authority, null where somebody else's stamps. */
  readonly authorities: {
    readonly issuers: readonly Uint8Array[];
    readonly timestamp: Uint8Array | null;
  };
  readonly publicProof: EnvelopeProof;
  /** Empty when together they are too large to travel. */
  readonly signedFiles: readonly SignedFile[];
};
