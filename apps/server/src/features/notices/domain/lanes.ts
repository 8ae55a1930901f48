import { NOTICES, type NoticeChannel, type NoticeKind } from "./notice.ts";

/**
 * The queues that messages leave by, each with so many at once: one for each way out, so that a slow one holds no other up, and beside the mails and the
 * texts one for those that are awaited. The job's payload is `{ notice_id }`.
 */
export const LANES = {
  "notices.mail": 4,
  "notices.mail-awaited": 4,
  "notices.text": 2,
  "notices.text-awaited": 2,
  "notices.push": 4,
} as const;
export type Lane = keyof typeof LANES;

/** Gives the queue that a message leaves by. */
export function laneOf({
  kind,
  channel,
}: {
  readonly kind: NoticeKind;
  readonly channel: NoticeChannel;
}): Lane {
  if (channel === "push") return "notices.push";
  const isAwaited = NOTICES[kind].awaited === true;
  if (channel === "sms") return isAwaited ? "notices.text-awaited" : "notices.text";
  return isAwaited ? "notices.mail-awaited" : "notices.mail";
}

/** Tells whether somebody waits at a screen for what leaves by this queue. */
export function isAwaitedLane(lane: Lane): boolean {
  return lane.endsWith("-awaited");
}

/** A message as its place in a lane needs it. */
export type Leaving = {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly channel: NoticeChannel;
  readonly senderId: string | null;
};
/** So many messages of one sender wait, of that kind. */
export type Waiting = Omit<Leaving, "id"> & { readonly count: number };
export type Placed = { readonly id: string; readonly lane: Lane; readonly priority: number };

/**
 * Gives each message its lane, and its turn in it: the first of each sender before the second of any, whoever asked for a hundred. Those that nobody
 * signed in asked for are one sender's.
 * Shape: `waiting` counts those of `leaving` too.
 */
export function placeInLanes(
  leaving: readonly Leaving[],
  waiting: readonly Waiting[],
): readonly Placed[] {
  const ahead = new Map<string, number>();
  const add = (of: Omit<Leaving, "id">, count: number) =>
    ahead.set(turnOf(of), (ahead.get(turnOf(of)) ?? 0) + count);
  for (const some of waiting) add(some, some.count);
  for (const one of leaving) add(one, -1);
  return leaving.map((one) => {
    const place = Math.max(0, ahead.get(turnOf(one)) ?? 0);
    add(one, 1);
    return { id: one.id, lane: laneOf(one), priority: 0 - place };
  });
}

function turnOf(one: Omit<Leaving, "id">): string {
  return `${laneOf(one)} ${one.senderId ?? "anybody"}`;
}
