import { zodResolver } from "@hookform/resolvers/zod";
import {
  organisationIdentity,
  providerRequest,
  registrationChoice,
  formatSiret,
  type ShownIdentity,
} from "@paraphe/contracts";
import type { Resolver } from "react-hook-form";
import * as z from "zod/mini";

/** As typed. */
export const EMPTY = {
  name: "",
  legal_form: "",
  address: "",
  siret: "",
  representative: "",
  contact_email: "",
  dpo_email: "",
};
export type IdentityValues = typeof EMPTY;

export function valuesOf(identity: ShownIdentity | null): IdentityValues {
  if (identity === null) return EMPTY;
  return {
    ...identity,
    siret: formatSiret(identity.siret ?? ""),
    representative: identity.representative ?? "",
    dpo_email: identity.dpo_email ?? "",
  };
}

/** An empty optional field means none. */
export function filled(values: IdentityValues) {
  return {
    ...values,
    siret: values.siret.trim() || null,
    representative: values.representative.trim() || null,
    dpo_email: values.dpo_email.trim() || null,
  };
}

const parsed = zodResolver(
  z.pipe(z.transform(filled), organisationIdentity),
) as unknown as Resolver<IdentityValues, unknown, IdentityValues>;

/** Checks what is sent, and leaves what was typed. */
export const identityRules: typeof parsed = async (values, context, options) => {
  const { errors } = await parsed(values, context, options);
  return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors };
};

export const registrationRules = registrationChoice;
export const providerRules = providerRequest;
