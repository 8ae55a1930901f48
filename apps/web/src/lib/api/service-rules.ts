import type { ServiceRules } from "@paraphe/contracts";
import { useSyncExternalStore } from "react";

type Rules = Pick<ServiceRules, "registration" | "mail" | "sms">;

/** Until the first answer everything is offered. */
const USUAL: Rules = { registration: { kind: "open", domains: [] }, mail: true, sms: true };
let rules = USUAL;
const listeners = new Set<() => void>();

/** From `verify-token/`; any other shape changes nothing. */
export function rememberServiceRules(answer: unknown): void {
  if (
    typeof answer !== "object" ||
    answer === null ||
    !("registration" in answer) ||
    !("mail" in answer)
  )
    return;
  const { registration, mail } = answer;
  if (!isRegistration(registration) || typeof mail !== "boolean") return;
  rules = { registration, mail, sms: !("sms" in answer) || answer.sms !== false };
  for (const tell of listeners) tell();
}

/** From the answers to a guest, who gets no other rules. */
export function rememberMail(answer: unknown): void {
  if (typeof answer !== "object" || answer === null || !("mail" in answer) || answer.mail !== false)
    return;
  rules = { ...rules, mail: false };
  for (const tell of listeners) tell();
}

export function serviceRules(): Rules {
  return rules;
}

export function useServiceRules(): Rules {
  return useSyncExternalStore(follow, serviceRules);
}

function follow(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

function isRegistration(value: unknown): value is Rules["registration"] {
  if (typeof value !== "object" || value === null || !("kind" in value) || !("domains" in value))
    return false;
  const { kind, domains } = value;
  return (
    ["open", "domains", "closed"].includes(String(kind)) &&
    Array.isArray(domains) &&
    domains.every((one) => typeof one === "string")
  );
}
