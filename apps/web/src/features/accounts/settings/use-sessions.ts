import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callMessage } from "../../../lib/api/api-error.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { endOtherSessions, endSession, listSessions } from "./settings-calls.ts";

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => listSessions(signal),
});

export function useSessions() {
  const client = useQueryClient();
  const query = useQuery(sessionsQuery);
  const reread = () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey });

  const endOne = useMutation({
    mutationFn: endSession,
    onSuccess: () => {
      showToast("ok", "Session fermée");
    },
    onError: (error) => {
      showToast("err", callMessage(error, "Impossible de fermer la session"));
    },
    // Also after a refusal: the session may have ended meanwhile.
    onSettled: reread,
  });
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: () => {
      showToast("ok", "Les autres sessions sont fermées");
    },
    onError: (error) => {
      showToast("err", callMessage(error, "Impossible de fermer les autres sessions"));
    },
    onSettled: reread,
  });
  return { query, endOne, endOthers };
}
