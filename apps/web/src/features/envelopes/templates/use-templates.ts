import { queryOptions, useQuery } from "@tanstack/react-query";
import { templateCalls } from "./template-calls.ts";

export const templatesQuery = queryOptions({ queryKey: ["templates"], queryFn: templateCalls.list });

/** Gives one's templates. */
export function useTemplates() {
  return useQuery(templatesQuery);
}
