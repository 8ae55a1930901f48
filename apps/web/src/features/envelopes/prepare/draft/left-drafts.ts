import { ApiError } from "../../../../lib/api/api-error.ts";
import { showToast } from "../../../../ui/toast/toast-store.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import type { SaveStatus } from "./draft.ts";

const RETRY_DELAY_MS = 8_000;
/** Drafts left before everything was saved: saving continues while the page lives. */
const left = new Map<DraftKeeper, { readonly owner: string }>();

/** The service refuses what was typed: another attempt would fail alike. */
export function isRefused(status: SaveStatus): boolean {
  return (
    status.kind === "failed" &&
    status.error instanceof ApiError &&
    [400, 413, 415, 422].includes(status.error.status)
  );
}

/** A new draft has its id once its first file has arrived. */
export function leftKeeper(owner: string, envelopeId: string): DraftKeeper | undefined {
  return [...left].find(
    ([keeper, leaving]) => leaving.owner === owner && keeper.state().envelope?.id === envelopeId,
  )?.[0];
}

/** Lets a left draft be saved, so that the next read is up to date. */
export async function settleLeft(owner: string, envelopeId: string): Promise<void> {
  await leftKeeper(owner, envelopeId)?.flush();
}

export function takeUp(keeper: DraftKeeper): void {
  left.delete(keeper);
}

/** `isHere`: whether the draft's user is still signed in. */
export async function leaveDraft(
  keeper: DraftKeeper,
  { owner, isHere, release }: { owner: string; isHere: () => boolean; release: () => void },
): Promise<void> {
  // A draft that was opened and left again continues from its last leaving alone.
  const leaving = { owner };
  left.set(keeper, leaving);
  const isOurs = () => left.get(keeper) === leaving;
  let isTold = false;
  while (isOurs()) {
    // One attempt after the other: the next depends on how this one ends.
    // oxlint-disable-next-line no-await-in-loop
    await keeper.flush();
    if (!isOurs()) break;
    if (isHere() && !isTold) tell(keeper);
    isTold = true;
    keeper.stop();
    if (!isHere() || keeper.edits() === null || !isUnreachable(keeper.state().status))
      left.delete(keeper);
    // oxlint-disable-next-line no-await-in-loop
    else await networkOrDelay();
  }
  release();
}

function isUnreachable(status: SaveStatus): boolean {
  return status.kind === "failed" && status.error instanceof ApiError && status.error.isUnreachable;
}

/** The browser does not see every cut: the service may be down too. */
function networkOrDelay(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, RETRY_DELAY_MS);
    window.addEventListener("online", end);
  });
}

function tell(keeper: DraftKeeper): void {
  const { envelope, status } = keeper.state();
  if (keeper.edits() === null || status.kind !== "failed") return;
  const title = envelope?.title ?? "";
  if (isRefused(status))
    showToast(
      "err",
      `Vos dernières modifications de «\u00a0${title}\u00a0» n’ont pas été acceptées.`,
      {
        detail: "Rouvrez le brouillon pour les corriger.",
      },
    );
  else
    showToast(
      "info",
      `Vos dernières modifications de «\u00a0${title}\u00a0» ne sont pas encore enregistrées.`,
      {
        detail: isUnreachable(status)
          ? "Elles sont gardées sur cet appareil et seront enregistrées dès que possible."
          : "Elles sont gardées sur cet appareil et seront enregistrées à la réouverture du brouillon.",
      },
    );
}
