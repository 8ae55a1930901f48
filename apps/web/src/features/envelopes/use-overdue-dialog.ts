import type { Envelope } from "@paraphe/contracts";
import { useEffect, useEffectEvent } from "react";
import { showToast } from "../../ui/toast/toast-store.ts";

/** Closes a dialog whose question makes no sense any more, because somebody else has answered it: to say yes would only be refused. */
export function useOverdueDialog(isOverdue: boolean, close: () => void): void {
  const giveUp = useEffectEvent(() => {
    close();
    showToast("info", "Cette enveloppe vient de changer ailleurs\u00a0: rien n’a été fait d’ici.");
  });
  useEffect(() => {
    if (isOverdue) giveUp();
  }, [isOverdue]);
}

/** True once the envelope a question is about is no longer in its list. */
export function hasLeft(asked: Envelope | undefined, list: { readonly results: readonly Envelope[] } | undefined): boolean {
  return asked !== undefined && list !== undefined && list.results.every(({ id }) => id !== asked.id);
}
