import {
  addressChangeRequest,
  dateSchema,
  registerProfile,
  ownPasswordRequest,
  passwordSchema,
} from "@paraphe/contracts";
import { zodResolver } from "@hookform/resolvers/zod";
import type { Resolver } from "react-hook-form";
import * as z from "zod/mini";
import type { ProfileValues } from "./profile-fields.tsx";

export const optionalDate = z
  .string()
  .check(z.refine((value) => value === "" || dateSchema.safeParse(value).success, "Date invalide"));

/** Specification §5: only first and last name are required. */
const profileSchema = z.object({ ...registerProfile.shape, birth_date: optionalDate });

/** An empty optional field is an empty string in the form. */
export const profileRules = zodResolver(profileSchema) as unknown as Resolver<
  ProfileValues,
  unknown,
  ProfileValues
>;

export const addressRules = zodResolver(addressChangeRequest);

export function passwordRules(minimum: number) {
  return zodResolver(
    z.strictObject({
      ...ownPasswordRequest.shape,
      new_password: passwordSchema("Nouveau mot de passe requis", minimum),
    }),
  );
}
