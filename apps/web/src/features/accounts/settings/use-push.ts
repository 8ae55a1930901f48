import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../../lib/api-error.ts";
import { callMessage } from "../../../lib/call-message.ts";
import { dropSubscription, keepSubscription, loadPushKey } from "./push-calls.ts";
import { rememberPush } from "./push-memory.ts";
import { readPushState, subscribe, unsubscribe } from "./push-subscription.ts";

const FAILURE = "Impossible d’activer les notifications sur ce navigateur";
const SERVICE_AWAY = "Le service de notifications de votre navigateur ne répond pas. Réessayez plus tard.";
const NOT_ALLOWED = "Vous n’avez pas autorisé les notifications.";

/** Gives where this browser stands with notifications, and the ways to change it. `failure` is why the last try did not succeed. */
export function usePush(userId: string) {
  const { data: state, refetch } = useQuery({ queryKey: ["push"], queryFn: readPushState, staleTime: 0, refetchOnWindowFocus: "always" });
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);

  const run = async (change: () => Promise<string | undefined>): Promise<boolean> => {
    setBusy(true);
    setFailure(undefined);
    const refusal = await change().catch((error: unknown) => {
      console.warn("the subscription to notifications could not be changed", error);
      return error instanceof ApiError ? callMessage(error, FAILURE) : SERVICE_AWAY;
    });
    setFailure(refusal);
    await refetch();
    setBusy(false);
    return refusal === undefined;
  };
  /** True once this browser receives. */
  const enable = () =>
    run(async () => {
      const subscription = await subscribe(loadPushKey);
      if (subscription === null) return Notification.permission === "denied" ? undefined : NOT_ALLOWED;
      await keepSubscription(subscription);
      rememberPush(userId);
      return undefined;
    }).then((changed) => changed && Notification.permission === "granted");
  const disable = () =>
    run(async () => {
      rememberPush(null);
      const endpoint = await unsubscribe();
      if (endpoint !== null) await dropSubscription(endpoint);
      return undefined;
    });
  return { state, failure, busy, enable, disable };
}
