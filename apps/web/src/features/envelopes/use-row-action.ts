import type { Envelope } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { useNavigate } from "react-router";
import { ApiError, callMessage, serverSentence } from "../../lib/api/api-error.ts";
import { formatWeekday } from "../../lib/format/format-dates.ts";
import { focusOnceDrawn } from "../../ui/focus/preserve-focus.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls, useFreshDetail } from "./envelope-calls.ts";

type Options = {
  readonly run: (id: string) => Promise<unknown>;
  readonly success: string;
  readonly detail?: ((envelope: Envelope) => string | undefined) | undefined;
  readonly failure: string;
  /** Called at the answer, good or bad: closes the dialog that asked. */
  readonly onDone?: (() => void) | undefined;
  /** Called before the lists are read again. */
  readonly onSuccess?: (() => void) | undefined;
};

/** Ends with a toast, fresh lists and counts, and the focus on the following row. */
export function useRowAction({ run, success, detail, failure, onDone, onSuccess }: Options) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (envelope: Envelope) => run(envelope.id),
    onSuccess: async (_answer, envelope) => {
      const next = nextRowId(envelope.id);
      onDone?.();
      onSuccess?.();
      showToast("ok", success, { detail: detail?.(envelope) });
      await Promise.all([
        client.invalidateQueries({ queryKey: ["envelopes"] }),
        client.invalidateQueries({ queryKey: ["dashboard"] }),
      ]);
      focusRow(next);
    },
    onError: (error) => {
      onDone?.();
      showToast("err", failure, { detail: serverSentence(error) });
    },
  });
}

function nextRowId(id: string): string | undefined {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")].map(
    (row) => row.dataset["row"],
  );
  const index = rows.indexOf(id);
  return rows[index + 1] ?? rows[index - 1];
}

function focusRow(id: string | undefined): void {
  focusOnceDrawn(() => {
    const row = id === undefined ? null : document.querySelector(`[data-row="${CSS.escape(id)}"]`);
    return (
      row?.querySelector<HTMLElement>("a[href],button") ??
      document.querySelector<HTMLElement>("main h1")
    );
  });
}

/** Closes a question that another user has answered: a yes would only be refused. */
export function useOverdueDialog(isOverdue: boolean, close: () => void): void {
  const giveUp = useEffectEvent(() => {
    close();
    showToast("info", "Cette enveloppe vient de changer ailleurs\u00a0: rien n’a été fait d’ici.");
  });
  useEffect(() => {
    if (isOverdue) giveUp();
  }, [isOverdue]);
}

export function hasLeft(
  asked: Envelope | undefined,
  list: { readonly results: readonly Envelope[] } | undefined,
): boolean {
  return (
    asked !== undefined && list !== undefined && list.results.every(({ id }) => id !== asked.id)
  );
}

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
      const fault =
        error instanceof ApiError ? Object.values(error.fieldErrors)[0]?.[0] : undefined;
      showToast("err", fault ?? callMessage(error, "Impossible de dupliquer l’enveloppe"));
    },
  });
}

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

export function listOfEnvelope(status: Envelope["status"]): {
  readonly to: string;
  readonly label: string;
} {
  if (status === "completed") return { to: "/signature/envelopes/completed", label: "Complété(s)" };
  if (status === "action_required")
    return { to: "/signature/envelopes/action-required", label: "Action requise" };
  if (status === "draft") return { to: "/signature/envelopes/drafts", label: "Brouillons" };
  if (status === "cancelled") return { to: "/signature/envelopes/deleted", label: "Supprimé" };
  return { to: "/signature/envelopes/sent", label: "Envoyé" };
}

const addresses = new Map<string, string>();

/** Stored for the way back from an envelope. */
export function rememberListAddress(path: string, query: string): void {
  addresses.set(path, `${path}${query}`);
}

export function listAddress(path: string): string {
  return addresses.get(path) ?? path;
}
