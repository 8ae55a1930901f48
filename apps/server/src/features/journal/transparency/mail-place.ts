import type { Reader } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { enqueueNotice, selectNoticeState } from "../../notices/public.ts";
import { type CopyState, holdCopyState, recordCopy } from "./copies-store.ts";
import { CopyFaultError, type CopyPlace } from "./copy-place.ts";
import { checkpointFileName, checkpointFileText } from "./folder-place.ts";
import { selectLatestCheckpoint } from "./store.ts";
import type { TransparencyDeps } from "./transparency-deps.ts";

const HOUR_MS = 3_600_000;
/** A message that no server took for so long is a failure to be told. */
const LATE_MS = 900_000;

/** Gives the address of `CHECKPOINT_MAIL`: the newest checkpoint goes there by the outbox, once an hour at most, and the one after waits until it has left. */
export function createMailPlace(platform: TransparencyDeps["platform"], address: string): CopyPlace {
  const target = `mail ${address}`;
  const { db, clock } = platform;

  /** `left`: a server took the last message, or there was none. */
  async function lastMessage(reader: Reader, state: CopyState): Promise<"left" | "waits" | "refused"> {
    const last = state.noticeId === null ? null : await selectNoticeState(reader, state.noticeId);
    if (last === "refused" || last === "withdrawn") return "refused";
    return last === "queued" ? "waits" : "left";
  }

  async function send(): Promise<void> {
    await inTransaction(db, async (trx) => {
      const state = await holdCopyState(trx, target);
      const [latest, now, last] = [await selectLatestCheckpoint(trx), clock(), await lastMessage(trx, state)];
      const isRecent = state.copiedAt !== null && now.getTime() - state.copiedAt.getTime() < HOUR_MS;
      if (latest === null || isRecent || last === "waits" || (latest.size === state.size && last === "left")) return;
      const noticeId = platform.newId();
      await enqueueNotice(trx, platform, {
        kind: "checkpoint",
        channel: "email",
        id: noticeId,
        dedupeKey: `checkpoint:${noticeId}`,
        to: { fullName: "", address },
        content: {
          size: latest.size,
          root: Buffer.from(latest.root).toString("hex"),
          at: latest.at.toISOString(),
          file: { name: checkpointFileName(latest.size), text: checkpointFileText(latest) },
        },
      });
      await recordCopy(trx, { target, size: latest.size, at: now, noticeId });
    });
  }

  return {
    kind: "mail",
    target,
    async copy(state) {
      const last = await lastMessage(db, state);
      await send();
      if (last === "refused") throw new CopyFaultError("the last message was refused");
      if (last === "waits" && clock().getTime() - (state.copiedAt?.getTime() ?? 0) > LATE_MS)
        throw new CopyFaultError("no server has taken the last message");
    },
  };
}
