import type { Envelope } from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import { callMessage } from "../../lib/call-message.ts";
import { formatWeekday } from "../../lib/format-dates.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { useFreshDetail } from "./use-fresh-detail.ts";

/** Gives a week more in one press; the toast says until when. */
export function useExtend() {
  const show = useFreshDetail();
  return useMutation({
    mutationFn: (envelope: Envelope) => envelopeCalls.extend(envelope.id),
    onSuccess: (envelope) => {
      show(envelope);
      showToast("ok", `Échéance prolongée au ${formatWeekday(envelope.deadline_at ?? "")}`);
    },
    onError: (error) => {
      showToast("err", callMessage(error, "L’échéance n’a pas été prolongée. Réessayez."));
    },
  });
}
