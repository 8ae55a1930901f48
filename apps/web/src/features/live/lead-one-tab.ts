/**
 * Runs something in one tab of this browser at a time: here once the tab that runs it now has left. Gives the way to leave.
 * Without the Web Locks API every tab runs it. Source: Web Locks API (W3C), §3.
 */
export function leadOneTab(name: string, lead: () => () => void): () => void {
  const locks = navigator.locks as LockManager | null | undefined;
  if (!locks) return lead();
  const leaving = new AbortController();
  const left = new Promise<void>((resolve) => leaving.signal.addEventListener("abort", () => resolve()));
  locks
    .request(name, { signal: leaving.signal }, async () => {
      if (leaving.signal.aborted) return;
      const stop = lead();
      await left;
      stop();
    })
    .catch((error: unknown) => {
      if (!leaving.signal.aborted) console.error("the tabs could not agree on who listens", error);
    });
  return () => leaving.abort();
}
