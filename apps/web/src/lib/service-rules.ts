import type { ServiceRules } from "@paraphe/contracts";
import { useSyncExternalStore } from "react";

type Rules = Pick<ServiceRules, "registration" | "mail" | "sms">;

/** Until the service has said: nothing that it may offer is left out. */
const USUAL: Rules = { registration: { kind: "open", domains: [] }, mail: true, sms: true };
let rules = USUAL;
const listeners = new Set<() => void>();

/** Keeps what the service lets people do, as `verify-token/` says it to members and visitors alike; anything else changes nothing. */
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

/** Keeps whether mail leaves, as the answers to a guest say it where none does; they are told nothing else. */
export function rememberMail(answer: unknown): void {
  if (typeof answer !== "object" || answer === null || !("mail" in answer) || answer.mail !== false)
    return;
  rules = { ...rules, mail: false };
  for (const tell of listeners) tell();
}

/** Gives what the service lets people do, where no component asks. */
export function serviceRules(): Rules {
  return rules;
}

/** Gives what the service lets people do. */
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
