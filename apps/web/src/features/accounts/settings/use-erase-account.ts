import { eraseAccountRequest, type EraseAccountRequest } from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../../lib/api-error.ts";
import { callMessage } from "../../../lib/call-message.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { useLeave } from "../use-leave.ts";
import { type OpenEnvelopeFacts, readOpenEnvelopes } from "./read-open-envelopes.ts";
import { eraseAccount } from "./settings-calls.ts";

/** Gives the way to erase the account, and why it was refused: the password, envelopes still open, or another reason. */
export function useEraseAccount(onWrongPassword: () => void) {
  const leave = useLeave();
  const [missing, setMissing] = useState<string>();
  const [open, setOpen] = useState<OpenEnvelopeFacts>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: eraseAccount,
    onSuccess: () => {
      leave();
      showToast("ok", "Votre compte est supprimé");
    },
    onError: (refusal) => {
      setOpen(readOpenEnvelopes(refusal));
      if (passwordRefusal(refusal) !== undefined) onWrongPassword();
    },
  });
  const erase = (request: EraseAccountRequest) => {
    const fault = eraseAccountRequest.safeParse(request).error?.issues[0]?.message;
    setMissing(fault);
    if (fault === undefined) mutate(request);
    else onWrongPassword();
  };
  const passwordError = missing ?? passwordRefusal(error);
  const explained = error === null || open !== undefined || passwordError !== undefined;
  return {
    erase,
    busy: isPending,
    open,
    passwordError,
    failure: explained || isPending ? undefined : callMessage(error, "Impossible de supprimer le compte"),
  };
}

function passwordRefusal(error: unknown): string | undefined {
  return error instanceof ApiError ? error.fieldErrors["password"]?.join(" ") : undefined;
}
