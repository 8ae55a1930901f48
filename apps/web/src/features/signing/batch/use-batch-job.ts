import type { BatchJob } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { announce } from "../../../lib/announce.ts";
import { batchCalls } from "./batch-calls.ts";

const FIRST_POLL_MS = 1_000;
const LONGEST_POLL_MS = 5_000;

export const batchKey = (id: string) => ["batch", id] as const;

export function isEnded(job: BatchJob): boolean {
  return job.status !== "queued" && job.status !== "running";
}

/** Follows a batch until it ends, asking less and less often. */
export function useBatchJob(id: string) {
  const query = useQuery({
    queryKey: batchKey(id),
    queryFn: ({ signal }) => batchCalls.load(id, signal),
    refetchInterval: ({ state }) =>
      state.data === undefined || isEnded(state.data)
        ? false
        : Math.min(LONGEST_POLL_MS, FIRST_POLL_MS + Math.floor(state.dataUpdateCount / 3) * 500),
  });
  useTold(query.data);
  return query;
}

/** Says every tenth of the way, and the end. */
function useTold(job: BatchJob | undefined): void {
  const told = useRef<number | null>(null);
  const ended = job ? job.items.filter(({ status }) => status !== "queued" && status !== "running").length : 0;
  const tenth = job ? Math.floor((ended / Math.max(1, job.total)) * 10) : null;
  useEffect(() => {
    if (!job || tenth === null || tenth === told.current) return;
    // What is there when the page opens is read with the page.
    if (told.current !== null) announce(`${job.done} documents signés sur ${job.total}`);
    told.current = tenth;
  }, [job, tenth]);
}
