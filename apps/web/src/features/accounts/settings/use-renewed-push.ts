import type { User } from "@paraphe/contracts";
import { useEffect } from "react";

/** Once for each session; the script loads after the page. */
export function useRenewedPush(user: User | undefined): void {
  const id = user?.notifications.push ? user.id : undefined;
  useEffect(() => {
    if (id === undefined) return;
    import("./use-push.ts")
      .then(({ renewPush }) => renewPush(id))
      .catch((error: unknown) =>
        console.warn("the subscription to notifications could not be renewed", error),
      );
  }, [id]);
}
