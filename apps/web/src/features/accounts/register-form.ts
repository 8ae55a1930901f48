import { zodResolver } from "@hookform/resolvers/zod";
import { passwordSchema, registerRequest, type ServiceRules } from "@paraphe/contracts";
import { orList } from "@paraphe/kernel/french-words";
import { useMemo, useState } from "react";
import { type Resolver, useForm, type UseFormReturn } from "react-hook-form";
import * as z from "zod/mini";
import { useServiceRules } from "../../lib/service-rules.ts";
import { usePasswordMinimum } from "./password-minimum.ts";

type Registration = ServiceRules["registration"];
const OPEN: Registration = { kind: "open", domains: [] };
const INVITE = "Demandez une invitation à son administrateur.";
/** As the service refuses it (`registration_closed`), said before anything is typed. */
export const CLOSED = `Les inscriptions sont fermées sur ce service. ${INVITE}`;

/** Gives the invitation that the address brought, read at once: the wizard writes its step into the address. */
export function useInvitation(): string | undefined {
  const [invitation] = useState(() =>
    new URLSearchParams(window.location.search).get("invitation"),
  );
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
  return `Ce service inscrit les adresses en ${orList(domains.map((name) => `@${name}`))}.`;
}

/** Why an address may not register; undefined when it may. A subdomain is another domain. */
function domainFault(email: string, registration: Registration): string | undefined {
  const sentence = domainsSentence(registration);
  const domain = email.trim().toLowerCase().split("@").at(-1) ?? "";
  return sentence === undefined || registration.domains.includes(domain)
    ? undefined
    : `${sentence} ${INVITE}`;
}

export const REGISTER_DEFAULTS = {
  username: "",
  email: "",
  password: "",
  first_name: "",
  last_name: "",
  birth_date: "",
  phone_number: "",
  gender: "" as "" | "Homme" | "Femme",
  address: "",
};
export type RegisterValues = typeof REGISTER_DEFAULTS;
export type RegisterForm = UseFormReturn<RegisterValues, unknown, RegisterValues>;

/** The fields of step 1; the others are step 2's. */
export const ACCOUNT_FIELDS = [
  "username",
  "email",
  "password",
] as const satisfies readonly (keyof RegisterValues)[];

/** The form of both steps, validated on blur with the server's own rules. */
export function useRegisterForm(): RegisterForm {
  const minimum = usePasswordMinimum();
  const door = useRegistrationDoor();
  const schema = useMemo(() => {
    const email = registerRequest.shape.email.check(
      z.refine((typed) => domainFault(typed, door) === undefined, {
        error: ({ input }) => domainFault(String(input), door) ?? "",
      }),
    );
    return z.strictObject({
      ...registerRequest.shape,
      email,
      password: passwordSchema(undefined, minimum),
    });
  }, [minimum, door]);
  return useForm<RegisterValues, unknown, RegisterValues>({
    // The schema's optional fields always have a text here.
    resolver: zodResolver(schema) as unknown as Resolver<RegisterValues, unknown, RegisterValues>,
    defaultValues: REGISTER_DEFAULTS,
    mode: "onTouched",
    shouldFocusError: false,
  });
}
