import type { Envelope } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { isCalendarDay } from "@paraphe/kernel/paris-days";
import { useEffect, useState, useSyncExternalStore } from "react";
import { ApiError } from "../../../../lib/api/api-error.ts";
import { readSigningPreferences } from "../../../../lib/browser/signing-preferences.ts";
import { storeInTab, keptInTab } from "../../../../lib/browser/tab-memory.ts";
import { sessionQuery } from "../../../accounts/use-session.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { DraftKeeper, type DraftKeeperPorts, draftStart, newStart } from "./draft-keeper.ts";
import { type Draft, type DraftState, NEW_DRAFT } from "./draft.ts";
import { dropEdits, storeEdits, keptEdits } from "./kept-edits.ts";
import { isRefused, leaveDraft, leftKeeper, takeUp } from "./left-drafts.ts";

const START = "envelope-start";
const START_PARTS = ["title", "deadline", "remindEveryDays"] as const;

/** Typed before a new envelope's first file, in this tab. */
function keptStart(owner: string): Draft | undefined {
  const kept = keptInTab(START, owner);
  if (typeof kept !== "object" || kept === null) return undefined;
  const { title, deadline, remindEveryDays } = kept as Readonly<Record<string, unknown>>;
  return {
    ...NEW_DRAFT,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof deadline === "string" && isCalendarDay(deadline) ? { deadline } : {}),
    ...(typeof remindEveryDays === "number" || remindEveryDays === null ? { remindEveryDays } : {}),
  };
}

function newDraft(owner: string): Draft {
  const { proofOnly } = readSigningPreferences();
  return { ...(keptStart(owner) ?? NEW_DRAFT), proofOnly };
}

/** `null` removes it; false when the browser refuses. */
function keepStart(owner: string, draft: Draft | null): boolean {
  const isEmpty = draft === null || START_PARTS.every((part) => draft[part] === NEW_DRAFT[part]);
  return storeInTab(START, {
    owner,
    value: isEmpty ? null : Object.fromEntries(START_PARTS.map((part) => [part, draft[part]])),
  });
}

/** Saved when the page is left or hidden; unsaved edits wait on the device. */
export function useDraft(initial: Envelope | null): {
  keeper: DraftKeeper;
  state: DraftState;
  owner: string;
} {
  const client = useQueryClient();
  const [owner] = useState(() => client.getQueryData(sessionQuery.queryKey)?.id ?? "");
  const [isHere] = useState(
    () => () => (client.getQueryData(sessionQuery.queryKey)?.id ?? "") === owner,
  );
  const [keeper] = useState(() => openKeeper(initial, { owner, isHere }));
  const state = useSyncExternalStore(keeper.subscribe, keeper.state);
  useEffect(() => {
    if (!initial) keepStart(owner, state.envelope ? null : state.draft);
  }, [owner, initial, state.envelope, state.draft]);
  useEffect(() => {
    takeUp(keeper);
    const flush = () => void keeper.flush();
    const flushHidden = () => document.visibilityState === "hidden" && flush();
    const device = keepOnChange(keeper, { owner, isHere });
    // Restored edits are saved at once; in a conflict the user decides first.
    if (keeper.edits() !== null) flush();
    const guard = (event: BeforeUnloadEvent) => {
      const { envelope, draft } = keeper.state();
      const isKept = envelope === null ? keepStart(owner, draft) : device.keep();
      if (!keeper.leave() && !isKept) event.preventDefault();
    };
    window.addEventListener("beforeunload", guard);
    window.addEventListener("pagehide", flush);
    document.addEventListener("visibilitychange", flushHidden);
    window.addEventListener("online", flush);
    return () => {
      window.removeEventListener("beforeunload", guard);
      window.removeEventListener("pagehide", flush);
      document.removeEventListener("visibilitychange", flushHidden);
      window.removeEventListener("online", flush);
      if (isRefused(keeper.state().status)) {
        // The user was asked, and leaves without the edits.
        device.forget();
        keeper.stop();
      } else void leave(keeper, { owner, isHere }, device.stop);
    };
  }, [keeper, owner, isHere]);
  return { keeper, state, owner };
}

type Person = { readonly owner: string; readonly isHere: () => boolean };

function openKeeper(initial: Envelope | null, { owner, isHere }: Person): DraftKeeper {
  const ports: DraftKeeperPorts = {
    // A left draft ends with its user's session.
    patch: async (envelope, body) => {
      if (!isHere()) throw new ApiError({ status: 401 });
      return envelopeCalls.patch(envelope, body);
    },
    load: envelopeCalls.load,
    now: () => new Date(),
  };
  if (initial === null) return new DraftKeeper(null, ports, newStart(newDraft(owner)));
  return (
    leftKeeper(owner, initial.id) ??
    new DraftKeeper(initial, ports, draftStart(initial, keptEdits(owner, initial)))
  );
}

/** Edits of a new draft go with its first file, or wait in the tab. */
async function leave(keeper: DraftKeeper, person: Person, release: () => void): Promise<void> {
  const isOnItsWay = keeper.state().envelope === null && keeper.isBusy();
  if (isOnItsWay) keepStart(person.owner, null);
  await leaveDraft(keeper, { ...person, release });
  const { envelope, draft } = keeper.state();
  if (isOnItsWay && envelope === null && person.isHere() && keptStart(person.owner) === undefined)
    keepStart(person.owner, draft);
}

/** Stores unsaved edits at each change, never after their user has signed out. */
function keepOnChange(
  keeper: DraftKeeper,
  { owner, isHere }: Person,
): { keep: () => boolean; forget: () => void; stop: () => void } {
  let isKept = keeper.edits() !== null;
  const keep = () => {
    const { envelope, status } = keeper.state();
    const edits = keeper.edits();
    if (!envelope || !isHere()) return edits === null;
    if (status.kind === "gone" || status.kind === "sent") dropEdits(owner, envelope.id);
    if (edits === null && !isKept) return true;
    isKept = edits !== null;
    return storeEdits(owner, envelope.id, edits);
  };
  keep();
  const stop = keeper.subscribe(keep);
  const forget = () => {
    stop();
    const { envelope } = keeper.state();
    if (envelope && isHere()) storeEdits(owner, envelope.id, null);
  };
  return { keep, forget, stop };
}
