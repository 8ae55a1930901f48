import type { SelfSignControl } from "@paraphe/contracts";
import { useEffect, useState } from "react";
import { ApiError } from "../../../lib/api-error.ts";
import { callMessage } from "../../../lib/call-message.ts";
import { controlFile } from "./use-self-sign.ts";

export type ControlState =
  | { readonly kind: "pending" }
  | { readonly kind: "done"; readonly control: SelfSignControl }
  | { readonly kind: "refused"; readonly reason: string }
  /** The network was cut: signing will say what the control would have. */
  | { readonly kind: "unknown" };

/** What the service says of a chosen file. */
export function useControl(file: File): ControlState {
  const [state, setState] = useState<ControlState>({ kind: "pending" });
  useEffect(() => {
    const aborted = new AbortController();
    setState({ kind: "pending" });
    controlFile(file, aborted.signal).then(
      (control) => setState({ kind: "done", control }),
      (error: unknown) => {
        if (aborted.signal.aborted) return;
        const isRefusal =
          error instanceof ApiError &&
          error.status >= 400 &&
          error.status < 500 &&
          error.status !== 401 &&
          error.status !== 429;
        const named = error instanceof ApiError ? error.fieldErrors["files"]?.[0] : undefined;
        setState(
          isRefusal
            ? {
                kind: "refused",
                reason: named ?? callMessage(error, "Ce fichier ne peut pas être signé."),
              }
            : { kind: "unknown" },
        );
      },
    );
    return () => aborted.abort();
  }, [file]);
  return state;
}
