import type { Reader } from "../../platform/database/database.ts";
import { mailedKey } from "./domain/mailed-key.ts";

/** Notes that a message reached its reader: its link was opened, the first time counts. One that was to be sent again is not; nor did a text that was refused arrive, for its link went by mail. */
export async function updateOpened(reader: Reader, opened: { linkSha256: Uint8Array; at: Date }): Promise<void> {
  await reader
    .updateTable("notices")
    .set((eb) => ({
      state: "delivered",
      opened_at: opened.at,
      content_wrapped: null,
      ended_at: eb.fn.coalesce("ended_at", eb.val(opened.at)),
    }))
    .where("link_sha256", "=", opened.linkSha256)
    .where("opened_at", "is", null)
    .where(({ not, and, eb }) => not(and([eb("channel", "=", "sms"), eb("state", "=", "refused")])))
    .execute();
}

/** Notes that what a message said came back: it had been delivered. */
export async function updateAnswered(reader: Reader, answered: { dedupeKey: string; at: Date }): Promise<void> {
  await reader
    .updateTable("notices")
    .set((eb) => ({ state: "delivered", content_wrapped: null, ended_at: eb.fn.coalesce("ended_at", eb.val(answered.at)) }))
    .where("dedupe_key", "in", [answered.dedupeKey, mailedKey(answered.dedupeKey)])
    .where("state", "!=", "refused")
    .execute();
}

/** Tells whether a text was refused and its words went by mail instead. */
export async function selectMailedInstead(reader: Reader, dedupeKey: string): Promise<boolean> {
  const row = await reader.selectFrom("notices").select("id").where("dedupe_key", "=", mailedKey(dedupeKey)).executeTakeFirst();
  return row !== undefined;
}

type Way = { readonly channel: string; readonly state: string; readonly mayHaveLeft: boolean };

/**
 * Gives how a message went, by the token of its link (SHA-256) or by its key: a text that could not leave went by mail; one whose gateway did not answer may
 * have gone both ways. Null when nothing of it is kept.
 */
export async function selectChannel(
  reader: Reader,
  of: { readonly linkSha256: Uint8Array } | { readonly dedupeKey: string },
): Promise<"email" | "sms" | "either" | null> {
  const rows = reader
    .selectFrom("notices")
    .select(["channel", "state", "may_have_left as mayHaveLeft"])
    .where("channel", "in", ["email", "sms"]);
  const ways: readonly Way[] =
    "linkSha256" in of
      ? await rows.where("link_sha256", "=", of.linkSha256).execute()
      : await rows.where("dedupe_key", "in", [of.dedupeKey, mailedKey(of.dedupeKey)]).execute();
  const isMailed = ways.some(({ channel }) => channel === "email");
  const isTexted = ways.some(({ channel, state, mayHaveLeft }) => channel === "sms" && (state !== "refused" || mayHaveLeft));
  if (isMailed) return isTexted ? "either" : "email";
  return isTexted ? "sms" : null;
}

/** Tells whether the last request to a recipient was refused by its server, whichever way it went. */
export async function isLastRequestRefused(reader: Reader, asked: { envelopeId: string; recipientId: string }): Promise<boolean> {
  const row = await reader
    .selectFrom("notices")
    .select("state")
    .where("envelope_id", "=", asked.envelopeId)
    .where("recipient_id", "=", asked.recipientId)
    .where("kind", "in", ["invitation", "reminder", "extended"])
    .where("channel", "!=", "push")
    .where("state", "!=", "withdrawn")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.state === "refused";
}

/** `waiting`: what a request that waits is worth: it may arrive, or it has not left; one that was withdrawn does not count, or has not left either. */
type Unreached = { readonly envelopeIds: readonly string[]; readonly waiting?: "may-arrive" | "not-left" };

/**
 * Gives the recipients of envelopes whom no request has reached: every one of theirs was refused, by the receiver's server or this service, and no server
 * was handed one without saying no (RFC 5321 §4.5.3.2.6). With `not-left`, one that waits or was withdrawn has reached nobody either.
 */
export async function selectUnreached(reader: Reader, { envelopeIds, waiting = "may-arrive" }: Unreached): Promise<ReadonlySet<string>> {
  if (envelopeIds.length === 0) return new Set();
  const requests = reader
    .selectFrom("notices")
    .select("recipient_id")
    .where("envelope_id", "in", envelopeIds)
    .where("recipient_id", "is not", null)
    .where("kind", "in", ["invitation", "reminder", "expiring", "extended"]);
  const failed = waiting === "not-left" ? (["refused", "queued", "withdrawn"] as const) : (["refused"] as const);
  const counted = waiting === "not-left" ? requests : requests.where("state", "!=", "withdrawn");
  const rows = await counted
    .groupBy("recipient_id")
    .having((eb) => eb.fn<boolean>("bool_and", [eb.and([eb("state", "in", failed), eb("may_have_left", "=", false)])]))
    .execute();
  return new Set(rows.flatMap((row) => row.recipient_id ?? []));
}
