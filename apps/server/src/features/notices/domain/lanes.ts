import { NOTICES, type NoticeChannel, type NoticeKind } from "./notice.ts";

/**
 * Queues and their concurrency: one for each channel, so that a slow server delays no other, and
 * another for messages that somebody awaits. Payload: `{ notice_id }`.
 */
export const LANES = {
  "notices.mail": 4,
  "notices.mail-awaited": 4,
  "notices.text": 2,
  "notices.text-awaited": 2,
  "notices.push": 4,
} as const;
export type Lane = keyof typeof LANES;

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

export function isAwaitedLane(lane: Lane): boolean {
  return lane.endsWith("-awaited");
}

export type Leaving = {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly channel: NoticeChannel;
  readonly senderId: string | null;
};
export type Waiting = Omit<Leaving, "id"> & { readonly count: number };
export type Placed = { readonly id: string; readonly lane: Lane; readonly priority: number };

/**
 * Lanes and priorities: senders take turns. Messages without a sender count as one sender's.
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
