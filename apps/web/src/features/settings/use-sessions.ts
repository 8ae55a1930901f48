import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callMessage } from "../../lib/call-message.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { endOtherSessions, endSession, listSessions } from "./settings-calls.ts";

export const sessionsKey = ["sessions"];

/** Gives the open sessions, and the ways to end those that are not this one. */
export function useSessions() {
  const client = useQueryClient();
  const query = useQuery({ queryKey: sessionsKey, queryFn: ({ signal }) => listSessions(signal) });
  const reread = () => client.invalidateQueries({ queryKey: sessionsKey });

  const endOne = useMutation({
    mutationFn: endSession,
    onSuccess: () => {
      showToast("ok", "Session fermée");
    },
    onError: (error) => {
      showToast("err", callMessage(error, "Impossible de fermer la session"));
    },
    // Also after a refusal: the session may have ended by itself meanwhile.
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
