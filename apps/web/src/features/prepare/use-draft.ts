import type { Envelope } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { sessionQuery } from "../accounts/use-session.ts";
import { DraftKeeper, type DraftState } from "./draft-keeper.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { keepStart, keptStart } from "./kept-start.ts";

/** Gives the keeper of a draft for the life of the page: what is typed is saved when the page is left or hidden too, and a start without a file waits for its person. */
export function useDraft(initial: Envelope | null): { keeper: DraftKeeper; state: DraftState } {
  const client = useQueryClient();
  const owner = client.getQueryData(sessionQuery.queryKey)?.id ?? "";
  const [keeper] = useState(() => {
    const ports = { patch: envelopeCalls.patch, load: envelopeCalls.load, now: () => new Date() };
    return new DraftKeeper(initial, ports, initial ? undefined : keptStart(owner));
  });
  const state = useSyncExternalStore(keeper.subscribe, keeper.state);
  useEffect(() => {
    if (!initial) keepStart(owner, state.envelope ? null : state.draft);
  }, [owner, initial, state.envelope, state.draft]);
  useEffect(() => {
    const flush = () => void keeper.flush();
    const flushHidden = () => document.visibilityState === "hidden" && flush();
    // Asked only where a reload would lose something: the browser's own words, it shows no others.
    const guard = (event: BeforeUnloadEvent) => {
      const { envelope, draft } = keeper.state();
      const isKept = envelope === null && keepStart(owner, draft);
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
      void keeper.flush().then(keeper.stop);
    };
  }, [keeper, owner]);
  return { keeper, state };
}
