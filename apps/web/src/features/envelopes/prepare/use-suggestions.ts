import type { Suggestion } from "@paraphe/contracts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../../../lib/api.ts";

const PAUSE_MS = 150;
const NONE: readonly Suggestion[] = [];

/** Gives people asked before whose name or address holds this text. A failure proposes nobody: nothing is missing to go on. */
export function useSuggestions(text: string, isWanted: boolean): readonly Suggestion[] {
  const search = usePaused(text.trim());
  const { data } = useQuery({
    queryKey: ["suggestions", search],
    queryFn: ({ signal }) =>
      api.get<{ results: readonly Suggestion[] }>("/api/signature/recipients/suggestions/", { query: { search }, signal }),
    enabled: isWanted,
    staleTime: 30_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return isWanted ? (data?.results ?? NONE) : NONE;
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
