import type { OrganisationSettings } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import { ApiError } from "../../lib/api/api-error.ts";
import { lazyResolver } from "../../lib/lazy-resolver.ts";
import { EMPTY, filled, type IdentityValues, valuesOf } from "./identity-values.ts";
import { identityQuery, saveIdentity, settingsQuery } from "./organisation-calls.ts";

export type IdentityForm = UseFormReturn<IdentityValues>;

const resolver = lazyResolver<IdentityValues>(
  async () => (await import("./organisation-rules.ts")).identityRules,
);

/** `failure`: a refusal that belongs to no field. */
export function useIdentityForm(settings: OrganisationSettings) {
  const client = useQueryClient();
  const [failure, setFailure] = useState<unknown>();
  const form: IdentityForm = useForm<IdentityValues>({
    resolver,
    defaultValues: valuesOf(settings.identity),
    mode: "onTouched",
  });
  const show = (saved: OrganisationSettings) => {
    setFailure(undefined);
    client.setQueryData(settingsQuery.queryKey, saved);
    client.setQueryData(identityQuery.queryKey, saved.identity);
    form.reset(valuesOf(saved.identity));
  };
  const save = async (values: IdentityValues): Promise<boolean> => {
    setFailure(undefined);
    try {
      show(await saveIdentity({ ...filled(values), version: settings.version }));
      return true;
    } catch (error) {
      if (!showFieldErrors(form, error)) setFailure(error);
      return false;
    }
  };
  return { form, failure, save, show };
}

/** False when no field is refused. */
function showFieldErrors(form: IdentityForm, error: unknown): boolean {
  const errors = error instanceof ApiError ? error.fieldErrors : {};
  const refused = (Object.keys(EMPTY) as (keyof IdentityValues)[]).filter((name) => errors[name]);
  for (const [index, name] of refused.entries())
    form.setError(
      name,
      { type: "server", message: errors[name]?.join(" ") ?? "" },
      { shouldFocus: index === 0 },
    );
  return refused.length > 0;
}
