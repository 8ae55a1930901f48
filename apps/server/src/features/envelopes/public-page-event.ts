import type { NewAuditEvent } from "../journal/public.ts";
import { auditActor } from "./audit-actor.ts";
import type { EnvelopeCommand } from "./domain/command.ts";

/** The journal's word on what the public page shows, the same before the sending and after. */
export function publicPageEvent({ envelopeId, actor, proofOnly }: EnvelopeCommand & { readonly proofOnly: boolean }): NewAuditEvent {
  return { envelopeId, action: "public_page_changed", actor: auditActor(actor), detail: { proof_only: proofOnly } };
}
