import { useMutation } from "@tanstack/react-query";
import { callMessage } from "../../lib/call-message.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { logOut } from "./use-session.ts";
import { useLeave } from "./use-leave.ts";

/** Gives the way to end the session: it clears what was read and goes to the login page. */
export function useLogOut() {
  const leave = useLeave();
  const { mutate, isPending } = useMutation({
    mutationFn: logOut,
    onSuccess: leave,
    onError: (error) => {
      showToast("err", callMessage(error, "Erreur de déconnexion"));
    },
  });
  return { logOut: () => mutate(), isPending };
}
