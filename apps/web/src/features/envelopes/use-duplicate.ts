import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { callMessage } from "../../lib/call-message.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls } from "./envelope-calls.ts";

/** Makes a draft of an envelope, and opens it. */
export function useDuplicate() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: envelopeCalls.duplicate,
    onSuccess: (draft) => {
      showToast("ok", "Enveloppe dupliquée\u00a0: voici le nouveau brouillon");
      void client.invalidateQueries({ queryKey: ["envelopes"] });
      void client.invalidateQueries({ queryKey: ["dashboard"] });
      void navigate(`/signature/workflow/${draft.id}`);
    },
    onError: (error) => {
      showToast("err", callMessage(error, "Impossible de dupliquer l’enveloppe"));
    },
  });
}
