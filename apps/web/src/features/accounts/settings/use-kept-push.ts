import type { User } from "@paraphe/contracts";
import { useEffect } from "react";

/** Once for each session; the script loads after the page. */
export function useKeptPush(user: User | undefined): void {
  const id = user?.notifications.push ? user.id : undefined;
  useEffect(() => {
    if (id === undefined) return;
    import("./keep-push.ts")
      .then(({ keepPush }) => keepPush(id))
      .catch((error: unknown) =>
        console.warn("the subscription to notifications could not be renewed", error),
      );
  }, [id]);
}
