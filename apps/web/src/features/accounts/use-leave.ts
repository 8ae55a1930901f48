import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { forgetKept } from "../../lib/tab-memory.ts";
import { leftOnPurposeKey, sessionQuery, tellOtherTabs } from "./use-session.ts";

/** Gives what follows a session that its person has ended: what was read is forgotten, in the other tabs too, and the login page opens. */
export function useLeave(): () => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  return () => {
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
    forgetKept();
    client.setQueryData(leftOnPurposeKey, true);
    client.setQueryData(sessionQuery.queryKey, null);
    tellOtherTabs("left");
    void navigate("/login", { replace: true, state: null });
  };
}
