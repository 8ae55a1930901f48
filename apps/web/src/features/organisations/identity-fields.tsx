import { LEGAL_FORMS, type OrganisationSettings } from "@paraphe/contracts";
import { SelectField, TextField } from "../../ui/field/field.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import { ApiError } from "../../lib/api/api-error.ts";
import { lazyResolver } from "../../lib/lazy-resolver.ts";
import { EMPTY, filled, type IdentityValues, valuesOf } from "./identity-values.ts";
import { identityQuery, saveIdentity, settingsQuery } from "./organisation-calls.ts";

type Props = {
  readonly form: IdentityForm;
  /** The first start asks for less. */
  readonly isFirst?: boolean;
};

export function IdentityFields({ form, isFirst = false }: Props) {
  return isFirst ? (
    <>
      <NameField form={form} label="Nom" />
      <div className="cols2">
        <LegalFormField form={form} />
        <SiretField form={form} />
      </div>
      <AddressField form={form} />
      <ContactFields form={form} />
    </>
  ) : (
    <>
      <div className="cols2">
        <NameField form={form} label="Nom de l’organisation" />
        <LegalFormField form={form} />
      </div>
      <AddressField form={form} />
      <div className="cols2">
        <SiretField form={form} />
        <RepresentativeField form={form} />
      </div>
      <ContactFields form={form} />
    </>
  );
}

type FieldProps = Pick<Props, "form">;

function NameField({ form, label }: FieldProps & { readonly label: string }) {
  return (
    <TextField
      label={label}
      required
      autoComplete="organization"
      error={form.formState.errors.name?.message}
      {...form.register("name")}
    />
  );
}

function AddressField({ form }: FieldProps) {
  return (
    <TextField
      label="Adresse du siège"
      required
      autoComplete="street-address"
      error={form.formState.errors.address?.message}
      {...form.register("address")}
    />
  );
}

function SiretField({ form }: FieldProps) {
  return (
    <TextField
      label="SIRET"
      optional
      inputMode="numeric"
      error={form.formState.errors.siret?.message}
      {...form.register("siret")}
    />
  );
}

function RepresentativeField({ form }: FieldProps) {
  return (
    <TextField
      label="Représentant légal"
      optional
      autoComplete="name"
      error={form.formState.errors.representative?.message}
      {...form.register("representative")}
    />
  );
}

function LegalFormField({ form: { register, formState } }: FieldProps) {
  return (
    <SelectField
      label="Forme juridique"
      required
      error={formState.errors.legal_form?.message}
      {...register("legal_form")}
    >
      <option value="" disabled>
        Choisir…
      </option>
      {LEGAL_FORMS.map((form) => (
        <option key={form} value={form}>
          {form}
        </option>
      ))}
    </SelectField>
  );
}

function ContactFields({ form: { register, formState } }: FieldProps) {
  const { errors } = formState;
  return (
    <div className="cols2" style={{ alignItems: "end" }}>
      <TextField
        label="Email de contact"
        required
        type="email"
        autoComplete="email"
        error={errors.contact_email?.message}
        {...register("contact_email")}
      />
      <TextField
        label="Délégué à la protection des données"
        optional
        type="email"
        error={errors.dpo_email?.message}
        {...register("dpo_email")}
      />
    </div>
  );
}

type IdentityForm = UseFormReturn<IdentityValues>;

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
