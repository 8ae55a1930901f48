import type { Draft } from "./draft.ts";
import type { StepActions } from "./edit-bar.tsx";
import { PREPARE_STEPS } from "./steps.ts";
import type { useSending } from "./use-sending.ts";
import type { Steps } from "./use-steps.ts";

type Now = {
  readonly draft: Draft;
  /** What the step lacks; null when it can be left forwards. */
  readonly fault: string | null;
  /** The next step opens by itself once the files are there. */
  readonly isAwaited: boolean;
  readonly isBlocked: boolean;
  readonly sending: ReturnType<typeof useSending>;
};

/** Gives what leads from the step that is open to the one before and the next, the last one's being the sending. */
export function stepActions(steps: Steps, { draft, fault, isAwaited, isBlocked, sending }: Now): StepActions {
  const { step, index } = steps;
  const isLast = step === "send";
  const signers = draft.recipients.filter((row) => row.role !== "viewer").length;
  const send = () => {
    if (!isBlocked) void sending.send();
  };
  return {
    back: index > 0 ? () => steps.goTo(PREPARE_STEPS[index - 1]?.step ?? "documents") : null,
    next: isLast ? send : () => steps.choose(index + 1, fault),
    nextLabel: isLast ? "Envoyer" : "Continuer",
    dockLabel: isLast ? `Envoyer à ${signers} signataire${signers > 1 ? "s" : ""}` : "Continuer",
    note: isAwaited && fault !== null ? `${fault} L’étape suivante s’ouvrira ensuite.` : null,
    isBlocked: isLast && isBlocked,
    isBusy: sending.isBusy,
  };
}
