import type { OfferedProvider, ServiceRules } from "@paraphe/contracts";
import { useSyncExternalStore } from "react";

type Rules = Pick<ServiceRules, "registration" | "mail" | "sms"> & {
  readonly providers: readonly OfferedProvider[];
};

/** Until the first answer everything is offered. */
const USUAL: Rules = {
  registration: { kind: "open", domains: [] },
  mail: true,
  sms: true,
  providers: [],
};
let rules = USUAL;
const listeners = new Set<() => void>();

/** Stores the rules of `verify-token/`; any other shape changes nothing. */
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
  const sms = !("sms" in answer) || answer.sms !== false;
  const offered = "providers" in answer && Array.isArray(answer.providers) ? answer.providers : [];
  rules = { registration, mail, sms, providers: offered.filter(isOffered) };
  for (const tell of listeners) tell();
}

/** Stores what answers to a guest say, who gets no other rules. */
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

function isOffered(value: unknown): value is OfferedProvider {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    (value.kind === "oidc" || value.kind === "proconnect") &&
    "label" in value &&
    typeof value.label === "string"
  );
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
