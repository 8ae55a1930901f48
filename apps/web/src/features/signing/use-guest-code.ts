import { OTP_LENGTH } from "@paraphe/contracts";
import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { callMessage } from "../../lib/call-message.ts";

/** What the page of the code asks of the service. */
export type CodeCalls = {
  readonly onVerify: (code: string) => Promise<void>;
  readonly onResend: (channel?: "email" | "sms") => Promise<void>;
};
export type GuestCodeEntry = ReturnType<typeof useGuestCode>;

/** The code as it is typed and what becomes of it: checked once it is whole, or asked again. A refused one is wiped, and the input takes the focus. */
export function useGuestCode({ onVerify, onResend }: CodeCalls) {
  const [code, setCode] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [state, setState] = useState<"idle" | "verifying" | "sending">("idle");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const focusAgain = useFocusOnceEnabled(input, state === "idle");

  // Enter may follow the sixth digit within the same frame: what is under way is known before the next rendering.
  const isUnderWay = useRef(false);
  const verify = async (digits: string) => {
    if (isUnderWay.current || state !== "idle" || digits.length !== OTP_LENGTH) return;
    isUnderWay.current = true;
    setState("verifying");
    setError(null);
    try {
      await onVerify(digits);
    } catch (cause) {
      setCode("");
      setError(callMessage(cause, "Impossible de vérifier le code OTP"));
      focusAgain();
    } finally {
      isUnderWay.current = false;
      setState("idle");
    }
  };
  const resend = async (by?: "email" | "sms") => {
    setState("sending");
    setError(null);
    try {
      await onResend(by);
      setCode("");
      input.current?.focus();
    } catch (cause) {
      setError(callMessage(cause, "Impossible d'envoyer le code OTP"));
    } finally {
      setState("idle");
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isUnderWay.current) return;
    if (code.length === OTP_LENGTH) void verify(code);
    // Why the last code was refused stays until another is typed: an Enter that comes late asks for nothing.
    else if (error === null || code !== "") setError("Saisissez le code à 6 chiffres.");
  };
  return { input, code, setCode, error, state, verify, resend, submit };
}

/** Gives how to put the focus back into an input that is disabled for now: it takes it once it is enabled again, and not before. */
function useFocusOnceEnabled(input: RefObject<HTMLInputElement | null>, isEnabled: boolean): () => void {
  const isAsked = useRef(false);
  useEffect(() => {
    if (!isEnabled || !isAsked.current) return;
    isAsked.current = false;
    input.current?.focus();
  }, [input, isEnabled]);
  return () => {
    isAsked.current = true;
  };
}
