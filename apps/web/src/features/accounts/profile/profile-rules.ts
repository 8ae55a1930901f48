import { addressChangeRequest, dateSchema, registerProfile } from "@paraphe/contracts";
import { zodResolver } from "@hookform/resolvers/zod";
import type { Resolver } from "react-hook-form";
import * as z from "zod/mini";
import type { ProfileValues } from "../profile-fields.tsx";

/** First and last name are required, the rest may be left empty (specification §5, profile edit). */
const profileSchema = z.object({
  ...registerProfile.shape,
  birth_date: z
    .string()
    .check(
      z.refine((value) => value === "" || dateSchema.safeParse(value).success, "Date invalide"),
    ),
});

/** What is checked of a profile; the schema's optional fields always have a text here. */
export const profileRules = zodResolver(profileSchema) as unknown as Resolver<
  ProfileValues,
  unknown,
  ProfileValues
>;

/** What is checked of another address asked for. */
export const addressRules = zodResolver(addressChangeRequest);
