import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followChanges } from "./follow-changes.ts";

export function useLive(userId: string | undefined): void {
  const client = useQueryClient();
  useEffect(
    () => (userId === undefined ? undefined : followChanges(client, userId)),
    [client, userId],
  );
}
