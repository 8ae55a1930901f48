import { zodResolver } from "@hookform/resolvers/zod";
import { organisationIdentity, providerRequest, registrationChoice } from "@paraphe/contracts";
import type { Resolver } from "react-hook-form";
import * as z from "zod/mini";
import { filled, type IdentityValues } from "./identity-values.ts";

const parsed = zodResolver(
  z.pipe(z.transform(filled), organisationIdentity),
) as unknown as Resolver<IdentityValues, unknown, IdentityValues>;

/** Validates the values as sent, and returns them as typed. */
export const identityRules: typeof parsed = async (values, context, options) => {
  const { errors } = await parsed(values, context, options);
  return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors };
};

export const registrationRules = registrationChoice;
export const providerRules = providerRequest;
