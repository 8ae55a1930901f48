import { errorCode } from "../../../platform/error-code.ts";
import { ObjectStoreError } from "../../../platform/object-store/s3-locked-store.ts";
import { endCopyFault, recordCopyFault, selectCopyState } from "./copies-store.ts";
import { CopyFaultError, type CopyPlace } from "./copy-place.ts";
import { createFolderPlace } from "./folder-place.ts";
import { createLockedStorePlace } from "./locked-store-place.ts";
import { createMailPlace } from "./mail-place.ts";
import type { TransparencyDeps } from "./transparency-deps.ts";

type CopyPlatform = TransparencyDeps["platform"];

/** A place that failed is not tried again before: checkpoints may be made every other second. */
const PAUSE_MS = 240_000;

/** Gives the places outside that the settings name. */
export function copyPlaces(platform: CopyPlatform): readonly CopyPlace[] {
  const { checkpointDir, checkpointStore, checkpointMail } = platform.settings;
  return [
    ...(checkpointDir === null ? [] : [createFolderPlace(platform, checkpointDir)]),
    ...(checkpointStore === null ? [] : [createLockedStorePlace(platform, checkpointStore)]),
    ...(checkpointMail === null ? [] : [createMailPlace(platform, checkpointMail)]),
  ];
}

/** Copies to each place what it lacks, each for itself: one that fails is noted, told in the log and tried again, and holds neither the others nor a checkpoint up. */
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
    log.warn({ error, place: kind, failing_since: since.toISOString() }, "checkpoints could not be copied outside, and will be again");
    await recordCopyFault(db, { target, fault: faultOf(error), at: clock() });
    return;
  }
  if (state.failingSince === null) return;
  await endCopyFault(db, target);
  log.info({ place: kind, failing_since: state.failingSince.toISOString() }, "checkpoints are copied outside again");
}

/** What the operator is told: never a path, an address or a server's words. */
function faultOf(error: unknown): string {
  if (error instanceof CopyFaultError || error instanceof ObjectStoreError) return error.message;
  return errorCode(error) ?? (error instanceof Error ? error.name : "Error");
}
