import { failure, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { RequestClient } from "../../../platform/http/client-of.ts";
import type { Platform } from "../../../platform/platform.ts";
import type { SessionUser } from "../../accounts/public.ts";
import { invalidState, lockEnvelope, viewerOf } from "../../envelopes/public.ts";
import { appendEvent } from "../../journal/public.ts";
import { PRINT_KEY_ID } from "../../trust/public.ts";
import { insertPrint, type PrintRow, type QrType } from "./store.ts";

/**
 * Makes a print of an envelope that was sent: an address that proves the document for as long as the paper lives.
 * Errors: `not_found` for a stranger, `not_allowed` for a recipient, `invalid_state` for a draft or a cancelled envelope.
 */
export async function generatePrint(
  platform: Platform,
  request: { readonly envelopeId: string; readonly qrType: QrType; readonly user: SessionUser; readonly client: RequestClient },
): Promise<Result<PrintRow>> {
  const { user, client } = request;
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, request.envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const viewer = viewerOf(aggregate, user);
    if (!viewer.ok) return viewer;
    if (viewer.value.kind !== "owner") return failure(problem("not_allowed"));
    const { status } = aggregate.envelope;
    if (status === "draft" || status === "cancelled") return failure(invalidState(status));
    const print = {
      id: platform.newId(),
      envelopeId: request.envelopeId,
      ownerId: user.id,
      qrType: request.qrType,
      keyId: PRINT_KEY_ID,
      createdAt: platform.clock(),
    };
    await insertPrint(trx, print);
    await appendEvent(trx, platform, {
      envelopeId: request.envelopeId,
      action: "print_generated",
      actor: { kind: "user", id: user.id, name: user.full_name, ip: client.ip, userAgent: client.userAgent },
      detail: { print: print.id, qr_type: print.qrType },
    });
    return success(print);
  });
}
