import {
  MAILING_KEPT_DAYS,
  type Problem,
  problem,
  problemSentence,
  type Result,
  success,
} from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { failPoint } from "../../../platform/fail-point.ts";
import { AlteredFileError, MissingFileError } from "../../../platform/files/file-store.ts";
import type { Platform } from "../../../platform/platform.ts";
import { emailKey, loadMember, selectBehind } from "../../accounts/public.ts";
import { enqueueNotices, noticesForMember } from "../../notices/public.ts";
import { holdersOf, isPermitted, selectStanding } from "../../organisations/public.ts";
import type { Actor } from "../domain/viewer.ts";
import { sendEnvelope } from "../send-envelope.ts";
import { loadEnvelope } from "../store.ts";
import { fillingOf, type MailingRow } from "./mailing-lines.ts";
import type { Template } from "./domain/template.ts";
import {
  deleteMailingsBefore,
  endMailing,
  endRow,
  isKeyRevoked,
  linkRow,
  nextRow,
  pauseMailing,
  RowTakenError,
  selectMailing,
  selectRunning,
  type StoredMailing,
} from "./mailing-store.ts";
import { selectTemplate } from "./store.ts";
import { draftFromTemplate } from "./templates.ts";

const RUN_JOB = "mailings.send";
const payloadSchema = z.strictObject({ mailing_id: z.uuid() });
/** Every few seconds, then every minute, for ever: an outage delays a mailing. */
const RETRIES = {
  concurrency: 1,
  retryLimit: 1_000_000,
  retryDelayS: 2,
  retryDelayMaxS: 60,
  expireInS: 1_800,
} as const;
/** Lines; then another mailing has its turn. */
const SLICE = 50;
const DAY_MS = 86_400_000;
/** A file that nobody sent is forgotten. */
const PREPARED_DAYS = 7;
/** Without a time in the refusal. */
const SHORT_PAUSE_S = 30;

export function registerMailingJobs(platform: Platform): void {
  platform.queue.handle(RUN_JOB, RETRIES, async (payload) => {
    const { mailing_id: id } = z.parse(payloadSchema, payload);
    const outcome = await runMailing(platform, id);
    if (outcome !== "ended")
      await inTransaction(platform.db, (trx) => enqueueMailing(trx, platform, { id, ...outcome }));
  });
  platform.queue.schedule("mailings.resume", "*/10 * * * *", () => resumeMailings(platform));
  platform.queue.schedule("mailings.forget", "25 3 * * *", () => {
    const before = (days: number) => new Date(platform.clock().getTime() - days * DAY_MS);
    return deleteMailingsBefore(platform.db, {
      ended: before(MAILING_KEPT_DAYS),
      prepared: before(PREPARED_DAYS),
    });
  });
}

type Queueing = Pick<Platform, "queue" | "newId">;

export async function enqueueMailing(
  trx: Transaction,
  { queue, newId }: Queueing,
  { id, ...rules }: { readonly id: string; readonly startAfter?: Date },
): Promise<void> {
  const singletonKey = `${id}:${newId()}`;
  await queue.enqueue(trx, RUN_JOB, { mailing_id: id }, { ...rules, singletonKey });
}

/** At start and periodically: work of a dead process. Never throws. */
export async function resumeMailings(platform: Platform): Promise<void> {
  try {
    for (const id of await selectRunning(platform.db))
      await inTransaction(platform.db, async (trx) => {
        const singletonKey = `${id}:resumed`;
        await platform.queue.enqueue(trx, RUN_JOB, { mailing_id: id }, { singletonKey });
      });
  } catch (error) {
    platform.log.warn({ error }, "the mailings to take up could not be listed");
  }
}

type Outcome = "ended" | { readonly startAfter?: Date };

/** One line after the other. Throws when sending cannot go on; what left stays sent. */
export async function runMailing(platform: Platform, id: string): Promise<Outcome> {
  const mailing = await selectMailing(platform.db, { id });
  if (mailing?.state !== "running") return "ended";
  const { paused_until: until } = mailing;
  if (until !== null && until > platform.clock()) return { startAfter: until };
  const work = await workOf(platform, mailing);
  for (let count = 0; count < SLICE; count += 1) {
    const row = work && (await nextRow(platform.db, id));
    if (row === null) {
      await inTransaction(platform.db, (trx) => end(trx, platform, { mailing, work }));
      return "ended";
    }
    const sent = await sendRow(platform, work as Work, row);
    if (sent.ok) continue;
    const pause = pauseOf(platform, sent.error);
    if (pause !== null) {
      await pauseMailing(platform.db, id, pause);
      return { startAfter: pause.until };
    }
    await endRow(
      platform.db,
      { id, line: row.line },
      { state: "failed", note: detailOf(sent.error) },
    );
  }
  return {};
}

type Work = {
  readonly mailing: StoredMailing;
  readonly actor: Actor;
  readonly template: Template | null;
};

/**
 * The sender is who started it; of a shared key's mailing, who stands behind the key now. Null:
 * nobody may send in that name any more.
 */
async function workOf({ db }: Platform, mailing: StoredMailing): Promise<Work | null> {
  const { owner_id: userId, holder_id: holderId } = mailing;
  const sender = holderId === userId ? { userId } : await selectBehind(db, { userId, holderId });
  const member = sender && (await loadMember(db, sender.userId));
  if (sender === null || member === null) return null;
  const { userId: id, ...held } = sender;
  const standing = { ...(await selectStanding(db, id)), ...held };
  if (!isPermitted(standing.role, "do_work")) return null;
  const { program, ip_address, user_agent, template_id } = mailing;
  const user = {
    id: member.id,
    email: member.email,
    email_key: emailKey(member.email),
    recipient_key: null,
    full_name: member.fullName,
    ...standing,
    ...(program === null ? {} : { program }),
  };
  const template =
    template_id && (await selectTemplate(db, { id: template_id, holders: holdersOf(user) }));
  const client = { ip: ip_address ?? "", userAgent: user_agent ?? "" };
  return { mailing, template: template || null, actor: { user, client } };
}

/**
 * A line whose envelope was made goes on with it; one that has left already counts as sent.
 * Errors: those of `draftFromTemplate` and `sendEnvelope`.
 */
async function sendRow(platform: Platform, work: Work, row: MailingRow): Promise<Result<null>> {
  const { mailing, actor } = work;
  try {
    const made =
      row.envelopeId === null ? await makeDraft(platform, work, row) : success(row.envelopeId);
    if (!made.ok) return made;
    failPoint("mailing_drafted");
    const envelopeId = made.value;
    if (!(await hasLeft(platform, envelopeId))) {
      const sent = await sendEnvelope(platform, { envelopeId, actor, version: null });
      if (!sent.ok && !(await hasLeft(platform, envelopeId))) return sent;
    }
    failPoint("mailing_sent");
    await endRow(platform.db, { id: mailing.id, line: row.line }, { state: "sent", note: null });
    return success(null);
  } catch (error) {
    // Another process has this line, or the mailing was stopped.
    if (error instanceof RowTakenError) return success(null);
    if (error instanceof MissingFileError || error instanceof AlteredFileError)
      return { ok: false, error: problem("stored_file_lost") };
    throw error;
  }
}

async function makeDraft(
  platform: Platform,
  { mailing, actor, template }: Work,
  { line, cells }: MailingRow,
): Promise<Result<string>> {
  if (template === null) return { ok: false, error: problem("not_found") };
  const filling = fillingOf({ template, plan: mailing.plan }, cells, platform.clock());
  const made = await draftFromTemplate(platform, {
    template,
    actor,
    filling,
    link: (trx, envelopeId) => linkRow(trx, { id: mailing.id, line }, envelopeId),
  });
  return made.ok ? success(made.value.envelope.id) : made;
}

async function hasLeft({ db }: Platform, envelopeId: string): Promise<boolean> {
  const found = await loadEnvelope(db, envelopeId);
  return found !== null && found.envelope.sentAt !== null;
}

const PAUSES: ReadonlySet<Problem["code"]> = new Set([
  "too_many_requests",
  "too_many_messages",
  "service_unavailable",
]);

/** A limit of the service is not the line's fault. */
function pauseOf({ clock }: Platform, refusal: Problem) {
  if (!PAUSES.has(refusal.code)) return null;
  const seconds = refusal.retryAfterS ?? SHORT_PAUSE_S;
  return { until: new Date(clock().getTime() + seconds * 1_000), detail: problemSentence(refusal) };
}

function detailOf(refusal: Problem): string {
  if (refusal.code === "not_found")
    return "Le modèle ou le brouillon de cette ligne a été supprimé";
  const [message] = refusal.code === "validation" ? Object.values(refusal.errors ?? {}).flat() : [];
  return message ?? problemSentence(refusal);
}

const NOBODY = "Plus personne ne peut envoyer en ce nom";
const REVOKED = "La clé du programme qui a lancé cet envoi a été révoquée";

async function end(
  trx: Transaction,
  platform: Platform,
  ended: { readonly mailing: StoredMailing; readonly work: Work | null },
): Promise<void> {
  const { id, owner_id, holder_id } = ended.mailing;
  const now = platform.clock();
  const isRevoked = await isKeyRevoked(trx, id);
  const fault = ended.work === null ? NOBODY : isRevoked ? REVOKED : null;
  if (!(await endMailing(trx, id, { now, fault }))) return;
  const mailing = await selectMailing(trx, { id });
  const reader = ended.work?.actor.user.id ?? (holder_id === owner_id ? owner_id : null);
  const member = reader && (await loadMember(trx, reader));
  if (mailing === null || !member) return;
  const endedAt = now.toISOString();
  const { sent, failed } = mailing.counts;
  const notice = {
    kind: "mailing_ended",
    dedupeKey: `mailing_ended:${id}:${endedAt}`,
    content: {
      templateName: mailing.template_name,
      sent,
      failed,
      endedAt,
      link: `${platform.settings.publicUrl}/signature/templates/${mailing.template_id ?? id}/csv?envoi=${id}`,
    },
  } as const;
  await enqueueNotices(trx, platform, await noticesForMember(trx, platform, { member, notice }));
}
