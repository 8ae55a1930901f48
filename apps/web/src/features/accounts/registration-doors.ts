import type { ServiceRules } from "@paraphe/contracts";
import { useState } from "react";
import { useServiceRules } from "../../lib/service-rules.ts";

type Registration = ServiceRules["registration"];
const OPEN: Registration = { kind: "open", domains: [] };
const INVITE = "Demandez une invitation à son administrateur.";
/** As the service refuses it (`registration_closed`), said before anything is typed. */
export const CLOSED = `Les inscriptions sont fermées sur ce service. ${INVITE}`;

/** Gives the invitation that the address brought, read at once: the wizard writes its step into the address. */
export function useInvitation(): string | undefined {
  const [invitation] = useState(() => new URLSearchParams(window.location.search).get("invitation"));
  return invitation ?? undefined;
}

/** Gives who may register here: whoever is invited is asked for nothing more. */
export function useRegistrationDoor(): Registration {
  const { registration } = useServiceRules();
  return useInvitation() === undefined ? registration : OPEN;
}

/** Says which addresses may register; undefined where all may. */
export function domainsSentence({ kind, domains }: Registration): string | undefined {
  if (kind !== "domains") return undefined;
  return `Ce service inscrit les adresses en ${new Intl.ListFormat("fr", { type: "disjunction" }).format(domains.map((name) => `@${name}`))}.`;
}

/** Why an address may not register; undefined when it may. A subdomain is another domain. */
export function domainFault(email: string, registration: Registration): string | undefined {
  const sentence = domainsSentence(registration);
  const domain = email.trim().toLowerCase().split("@").at(-1) ?? "";
  return sentence === undefined || registration.domains.includes(domain) ? undefined : `${sentence} ${INVITE}`;
}
