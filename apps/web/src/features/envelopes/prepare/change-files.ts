import type { Envelope } from "@paraphe/contracts";
import { callMessage } from "../../../lib/call-message.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import type { DraftKeeper } from "./draft-keeper.ts";

type FileChange = {
  /** From the envelope as the service has it when its turn comes. */
  readonly make: (envelope: Envelope) => Promise<Envelope>;
  /** Says that it was not made. */
  readonly failure: string;
};

/** Changes the files of an envelope, between two saves; one that fails is told and leaves all as it was. */
export function changeFiles(keeper: DraftKeeper, { make, failure }: FileChange): void {
  keeper
    .exclusively((envelope) => {
      if (!envelope) throw new Error("no envelope to change");
      return make(envelope);
    })
    .catch((error: unknown) => showToast("err", callMessage(error, `${failure} Réessayez dans un instant.`)));
}
