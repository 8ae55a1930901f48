import { dateSchema, registerProfile, type User } from "@paraphe/contracts";
import { zodResolver } from "@hookform/resolvers/zod";
import { type Resolver, useForm } from "react-hook-form";
import * as z from "zod/mini";
import { formatPhone } from "../../lib/format-phone.ts";
import type { ProfileForm, ProfileValues } from "../accounts/profile-fields.tsx";

/** Before the name of each field of this form. */
export const PROFILE_ID_PREFIX = "profil";

/** First and last name are required, the rest may be left empty (specification §5, profile edit). */
const profileFormSchema = z.object({
  ...registerProfile.shape,
  birth_date: z.string().check(z.refine((value) => value === "" || dateSchema.safeParse(value).success, "Date invalide")),
});

/** The control of a field, for what leads to it. */
export function profileFieldId(name: keyof ProfileValues): string {
  return `${PROFILE_ID_PREFIX}-${name}`;
}

/** Gives what the form shows of a profile. */
export function profileValues(user: User): ProfileValues {
  return {
    first_name: user.first_name,
    last_name: user.last_name,
    birth_date: user.birth_date ?? "",
    gender: user.gender === "Homme" || user.gender === "Femme" ? user.gender : "",
    phone_number: formatPhone(user.phone_number ?? ""),
    address: user.address ?? "",
  };
}

/** The form of a profile, checked on blur with the server's own rules. */
export function useProfileForm(user: User): ProfileForm {
  return useForm<ProfileValues, unknown, ProfileValues>({
    // The schema's optional fields always have a text here.
    resolver: zodResolver(profileFormSchema) as unknown as Resolver<ProfileValues, unknown, ProfileValues>,
    defaultValues: profileValues(user),
    mode: "onTouched",
  });
}
