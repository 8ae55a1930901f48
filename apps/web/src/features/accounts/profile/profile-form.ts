import type { User } from "@paraphe/contracts";
import { useForm } from "react-hook-form";
import { formatPhone } from "../../../lib/slugify.ts";
import { lazyResolver } from "../../../lib/lazy-resolver.ts";
import type { ProfileForm, ProfileValues } from "../profile-fields.tsx";

export const PROFILE_ID_PREFIX = "profil";

const profileRules = lazyResolver<ProfileValues>(
  async () => (await import("./profile-rules.ts")).profileRules,
);

export function profileFieldId(name: keyof ProfileValues): string {
  return `${PROFILE_ID_PREFIX}-${name}`;
}

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

/** Validates on blur with the server's rules. */
export function useProfileForm(user: User): ProfileForm {
  return useForm<ProfileValues, unknown, ProfileValues>({
    resolver: profileRules,
    defaultValues: profileValues(user),
    mode: "onTouched",
  });
}
