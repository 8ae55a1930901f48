import type { QueryClient } from "@tanstack/react-query";
import { showToast } from "../../ui/toast/toast-store.ts";
import { logOut, sessionQuery } from "./use-session.ts";

/**
 * What the client does when the session could not be refreshed: says so, forgets what was read, and ends what may remain of it on the server.
 * A visitor who never had one is told nothing.
 */
export function expireSession(
  client: QueryClient,
  reason = "Votre session a expiré. Veuillez vous reconnecter.",
): void {
  if (!client.getQueryData(sessionQuery.queryKey)) return;
  client.setQueryData(sessionQuery.queryKey, null);
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
  showToast("err", reason);
  logOut().catch((error: unknown) => console.warn("the expired session could not be ended", error));
}
