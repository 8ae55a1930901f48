import type { Envelope } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";

/** Gives what shows an envelope as a call just answered it, and has its journal read again. */
export function useFreshDetail() {
  const client = useQueryClient();
  return (envelope: Envelope) => {
    client.setQueryData(["envelopes", "detail", envelope.id], envelope);
    void client.invalidateQueries({ queryKey: ["envelopes", "events", envelope.id] });
  };
}
