import { randomUUID } from "node:crypto";
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { toHex } from "@paraphe/kernel/bytes";
import type { Reader } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { errorCode } from "../../../platform/error-code.ts";
import { createS3LockedStore, ObjectStoreError } from "../../../platform/object-store/s3-bucket.ts";
import type { Platform } from "../../../platform/platform.ts";
import type { CheckpointStoreSettings } from "../../../platform/settings/settings.ts";
import { enqueueNotice, selectNoticeState } from "../../notices/public.ts";
import { presentCheckpoint } from "./read-inclusion.ts";
import {
  type CheckpointRow,
  type CopyState,
  countCheckpointsAfter,
  endCopyFault,
  lockCopyState,
  recordCopy,
  recordCopyFault,
  selectCheckpointsAfter,
  selectCopyState,
  selectLatestCheckpoint,
} from "./store.ts";
import type { TransparencyDeps } from "./make-checkpoint.ts";

/** Shape: `kind` is shown to the operator; `target` identifies the place and is not secret. */
type CopyPlace = {
  readonly kind: "folder" | "s3" | "mail";
  readonly target: string;
  /** Copies what is missing and records progress. Throws when the place fails; copies stay. */
  copy(state: CopyState): Promise<void>;
};

/** The operator reads its text: no secret or personal data. */
class CopyFaultError extends Error {
  override readonly name = "CopyFaultError";
}

const BATCH = 500;
const NAME = /^checkpoint-(\d{12})\.json$/;

function checkpointFileName(size: number): string {
  return `checkpoint-${String(size).padStart(12, "0")}.json`;
}

function checkpointFileText(checkpoint: CheckpointRow): string {
  return `${JSON.stringify(presentCheckpoint(checkpoint), null, 2)}\n`;
}

/**
 * `CHECKPOINT_DIR`: each is written whole and fsynced, oldest first, after the newest there.
 * Removed files come back only if all are gone.
 */
function createFolderPlace(
  { db, clock }: Pick<TransparencyDeps["platform"], "db" | "clock">,
  folder: string,
): CopyPlace {
  const target = `folder ${folder}`;
  return {
    kind: "folder",
    target,
    async copy(state) {
      const names = await readdir(folder);
      const found = Math.max(0, ...names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number));
      for (let size = found; ; ) {
        const checkpoints = await selectCheckpointsAfter(db, { size, limit: BATCH });
        for (const checkpoint of checkpoints) await writeWhole(folder, checkpoint);
        if (checkpoints.length > 0) await forceNames(folder);
        size = checkpoints.at(-1)?.size ?? size;
        if (checkpoints.length > 0 || size !== state.size)
          await recordCopy(db, { target, size, at: clock() });
        if (checkpoints.length < BATCH) return;
      }
    },
  };
}

async function writeWhole(folder: string, checkpoint: CheckpointRow): Promise<void> {
  const draft = join(folder, `.${randomUUID()}.draft`);
  const handle = await open(draft, "wx", 0o640);
  try {
    await handle.writeFile(checkpointFileText(checkpoint));
    await handle.sync();
    await handle.close();
    await rename(draft, join(folder, checkpointFileName(checkpoint.size)));
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(draft, { force: true });
    throw error;
  }
}

/** Makes the names survive a power cut. */
async function forceNames(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Copies per turn: a new store lacks thousands. */
const TURN = 200;
const DAY_MS = 86_400_000;

/** The name has the root: a forged checkpoint is another object and hides none. */
function objectName(checkpoint: CheckpointRow): string {
  const root = toHex(checkpoint.root).slice(0, 16);
  return `checkpoint-${String(checkpoint.size).padStart(12, "0")}-${root}.json`;
}

/** `CHECKPOINT_S3_…`: one object each, locked (COMPLIANCE) for the days set. */
function createLockedStorePlace(
  { db, clock }: Pick<TransparencyDeps["platform"], "db" | "clock">,
  settings: CheckpointStoreSettings,
): CopyPlace {
  const store = createS3LockedStore(settings);
  const target = `s3 ${settings.endpoint}/${settings.bucket}/${settings.folder}`;
  return {
    kind: "s3",
    target,
    async copy(state) {
      for (const checkpoint of await selectCheckpointsAfter(db, {
        size: state.size,
        limit: TURN,
      })) {
        await store.put({
          name: `${settings.folder}${objectName(checkpoint)}`,
          bytes: new TextEncoder().encode(checkpointFileText(checkpoint)),
          contentType: "application/json",
          until: new Date(clock().getTime() + settings.days * DAY_MS),
        });
        await recordCopy(db, { target, size: checkpoint.size, at: clock() });
      }
    },
  };
}

const HOUR_MS = 3_600_000;
/** A message not accepted by then has failed. */
const LATE_MS = 900_000;

/** `CHECKPOINT_MAIL`: sends the newest, hourly at most, once the previous message has left. */
function createMailPlace(platform: TransparencyDeps["platform"], address: string): CopyPlace {
  const target = `mail ${address}`;
  const { db, clock } = platform;

  /** `left`: the last message was accepted, or none was sent. */
  async function lastMessage(
    reader: Reader,
    state: CopyState,
  ): Promise<"left" | "waits" | "refused"> {
    const last = state.noticeId === null ? null : await selectNoticeState(reader, state.noticeId);
    if (last === "refused" || last === "withdrawn") return "refused";
    return last === "queued" ? "waits" : "left";
  }

  async function send(): Promise<void> {
    await inTransaction(db, async (trx) => {
      const state = await lockCopyState(trx, target);
      const [latest, now, last] = [
        await selectLatestCheckpoint(trx),
        clock(),
        await lastMessage(trx, state),
      ];
      const isRecent =
        state.copiedAt !== null && now.getTime() - state.copiedAt.getTime() < HOUR_MS;
      if (
        latest === null ||
        isRecent ||
        last === "waits" ||
        (latest.size === state.size && last === "left")
      )
        return;
      const noticeId = platform.newId();
      await enqueueNotice(trx, platform, {
        kind: "checkpoint",
        channel: "email",
        id: noticeId,
        dedupeKey: `checkpoint:${noticeId}`,
        to: { fullName: "", address },
        content: {
          size: latest.size,
          root: toHex(latest.root),
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

type CopyPlatform = TransparencyDeps["platform"];

/** Pause after a failure: checkpoints may come every other second. */
const PAUSE_MS = 240_000;

export function copyPlaces(platform: CopyPlatform): readonly CopyPlace[] {
  const { checkpointDir, checkpointStore, checkpointMail } = platform.settings;
  return [
    ...(checkpointDir === null ? [] : [createFolderPlace(platform, checkpointDir)]),
    ...(checkpointStore === null ? [] : [createLockedStorePlace(platform, checkpointStore)]),
    ...(checkpointMail === null ? [] : [createMailPlace(platform, checkpointMail)]),
  ];
}

/** A place that fails is retried, and delays no other place nor checkpoints. */
export async function copyOutside(platform: CopyPlatform): Promise<void> {
  await Promise.all(copyPlaces(platform).map((place) => takeTurn(platform, place)));
}

async function takeTurn(platform: CopyPlatform, place: CopyPlace): Promise<void> {
  const { db, clock, log } = platform;
  const { kind, target } = place;
  const state = await selectCopyState(db, target);
  if (state.triedAt !== null && clock().getTime() - state.triedAt.getTime() < PAUSE_MS) return;
  try {
    await place.copy(state);
  } catch (error) {
    const since = state.failingSince ?? clock();
    log.warn(
      { error, place: kind, failing_since: since.toISOString() },
      "checkpoints could not be copied outside, and will be again",
    );
    await recordCopyFault(db, { target, fault: faultOf(error), at: clock() });
    return;
  }
  if (state.failingSince === null) return;
  await endCopyFault(db, target);
  log.info(
    { place: kind, failing_since: state.failingSince.toISOString() },
    "checkpoints are copied outside again",
  );
}

/** Leaves out paths, addresses and the server's words. */
function faultOf(error: unknown): string {
  if (error instanceof CopyFaultError || error instanceof ObjectStoreError) return error.message;
  return errorCode(error) ?? (error instanceof Error ? error.name : "Error");
}

/** `missing`: not copied; `failingSince`, `fault`: null while it works. */
export type CopyProgress = Pick<CopyPlace, "kind"> & {
  readonly missing: number;
  readonly copiedAt: Date | null;
  readonly failingSince: Date | null;
  readonly fault: string | null;
};

export async function readCopyProgress(platform: Platform): Promise<readonly CopyProgress[]> {
  const found: CopyProgress[] = [];
  for (const { kind, target } of copyPlaces(platform)) {
    const { size, copiedAt, failingSince, fault } = await selectCopyState(platform.db, target);
    found.push({
      kind,
      missing: await countCheckpointsAfter(platform.db, size),
      copiedAt,
      failingSince,
      fault,
    });
  }
  return found;
}
