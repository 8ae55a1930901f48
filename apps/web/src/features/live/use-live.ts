import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followChanges } from "./follow-changes.ts";

/** Follows what happens to the envelopes of whoever is signed in. */
export function useLive(userId: string | undefined): void {
  const client = useQueryClient();
  useEffect(
    () => (userId === undefined ? undefined : followChanges(client, userId)),
    [client, userId],
  );
}
