import { setTimeout as pause } from "node:timers/promises";
import { type KeyedQueue, serialByKey } from "../../platform/concurrency.ts";
import { onCommit } from "../../platform/database/database.ts";
import { jobs as jobCounts } from "../../platform/metrics/metrics.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Worker } from "../../platform/queue/queue.ts";
import { inSpan } from "../../platform/traces/spans.ts";
import { type AttachmentReader, deliverNotice, readOnce } from "./deliver-notice.ts";
import { type Lane, LANES } from "./domain/departure.ts";
import { retryAfterS } from "./domain/delivery-failure.ts";
import {
  type ClaimedNotice,
  claimNotices,
  type Ending,
  finishNotices,
  renewClaims,
} from "./outbox-store.ts";

/** The channel that `wake_outbox` tells (notices.sql). */
const CHANNEL = "notices";
/** For what becomes due by the clock, and commits that nobody heard of. Four fit in a lease. */
const LOOK_MS = 5_000;
/** What ends within this time is written in one statement. */
const TOGETHER_MS = 20;
const AGAIN_MS = 1_000;
/** A message that did not get its turn by then is claimed anew: it may be withdrawn by then. */
const FRESH_MS = 1_000;
const STALLED_MS = 20_000;

const LANE_NAMES = Object.keys(LANES) as Lane[];

type Claim = {
  readonly notice: ClaimedNotice;
  readonly files: AttachmentReader;
  readonly claimedAt: number;
};

/** Runs the work once at a time, and again when it is asked for meanwhile. */
function oneAtATime(work: () => Promise<void>): { ask(): void; rest(): Promise<void> } {
  let isAsked = false;
  let running: Promise<void> | null = null;
  const run = async () => {
    while (isAsked) {
      isAsked = false;
      await work();
    }
    // At once: an asking between the last look and a later moment would be lost.
    running = null;
  };
  return {
    ask() {
      isAsked = true;
      running ??= run();
    },
    rest: async () => running ?? undefined,
  };
}

/** Writes what became of messages, those that end together in one statement. */
function createEndings(platform: Platform, written: (ids: readonly string[]) => void) {
  let endings: Ending[] = [];
  const { ask } = oneAtATime(async () => {
    await pause(TOGETHER_MS);
    const batch = endings;
    endings = [];
    try {
      if (batch.length > 0) await finishNotices(platform.db, batch);
      written(batch.map(({ id }) => id));
    } catch (error) {
      // What is sent and not written would be sent again.
      platform.log.warn({ error }, "what became of messages could not be written yet");
      endings.unshift(...batch);
      await pause(AGAIN_MS);
      ask();
    }
  });
  return {
    add(ending: Ending): void {
      endings.push(ending);
      ask();
    },
  };
}

/** The messages that this process has claimed. */
function createClaims() {
  const claims = new Map<string, Claim>();
  /** Lanes of which the last look took all that it could. */
  const unread = new Set<Lane>();
  const freeIn = (lane: Lane) =>
    LANES[lane].most -
    claims
      .values()
      .filter(({ notice }) => notice.lane === lane)
      .toArray().length;
  return {
    free: (): ReadonlyMap<Lane, number> => new Map(LANE_NAMES.map((lane) => [lane, freeIn(lane)])),
    /** Gives those that are new: a lease may lapse while its message is being sent. */
    add(claimed: readonly ClaimedNotice[], files: AttachmentReader): readonly Claim[] {
      const fresh = claimed
        .filter(({ id }) => !claims.has(id))
        .map((notice) => ({ notice, files, claimedAt: performance.now() }));
      for (const claim of fresh) claims.set(claim.notice.id, claim);
      for (const lane of LANE_NAMES)
        if (freeIn(lane) <= 0) unread.add(lane);
        else unread.delete(lane);
      return fresh;
    },
    delete(ids: readonly string[]): void {
      for (const id of ids) claims.delete(id);
    },
    /** True when a lane has room for half of what it may claim, and more may wait. */
    hasRoom: () => [...unread].some((lane) => freeIn(lane) * 2 >= LANES[lane].most),
    slow: () =>
      claims
        .values()
        .filter(({ claimedAt }) => !isFresh(claimedAt))
        .map(({ notice }) => notice.id)
        .toArray(),
    isEmpty: () => claims.size === 0,
  };
}

const createPlaces = () =>
  Object.fromEntries(
    LANE_NAMES.map((lane) => [lane, serialByKey({ places: LANES[lane].atOnce })]),
  ) as Record<Lane, KeyedQueue>;

const isFresh = (claimedAt: number) => performance.now() - claimedAt <= FRESH_MS;

/** Sends what is queued, in batches: woken by a commit, and every five seconds. */
export function createOutbox(platform: Platform): Worker {
  const claims = createClaims();
  const places = createPlaces();
  let isStopping = false;
  let lookedAt = Date.now();
  const looking = oneAtATime(async () => {
    if (isStopping) return;
    try {
      const claimed = await claimNotices(platform.db, { free: claims.free() });
      lookedAt = Date.now();
      const fresh = claims.add(claimed, readOnce(platform.files));
      for (const claim of fresh) void takeTurn(claim);
    } catch (error) {
      platform.log.warn({ error }, "the messages that wait could not be read");
    }
  });
  const endings = createEndings(platform, (ids) => {
    claims.delete(ids);
    if (claims.hasRoom()) looking.ask();
  });

  async function takeTurn(claim: Claim): Promise<void> {
    const { id, lane } = claim.notice;
    const ending = await places[lane].run(id, async () => {
      if (!LANES[lane].awaited) await platform.precedence.giveWay();
      const mayGo = isFresh(claim.claimedAt) && !isStopping;
      return mayGo ? attempt(platform, claim) : ({ ...claim.notice, state: "queued" } as const);
    });
    if (ending === "written") claims.delete([id]);
    else endings.add(ending);
  }

  let leave = async () => {};
  return {
    start() {
      const unhear = onCommit(platform.db, CHANNEL, looking.ask);
      const heard = { onMessage: looking.ask, onGap: looking.ask };
      const listening = platform.listen(CHANNEL, heard);
      const timer = setInterval(() => {
        void renew(platform, claims.slow());
        looking.ask();
      }, LOOK_MS);
      leave = async () => {
        clearInterval(timer);
        unhear();
        await listening.close();
      };
      lookedAt = Date.now();
      looking.ask();
    },
    check() {
      if (Date.now() - lookedAt > STALLED_MS) throw new Error("The messages are not taken up");
    },
    async stop() {
      isStopping = true;
      await leave();
      await looking.rest();
      while (!claims.isEmpty()) await pause(TOGETHER_MS);
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
