import { createHash } from "node:crypto";
import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Reader, Transaction, Database } from "../../platform/database/database.ts";
import {
  afterCommit,
  databaseOf,
  type Write,
  writeTogether,
} from "../../platform/database/in-transaction.ts";
import type { Platform, Clock } from "../../platform/platform.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { hitThrottles, readThrottles, secondsLeft } from "../../platform/throttle/throttle.ts";
import {
  BUDGET_WINDOW_S,
  budgetsOf,
  type Counted,
  delayOf,
  type Lane,
  laneOf,
  type Notice,
  type NoticeChannel,
  type NoticeContents,
  type NoticeKind,
  type NoticeRhythm,
  overspent,
  senderOf,
} from "./domain/notice.ts";
import type { OwnRefusal } from "./domain/delivery-failure.ts";
import {
  type AddedNotice,
  insertNotices,
  type NewNotice,
  refuseNotices,
  deleteUnsentDeadlines,
  withdrawDelegated,
  withdrawQueued,
  updateAnswered,
  updateOpened,
} from "./store.ts";

/** Only this process may send it until its lease has passed. */
export type ClaimedNotice = {
  readonly id: string;
  readonly lane: Lane;
  readonly dedupeKey: string;
  readonly kind: NoticeKind;
  readonly channel: NoticeChannel;
  readonly destination: string;
  readonly messageId: string;
  readonly envelopeId: string | null;
  readonly recipientId: string | null;
  readonly delegatorId: string | null;
  readonly userId: string | null;
  readonly senderId: string | null;
  readonly linkSha256: Uint8Array | null;
  readonly contentWrapped: Uint8Array;
  readonly createdAt: Date;
  readonly notBefore: Date | null;
  readonly tries: number;
  readonly serverAnswer: string | null;
  /** A server got it before this claim and did not clearly refuse. */
  readonly mayHaveLeft: boolean;
  readonly dueAt: Date;
};

/** After this time another process may claim the message. */
export const LEASE_S = 20;
/**
 * Takes what a commit of this process inserted as claimed. `room`: free places of a lane; `take`
 * runs after the commit.
 */
type Intake = {
  room(lane: Lane): number;
  take(claimed: readonly ClaimedNotice[]): void;
};
const intakes = new WeakMap<Database, Intake>();

export function intakeOf(db: Database | null): Intake | null {
  return (db && intakes.get(db)) ?? null;
}

export function openIntake(db: Database, intake: Intake): () => void {
  intakes.set(db, intake);
  return () => void intakes.delete(db);
}

/** Encrypted until the message has left. */
type MessageContent<K extends NoticeKind> = {
  readonly fullName: string;
  readonly mailInstead?: string;
  /** The rhythm of the mail that may replace it. */
  readonly rhythm?: NoticeRhythm;
  readonly content: NoticeContents[K];
};

/** Bound to its id, so that it opens nowhere else. */
export function wrapContent<K extends NoticeKind>(
  secrets: SecretBox,
  noticeId: string,
  message: MessageContent<K>,
): Uint8Array {
  return secrets.wrap(new TextEncoder().encode(JSON.stringify(message)), context(noticeId));
}

/** Throws on an altered byte, or another id. */
export function unwrapContent<K extends NoticeKind>(
  secrets: SecretBox,
  noticeId: string,
  wrapped: Uint8Array,
): MessageContent<K> {
  return JSON.parse(
    new TextDecoder().decode(secrets.unwrap(wrapped, context(noticeId))),
  ) as MessageContent<K>;
}

/** Gives null for an altered byte, another id or key. */
export function readableContent(
  ...[secrets, noticeId, wrapped]: Parameters<typeof unwrapContent>
): MessageContent<NoticeKind> | null {
  try {
    return unwrapContent(secrets, noticeId, wrapped);
  } catch {
    return null;
  }
}

function context(noticeId: string): string {
  return `notice:${noticeId}`;
}

type Counting = Pick<Platform, "clock" | "settings">;

/** Gives the indexes of those over budget. */
async function countMessages(
  trx: Transaction,
  platform: Counting,
  messages: readonly Counted[],
): Promise<ReadonlySet<number>> {
  if (platform.settings.rateLimits === "off") return new Set();
  const asked = tally(messages, 1);
  if (asked.size === 0) return new Set();
  const window = { windowS: BUDGET_WINDOW_S, now: platform.clock() };
  const after = await hitThrottles(trx, { hits: asked, ...window });
  const before = new Map(
    messages
      .flatMap(budgetsOf)
      .map(({ of }) => [of, (after.get(keyOf(of)) ?? 0) - (asked.get(keyOf(of)) ?? 0)]),
  );
  const verdicts = overspent(messages, before);
  // Under the lock they are taken off before anybody reads.
  const refused = tally(
    messages.filter((_, index) => verdicts[index] !== null),
    -1,
  );
  if (refused.size > 0) await hitThrottles(trx, { hits: refused, ...window });
  return new Set(verdicts.flatMap((budget, index) => (budget === null ? [] : [index])));
}

function tally(messages: readonly Counted[], each: 1 | -1): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { of } of messages.flatMap(budgetsOf))
    counts.set(keyOf(of), (counts.get(keyOf(of)) ?? 0) + each);
  return counts;
}

/**
 * Answers before anything is written; `enqueueNotices` checks again under locks.
 * Errors: `too_many_messages`, with the time to wait.
 */
export async function mayStillSend(
  reader: Reader,
  platform: Counting,
  messages: readonly Counted[],
): Promise<Result<null>> {
  if (platform.settings.rateLimits === "off") return success(null);
  const window = { windowS: BUDGET_WINDOW_S, now: platform.clock() };
  const names = [...new Set(messages.flatMap(budgetsOf).map(({ of }) => of))];
  if (names.length === 0) return success(null);
  const hits = await readThrottles(reader, { keys: names.map(keyOf), ...window });
  const verdicts = overspent(
    messages,
    new Map(names.map((name) => [name, hits.get(keyOf(name)) ?? 0])),
  );
  const index = verdicts.findIndex((budget) => budget !== null);
  if (index === -1) return success(null);
  const whither =
    verdicts[index]?.about === "sender"
      ? "de votre compte"
      : `vers ${messages[index]?.destination}`;
  return failure(
    problem("too_many_messages", { params: { whither }, retryAfterS: secondsLeft(window) }),
  );
}

/** Hashes the name, so that counters hold no address. */
function keyOf(name: string): string {
  return `messages ${createHash("sha256").update(name).digest("base64url")}`;
}

type OutboxPlatform = Pick<Platform, "clock" | "newId" | "secrets" | "settings">;

/**
 * Inserts in the caller's transaction, whose commit wakes the sender (`run-outbox.ts`). A
 * `dedupeKey` is inserted once.
 */
export function enqueueNotice(
  trx: Transaction,
  platform: OutboxPlatform,
  notice: Notice,
): Promise<void> {
  return enqueueNotices(trx, platform, [notice]);
}

export async function enqueueNotices(
  trx: Transaction,
  platform: OutboxPlatform,
  notices: readonly Notice[],
): Promise<void> {
  const { write, settle } = queueNotices(trx, platform, notices);
  await writeTogether(trx, [write]);
  await settle();
}

/**
 * Joins a decision's writes; `settle` follows. A message over budget, or a mail while mails are
 * off, is stored as refused. A delayed one is released later (`waiting.ts`). Few enough to leave at
 * once are claimed by this process, which sends them after the commit; if it dies, they are due
 * once the lease has passed.
 */
export function queueNotices(
  trx: Transaction,
  platform: OutboxPlatform,
  notices: readonly Notice[],
): { readonly write: Write | null; readonly settle: () => Promise<void> } {
  const rows = notices.map((notice) => rowOf(platform, notice));
  const intake = intakeOf(databaseOf(trx));
  const isOff = ({ channel }: NewNotice) => platform.settings.mailDisabled && channel === "email";
  const lanes = Map.groupBy(
    rows.filter(({ delay }) => delay === null),
    laneOf,
  );
  const fits = ([lane, { length }]: readonly [Lane, readonly NewNotice[]]) =>
    intake !== null && length <= intake.room(lane);
  const claims = !rows.some(isOff) && [...lanes].every(fits);
  let added: readonly AddedNotice[] = [];
  const write = insertNotices(rows, claims ? LEASE_S : 0, (given) => {
    added = given;
  });
  const settle = async () => {
    const dueAt = new Map(added.map(({ id, due_at }) => [id, new Date(due_at)]));
    const counted = rows.filter(({ id }) => dueAt.has(id));
    const sendable = counted.filter((row) => !isOff(row));
    const refused = await countMessages(trx, platform, sendable);
    const [overBudget, allowed] = [true, false].map((isOver) =>
      sendable.filter((_, index) => refused.has(index) === isOver),
    ) as [NewNotice[], NewNotice[]];
    const at = platform.clock();
    await refuse(trx, { rows: counted.filter(isOff), serverAnswer: "mail_off", at });
    await refuse(trx, { rows: overBudget, serverAnswer: "too_many", at });
    const claimed = allowed.filter(({ delay }) => claims && delay === null);
    if (claimed.length > 0)
      afterCommit(trx, () =>
        intake?.take(claimed.map((row) => claimOf(row, dueAt.get(row.id) as Date))),
      );
  };
  return { write, settle };
}

function claimOf(row: NewNotice, dueAt: Date): ClaimedNotice {
  const untried = { notBefore: null, tries: 0, serverAnswer: null, mayHaveLeft: false };
  return { ...row, ...untried, lane: laneOf(row), dueAt };
}

async function refuse(
  trx: Transaction,
  { rows, ...end }: { rows: readonly NewNotice[]; serverAnswer: OwnRefusal; at: Date },
): Promise<void> {
  if (rows.length > 0) await refuseNotices(trx, { ids: rows.map(({ id }) => id), ...end });
}

function rowOf(platform: OutboxPlatform, notice: Notice): NewNotice {
  const id = notice.id ?? platform.newId();
  const now = platform.clock();
  return {
    id,
    dedupeKey: notice.dedupeKey,
    kind: notice.kind,
    channel: notice.channel,
    destination: notice.to.address,
    // Made once, so that a retry is the same message (RFC 5322 §3.6.4).
    messageId: `<${id}@${new URL(platform.settings.publicUrl).hostname}>`,
    envelopeId: notice.envelopeId ?? null,
    recipientId: notice.recipientId ?? null,
    delegatorId: notice.delegatorId ?? null,
    userId: notice.userId ?? null,
    senderId: senderOf(notice),
    linkSha256: notice.linkSha256 ?? null,
    contentWrapped: wrapContent(platform.secrets, id, contentOf(notice)),
    createdAt: now,
    delay: delayOf(notice, now),
  };
}

function contentOf({
  to: { fullName, mailInstead },
  rhythm,
  content,
}: Notice): Parameters<typeof wrapContent>[2] {
  return {
    fullName,
    ...(mailInstead === undefined ? {} : { mailInstead }),
    ...(rhythm === undefined ? {} : { rhythm }),
    content,
  };
}

const REQUESTS: readonly NoticeKind[] = ["invitation", "reminder", "expiring", "extended", "code"];
const SOME = {
  codes: ["code"],
  deadlines: ["extended"],
  warnings: ["expiring"],
} as const satisfies Record<string, readonly NoticeKind[]>;

/**
 * Withdraws requests and codes that are void. `only`: `codes` leaves links; `deadlines` and
 * `warnings` concern a former deadline.
 */
export function withdrawNotices(
  platform: { readonly clock: Clock },
  which: {
    readonly envelopeId: string;
    readonly recipientId?: string;
    readonly only?: keyof typeof SOME;
  },
): Write {
  return withdrawQueued({
    envelopeId: which.envelopeId,
    recipientId: which.recipientId ?? null,
    kinds: which.only === undefined ? REQUESTS : SOME[which.only],
    at: platform.clock(),
  });
}

/** Withdraws what asks a delegate to act, once the delegation is over. */
export function withdrawRequestsTo(
  trx: Transaction,
  platform: { readonly clock: Clock },
  which: { readonly delegateId: string; readonly delegationId: string },
): Promise<void> {
  return withdrawDelegated(trx, { ...which, kinds: REQUESTS, at: platform.clock() });
}

/** A deadline that a recipient does not know; `reopened`: nor that their link works again. */
type UnsentDeadline = {
  readonly recipientId: string;
  readonly knownDeadlineAt: Date | null;
  readonly reopened: boolean;
};

/**
 * Deletes unsent deadlines; gives what recipients do not know, except those asked since. What a
 * server took counts as known.
 */
export async function takeBackDeadlines(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "secrets">,
  envelopeId: string,
): Promise<readonly UnsentDeadline[]> {
  const unsent = await deleteUnsentDeadlines(trx, envelopeId);
  await writeTogether(trx, [withdrawNotices(platform, { envelopeId, only: "deadlines" })]);
  return unsent.flatMap(({ id, recipientId, contentWrapped }) => {
    const { knownDeadlineAt, reopened } = unwrapContent<"extended">(
      platform.secrets,
      id,
      contentWrapped,
    ).content;
    if (knownDeadlineAt === undefined) return [];
    return [
      {
        recipientId,
        knownDeadlineAt: knownDeadlineAt === null ? null : new Date(knownDeadlineAt),
        reopened,
      },
    ];
  });
}

/** Records that its link was opened (SHA-256 of the token) or its code came back. */
export function arrivalOf(
  platform: { readonly clock: Clock },
  proof: { readonly linkSha256: Uint8Array } | { readonly dedupeKey: string },
): Write {
  const at = platform.clock();
  return "linkSha256" in proof
    ? updateOpened({ linkSha256: proof.linkSha256, at })
    : updateAnswered({ dedupeKey: proof.dedupeKey, at });
}

export async function recordArrival(
  reader: Reader,
  platform: { readonly clock: Clock },
  proof: Parameters<typeof arrivalOf>[1],
): Promise<void> {
  await writeTogether(reader, [arrivalOf(platform, proof)]);
}
