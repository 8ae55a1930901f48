import type { QueryClient } from "@tanstack/react-query";
import { applySignals } from "./apply-signals.ts";
import { leadOneTab } from "./lead-one-tab.ts";
import type { LiveSignal } from "./live-signal.ts";
import { openChangeStream } from "./open-change-stream.ts";

/**
 * Keeps what this page shows true to what happens, while it is in sight: one tab of the browser listens, and tells the others of the same person.
 * Gives the way to stop.
 */
export function followChanges(client: QueryClient, userId: string): () => void {
  const apply = applySignals(client);
  const name = `paraphe-live:${userId}`;
  const channel = new BroadcastChannel(name);
  let leave: (() => void) | undefined;

  channel.addEventListener("message", ({ data }: MessageEvent<LiveSignal>) => {
    if (leave !== undefined) apply(data);
  });
  const tellAll = (signal: LiveSignal) => {
    apply(signal);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between tabs of one origin has no target
    channel.postMessage(signal);
  };
  const watch = () => {
    if (document.visibilityState === "hidden") {
      leave?.();
      leave = undefined;
      return;
    }
    leave ??= leadOneTab(name, () => openChangeStream(tellAll));
  };
  const comeBack = () => {
    // What was missed out of sight: this tab may not be the one that listens, and is told.
    if (document.visibilityState === "visible" && leave === undefined) apply({ kind: "refresh" });
    watch();
  };

  watch();
  document.addEventListener("visibilitychange", comeBack);
  return () => {
    document.removeEventListener("visibilitychange", comeBack);
    leave?.();
    leave = undefined;
    channel.close();
  };
}
