import type { Envelope } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { serverSentence } from "../../lib/call-message.ts";
import { focusOnceDrawn } from "../../ui/focus/focus-once-drawn.ts";
import { showToast } from "../../ui/toast/toast-store.ts";

type Options = {
  readonly run: (id: string) => Promise<unknown>;
  readonly success: string;
  readonly failure: string;
  /** Called as soon as the answer is there, good or bad: closes the dialog that asked. */
  readonly onDone?: (() => void) | undefined;
  /** Called before the lists are read again. */
  readonly onSuccess?: (() => void) | undefined;
};

/** An action that takes a row out of its list: toast, fresh lists and counts, then the focus on the row that follows. */
export function useRowAction({ run, success, failure, onDone, onSuccess }: Options) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (envelope: Envelope) => run(envelope.id),
    onSuccess: async (_answer, envelope) => {
      const next = nextRowId(envelope.id);
      onDone?.();
      onSuccess?.();
      showToast("ok", success);
      await Promise.all([client.invalidateQueries({ queryKey: ["envelopes"] }), client.invalidateQueries({ queryKey: ["dashboard"] })]);
      focusRow(next);
    },
    onError: (error) => {
      onDone?.();
      showToast("err", failure, { detail: serverSentence(error) });
    },
  });
}

function nextRowId(id: string): string | undefined {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")].map((row) => row.dataset["row"]);
  const index = rows.indexOf(id);
  return rows[index + 1] ?? rows[index - 1];
}

function focusRow(id: string | undefined): void {
  focusOnceDrawn(() => {
    const row = id === undefined ? null : document.querySelector(`[data-row="${CSS.escape(id)}"]`);
    return row?.querySelector<HTMLElement>("a[href],button") ?? document.querySelector<HTMLElement>("main h1");
  });
}
