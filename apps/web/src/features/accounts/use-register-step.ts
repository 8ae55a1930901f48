import { registerAccount } from "@paraphe/contracts";
import { useLocation, useNavigate } from "react-router";
import { ACCOUNT_FIELDS, type RegisterForm } from "./register-form.ts";

type Step = 0 | 1;

/**
 * Which step is shown: the second is an entry of the browser's history, so that its Back leads to the first, whose values are still there.
 * After a reload the form is empty: without an account's values there is no second step.
 */
export function useRegisterStep(form: RegisterForm): { readonly step: Step; readonly showStep: (step: Step) => void } {
  const { state } = useLocation();
  const navigate = useNavigate();
  const [username, email, password] = form.getValues(ACCOUNT_FIELDS);
  const hasAccount = registerAccount.safeParse({ username, email, password }).success;
  const step = isSecond(state) && (hasAccount || form.formState.isSubmitted) ? 1 : 0;
  const showStep = (next: Step) => {
    if (next === step) return;
    if (next === 1) void navigate(".", { state: SECOND });
    else void navigate(-1);
  };
  return { step, showStep };
}

const SECOND = { step: "profile" } as const;

function isSecond(state: unknown): boolean {
  return typeof state === "object" && state !== null && "step" in state && state.step === SECOND.step;
}
