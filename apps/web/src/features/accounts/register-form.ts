import { passwordSchema, registerRequest } from "@paraphe/contracts";
import { zodResolver } from "@hookform/resolvers/zod";
import { useMemo } from "react";
import { useForm, type Resolver, type UseFormReturn } from "react-hook-form";
import * as z from "zod/mini";
import { usePasswordMinimum } from "./password-minimum.ts";
import { domainFault, useRegistrationDoor } from "./registration-doors.ts";

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
export const ACCOUNT_FIELDS = ["username", "email", "password"] as const satisfies readonly (keyof RegisterValues)[];

/** The form of both steps, validated on blur with the server's own rules. */
export function useRegisterForm(): RegisterForm {
  const minimum = usePasswordMinimum();
  const door = useRegistrationDoor();
  const schema = useMemo(() => {
    const email = registerRequest.shape.email.check(
      z.refine((typed) => domainFault(typed, door) === undefined, { error: ({ input }) => domainFault(String(input), door) ?? "" }),
    );
    return z.strictObject({ ...registerRequest.shape, email, password: passwordSchema(undefined, minimum) });
  }, [minimum, door]);
  return useForm<RegisterValues, unknown, RegisterValues>({
    // The schema's optional fields always have a text here.
    resolver: zodResolver(schema) as unknown as Resolver<RegisterValues, unknown, RegisterValues>,
    defaultValues: REGISTER_DEFAULTS,
    mode: "onTouched",
    shouldFocusError: false,
  });
}
