import { type Reading, jobs as jobCounts } from "../../platform/metrics/metrics.ts";
import { selectOutbox, deleteFarewells, deleteOldAccountNotices } from "./waiting-store.ts";
import { setTimeout as pause } from "node:timers/promises";
import { oneAtATime } from "../../platform/concurrency.ts";
import { onCommit } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Worker } from "../../platform/queue/create-queue.ts";
import { inSpan } from "../../platform/traces/spans.ts";
import { type AttachmentReader, deliverNotice, readOnce } from "./deliver-notice.ts";
import { type Lane, LANES } from "./domain/notice.ts";
import { retryAfterS } from "./domain/delivery-failure.ts";
import { claimNotices, type Ending, finishNotices, renewClaims } from "./outbox-store.ts";
import { type ClaimedNotice, openIntake } from "./enqueue-notice.ts";
import { ACCOUNT_NOTICE_DAYS } from "@paraphe/contracts";
import { deleteExpiredSubscriptions } from "./push-store.ts";
import { releaseWaiting } from "./waiting.ts";

/** `wake_outbox` (notices.sql) notifies it. */
const CHANNEL = "notices";
/** Finds what the clock makes due, and commits whose wake-up was lost: four times in a lease. */
const LOOK_MS = 5_000;
/** Endings within this time share a statement; after a kill, they are sent again. */
const TOGETHER_MS = 300;
const MOST_UNWRITTEN = 16;
const AGAIN_MS = 1_000;
const STOPPING_MS = 20;
/** A claim not sent by then is made anew: the message may have been withdrawn. */
const FRESH_MS = 1_000;
const STALLED_MS = 20_000;

const LANE_NAMES = Object.keys(LANES) as Lane[];

type Claim = {
  readonly notice: ClaimedNotice;
  readonly files: AttachmentReader;
  readonly claimedAt: number;
};

/** Writes what became of messages, those that end together in one statement. */
function createEndings(platform: Platform, written: (batch: readonly Ending[]) => void) {
  let endings: Ending[] = [];
  let waitMs = TOGETHER_MS;
  let hurry = new AbortController();
  const writing = oneAtATime(async () => {
    hurry = new AbortController();
    if (endings.length < MOST_UNWRITTEN)
      await pause(waitMs, undefined, { signal: hurry.signal }).catch(() => {});
    const batch = endings;
    endings = [];
    try {
      if (batch.length > 0) await finishNotices(platform.db, batch);
      written(batch);
    } catch (error) {
      // Not written, it would be sent again.
      platform.log.warn({ error }, "what became of messages could not be written yet");
      endings.unshift(...batch);
      await pause(AGAIN_MS);
      writing.ask();
    }
  });
  return {
    add(ending: Ending): void {
      endings.push(ending);
      if (endings.length >= MOST_UNWRITTEN) hurry.abort();
      writing.ask();
    },
    async rest(unwritten: () => number): Promise<void> {
      waitMs = 0;
      hurry.abort();
      while (unwritten() > 0) await pause(STOPPING_MS);
    },
  };
}

const isFresh = ({ claimedAt }: Claim) => performance.now() - claimedAt <= FRESH_MS;

/** Claims more once all its messages are being sent. */
function createLane(name: Lane, { send, giveBack, askForMore }: LaneWork) {
  const { atOnce, most } = LANES[name];
  let waiting: Claim[] = [];
  let busy = 0;
  let hasMore = false;
  const free = () => (waiting.length === 0 && busy < atOnce ? most : 0);
  function proceed(): void {
    for (const claim of waiting.filter((one) => !isFresh(one))) giveBack(claim);
    waiting = waiting.filter(isFresh);
    for (const claim of waiting.splice(0, atOnce - busy)) {
      busy += 1;
      void send(claim).then(() => {
        busy -= 1;
        proceed();
      });
    }
    if (hasMore && free() > 0) askForMore();
  }
  return {
    free,
    proceed,
    /** The free places, none while a message waits for one. */
    room: () => (waiting.length === 0 && !hasMore ? atOnce - busy : 0),
    add(claims: readonly Claim[], asked: number): void {
      hasMore = claims.length >= asked;
      waiting.push(...claims);
      proceed();
    },
    take(claims: readonly Claim[]): void {
      waiting.push(...claims);
      proceed();
    },
    expectMore(): void {
      hasMore = true;
      proceed();
    },
    giveAllBack(): void {
      for (const claim of waiting.splice(0)) giveBack(claim);
    },
  };
}

type LaneWork = {
  readonly send: (claim: Claim) => Promise<void>;
  readonly giveBack: (claim: Claim) => void;
  readonly askForMore: () => void;
};

function claimsOf(platform: Platform, notices: readonly ClaimedNotice[]): readonly Claim[] {
  const files = readOnce(platform.files);
  return notices.map((notice) => ({ notice, files, claimedAt: performance.now() }));
}

const isIn =
  (lane: Lane) =>
  ({ notice }: Claim): boolean =>
    notice.lane === lane;

type Lanes = Readonly<Record<Lane, ReturnType<typeof createLane>>>;

function createIntake(
  platform: Platform,
  {
    held,
    lanes,
    state,
  }: {
    readonly held: Map<string, Claim>;
    readonly lanes: Lanes;
    readonly state: { readonly isStopping: boolean; readonly hasStopped: boolean };
  },
) {
  return {
    room: (name: Lane) => (state.isStopping ? 0 : lanes[name].room()),
    take(claimed: readonly ClaimedNotice[]): void {
      // They are due again once the lease has passed.
      if (state.hasStopped) return;
      for (const claim of claimsOf(platform, claimed)) {
        held.set(claim.notice.id, claim);
        lanes[claim.notice.lane].take([claim]);
      }
    },
  };
}

function createLanes(platform: Platform) {
  /** Claimed, and their ending not written yet. */
  const held = new Map<string, Claim>();
  const state = { isStopping: false, hasStopped: false };
  let lookedAt = Date.now();
  const endings = createEndings(platform, (batch) => {
    const back = batch.filter((ending) => "dueAt" in ending).map(({ id }) => held.get(id));
    for (const { id } of batch) held.delete(id);
    for (const name of new Set(back.flatMap((claim) => claim?.notice.lane ?? [])))
      lanes[name].expectMore();
  });
  const giveBack = ({ notice }: Claim) => endings.add({ ...notice, state: "queued" });
  const send = async (claim: Claim) => {
    const { id, lane } = claim.notice;
    if (!LANES[lane].awaited) await platform.precedence.giveWay();
    if (!isFresh(claim) || state.isStopping) return giveBack(claim);
    const ending = await attempt(platform, claim);
    if (ending === "written") held.delete(id);
    else endings.add(ending);
  };
  const looking = oneAtATime(async () => {
    if (state.isStopping) return;
    try {
      const free = new Map(LANE_NAMES.map((name) => [name, lanes[name].free()]));
      const claimed = await claimNotices(platform.db, { free });
      lookedAt = Date.now();
      // A lease may lapse during sending.
      const fresh = claimsOf(
        platform,
        claimed.filter(({ id }) => !held.has(id)),
      );
      for (const claim of fresh) held.set(claim.notice.id, claim);
      for (const [name, asked] of free) lanes[name].add(fresh.filter(isIn(name)), asked);
    } catch (error) {
      platform.log.warn({ error }, "the messages that wait could not be read");
    }
  });
  const work = { send, giveBack, askForMore: looking.ask };
  const lanes = Object.fromEntries(
    LANE_NAMES.map((name) => [name, createLane(name, work)]),
  ) as Lanes;
  return {
    intake: createIntake(platform, { held, lanes, state }),
    look: looking.ask,
    lookedAt: () => lookedAt,
    async lookAgain() {
      for (const name of LANE_NAMES) lanes[name].proceed();
      const slow = held.values().filter((claim) => !isFresh(claim));
      await renew(platform, slow.map(({ notice }) => notice.id).toArray());
      looking.ask();
    },
    async stop() {
      state.isStopping = true;
      await looking.rest();
      for (const name of LANE_NAMES) lanes[name].giveAllBack();
      await endings.rest(() => held.size);
      state.hasStopped = true;
    },
  };
}

/** Sends in batches, at a commit and every five seconds. */
export function createOutbox(platform: Platform): Worker {
  const lanes = createLanes(platform);
  let leave = async () => {};
  let startedAt = 0;
  return {
    start() {
      startedAt = Date.now();
      const closeIntake = openIntake(platform.db, lanes.intake);
      const unhear = onCommit(platform.db, CHANNEL, lanes.look);
      const heard = { onMessage: lanes.look, onGap: lanes.look };
      const listening = platform.listen(CHANNEL, heard);
      const timer = setInterval(() => void lanes.lookAgain(), LOOK_MS);
      leave = async () => {
        clearInterval(timer);
        closeIntake();
        unhear();
        await listening.close();
      };
      lanes.look();
    },
    check() {
      if (Date.now() - Math.max(startedAt, lanes.lookedAt()) > STALLED_MS)
        throw new Error("The messages are not taken up");
    },
    async stop() {
      await Promise.all([lanes.stop(), leave()]);
    },
    drain: (options) => drainOutbox(platform, options),
  };
}

async function renew(platform: Platform, ids: readonly string[]): Promise<void> {
  try {
    if (ids.length > 0) await renewClaims(platform.db, ids);
  } catch (error) {
    platform.log.warn({ error }, "the claims of messages could not be renewed");
  }
}

async function attempt(
  platform: Platform,
  { notice, files }: Pick<Claim, "notice" | "files">,
  failures: unknown[] = [],
): Promise<Ending | "written"> {
  const { id, kind, channel, lane } = notice;
  const end = LANES[lane].awaited ? platform.precedence.begin() : () => {};
  try {
    const ending = await inSpan(
      () => ({
        name: `job ${lane}`,
        kind: "consumer",
        attributes: { "messaging.system": "outbox", "messaging.destination.name": lane },
      }),
      () => deliverNotice(platform, notice, files),
    );
    jobCounts.inc({
      job: lane,
      outcome: ending !== "written" && ending.state === "queued" ? "failed" : "completed",
    });
    return ending;
  } catch (error) {
    failures.push(error);
    jobCounts.inc({ job: lane, outcome: "failed" });
    platform.log.error({ error, noticeId: id, kind, channel }, "a message failed: it is retried");
    const retryInS = retryAfterS(notice.tries, Math.random());
    const { serverAnswer } = notice;
    return { id, state: "queued", serverAnswer, mayHaveLeft: true, retryInS };
  } finally {
    end();
  }
}

async function drainOutbox(
  platform: Platform,
  { deferred }: { readonly deferred: boolean },
): ReturnType<Worker["drain"]> {
  const failures: unknown[] = [];
  const free = new Map(LANE_NAMES.map((lane) => [lane, 1_000]));
  for (let found = false, all = deferred; ; found = true, all = false) {
    const claimed = await claimNotices(platform.db, { free, deferred: all });
    if (claimed.length === 0) return { found, failures };
    const files = readOnce(platform.files);
    for (const notice of claimed) {
      const ending = await attempt(platform, { notice, files }, failures);
      if (ending !== "written") await finishNotices(platform.db, [ending]);
    }
  }
}

/** Counts messages due and unsent, with the oldest's age. */
export async function readOutbox({
  db,
  clock,
}: Pick<Platform, "db" | "clock">): Promise<readonly Reading[]> {
  const waiting = await selectOutbox(db, clock());
  return [
    {
      name: "paraphe_messages_waiting",
      help: "Messages that are due and have not left.",
      values: waiting.map(({ channel, count }) => ({ labels: { channel }, value: count })),
    },
    {
      name: "paraphe_message_oldest_seconds",
      help: "How long the oldest of them has been due.",
      values: waiting.map(({ channel, oldestS }) => ({ labels: { channel }, value: oldestS })),
    },
  ];
}

const KEPT_MS = ACCOUNT_NOTICE_DAYS * 24 * 3_600_000;

export function registerNoticeJobs(platform: Platform): void {
  platform.queue.attach(createOutbox(platform));
  platform.queue.schedule("notices.end-subscriptions", "*/10 * * * *", () =>
    endSubscriptions(platform),
  );
  // Also releases messages inserted exactly at 8 h.
  platform.queue.schedule("notices.release", "*/15 * * * *", () => releaseWaiting(platform));
  platform.queue.schedule("notices.sweep", "41 3 * * *", () => sweepNotices(platform));
}

export async function endSubscriptions(platform: Pick<Platform, "db" | "clock">): Promise<void> {
  await deleteExpiredSubscriptions(platform.db, platform.clock());
}

export async function sweepNotices(platform: Platform): Promise<void> {
  await deleteFarewells(platform.db);
  await deleteOldAccountNotices(platform.db, new Date(platform.clock().getTime() - KEPT_MS));
}
