import { createHash } from "node:crypto";
import { toBase64Url } from "@paraphe/kernel/bytes";
import { failure, isId, problem, type Result, success } from "@paraphe/contracts";
import {
  EMBED_MINUTES,
  type EmbedAnswer,
  type EmbedRequest,
  type OpenedEmbed,
} from "@paraphe/contracts/programs/embed";
import { allOrNothing, writeTogether } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { selectOrigins } from "../accounts/public.ts";
import {
  type Actor,
  auditActor,
  changeEnvelope,
  drawTokens,
  EMBEDDED,
  inCorrection,
  insertTokens,
  isReturned,
  loadEnvelope,
  notYourTurn,
  openRecipient,
  selectConsenting,
} from "../envelopes/public.ts";
import { insertEmbedding, selectSite, spendEmbedding } from "./store.ts";

const TICKET_BYTES = 32;
const NOT_A_SITE = "Ce site ne figure pas parmi ceux de la clé";

type Embedding = {
  readonly envelopeId: string;
  readonly recipientId: string;
  readonly actor: Actor;
  /** Undefined for a person: no site shows their page. */
  readonly keyId: string | undefined;
  readonly request: EmbedRequest;
};

/**
 * Gives an address that one of the key's sites shows in a frame, once, within ten minutes.
 * Errors: `validation` for a site that the key lacks; `recipient_not_awaited`; those of
 * `changeEnvelope` and `openRecipient`.
 */
export async function createEmbedding(
  platform: Platform,
  { envelopeId, recipientId, actor, keyId, request }: Embedding,
): Promise<Result<EmbedAnswer>> {
  const { origin, return_url = null } = request;
  const ticket = toBase64Url(platform.random(TICKET_BYTES));
  const now = platform.clock();
  const expiresAt = new Date(now.getTime() + EMBED_MINUTES * 60_000);
  const command = { envelopeId, actor };
  const changed = await changeEnvelope(
    platform,
    { command, action: "remind" },
    async (trx, aggregate) => {
      const consenting = await selectConsenting(trx, envelopeId);
      const open = openRecipient(aggregate, { recipientId, now, consenting });
      if (!open.ok) return open;
      if (!open.value.awaited) return failure(problem("recipient_not_awaited"));
      const sites = keyId === undefined ? [] : await selectOrigins(trx, keyId);
      if (!sites.includes(origin))
        return failure(problem("validation", { errors: { origin: [NOT_A_SITE] } }));
      const row = {
        ticket_sha256: sha256(ticket),
        recipient_id: recipientId,
        origin,
        return_url,
        expires_at: expiresAt,
      };
      return success({
        writes: [insertEmbedding(row)],
        events: [
          {
            envelopeId,
            action: "recipient_embedded" as const,
            actor: auditActor(actor),
            detail: { recipient: recipientId, origin },
          },
        ],
      });
    },
  );
  if (!changed.ok) return changed;
  const url = `${platform.settings.publicUrl}/sign/${envelopeId}/embed/${ticket}/`;
  return success({ url, expires_at: expiresAt.toISOString() });
}

type Opening = { readonly envelopeId: string; readonly ticket: string };

/** Spends the address for a link's token. Errors: `embed_over`; `not_your_turn`, which spends nothing. */
export async function openEmbedding(
  platform: Platform,
  { envelopeId, ticket }: Opening,
): Promise<Result<OpenedEmbed>> {
  const now = platform.clock();
  return allOrNothing(platform.db, async (trx) => {
    const opened = await spendEmbedding(trx, { envelopeId, ticketSha256: sha256(ticket), now });
    if (opened === null) return failure(problem("embed_over"));
    if (opened.isEarly) {
      const early = await loadEnvelope(trx, envelopeId);
      return failure(
        early !== null && isReturned(early.envelope)
          ? inCorrection(early.envelope)
          : notYourTurn({ count: 0, names: [] }),
      );
    }
    const tokens = drawTokens(platform, [opened.recipientId], EMBEDDED);
    await writeTogether(trx, [insertTokens(tokens, now)]);
    const { origin, return_url } = opened;
    return success({ token: tokens[0]?.token ?? "", origin, return_url });
  });
}

/** The site that may frame it, also once it is spent; null for an unknown address. */
export async function siteOf(
  { db }: Pick<Platform, "db">,
  { envelopeId, ticket }: Opening,
): Promise<string | null> {
  return isId(envelopeId) ? selectSite(db, { envelopeId, ticketSha256: sha256(ticket) }) : null;
}

const sha256 = (text: string) => new Uint8Array(createHash("sha256").update(text).digest());
