import type { QueryClient } from "@tanstack/react-query";
import { type Draft, NEW_DRAFT } from "./draft.ts";

/** Beside what was read: it goes when the session does, and with the page. */
const START = ["prepare", "start"] as const;
const START_PARTS = ["title", "deadline", "remindEveryDays"] as const;

/** Gives what was typed of a new envelope before its first file, by somebody who went elsewhere in the application. */
export function keptStart(client: QueryClient): Draft | undefined {
  return client.getQueryData<Draft>(START);
}

/** Keeps what is typed of a new envelope until a file makes a draft of it (`null`), or until nothing is left of it. */
export function keepStart(client: QueryClient, draft: Draft | null): void {
  if (draft === null || START_PARTS.every((part) => draft[part] === NEW_DRAFT[part])) {
    client.removeQueries({ queryKey: START, exact: true });
    return;
  }
  client.setQueryDefaults(START, { gcTime: Infinity });
  client.setQueryData(START, draft);
}
