import type { ComponentProps } from "react";
import { Controller, type UseFormReturn } from "react-hook-form";
import { DateField } from "../../ui/date-field/date-field.tsx";
import { SelectField, TextArea, TextField } from "../../ui/field/field.tsx";

const KNOWN = {
  optional: true,
  help: "Sert à vous distinguer d’un homonyme\u202f; jamais affichée aux autres parties.",
} as const;

export type ProfileValues = {
  readonly first_name: string;
  readonly last_name: string;
  readonly birth_date: string;
  readonly gender: "" | "Homme" | "Femme";
  readonly phone_number: string;
  readonly address: string;
};
export type ProfileForm = UseFormReturn<ProfileValues, unknown, ProfileValues>;

type Props = {
  readonly form: ProfileForm;
  /** Two forms on one page need different ids. */
  readonly idPrefix: string;
  readonly email?: string;
  /** An organisation that invites knows the person, so less is required. */
  readonly isInvited?: boolean;
};

export function ProfileFields({ form, idPrefix, email, isInvited = false }: Props) {
  const { register, formState } = form;
  const phone = (
    <TextField
      id={`${idPrefix}-phone_number`}
      label="Téléphone"
      optional
      type="tel"
      autoComplete="tel"
      error={formState.errors.phone_number?.message}
      {...register("phone_number")}
    />
  );
  return (
    <>
      <NameFields form={form} idPrefix={idPrefix} />
      <div className="cols2">
        <BirthDateField
          form={form}
          idPrefix={idPrefix}
          {...(email === undefined && !isInvited ? { required: true } : KNOWN)}
        />
        <GenderField form={form} idPrefix={idPrefix} />
      </div>
      {email === undefined ? (
        phone
      ) : (
        <div className="cols2">
          {phone}
          <TextField label="Email" type="email" value={email} disabled readOnly />
        </div>
      )}
      <TextArea
        id={`${idPrefix}-address`}
        label="Adresse"
        optional
        rows={2}
        autoComplete="street-address"
        error={formState.errors.address?.message}
        {...register("address")}
      />
    </>
  );
}

type FieldsProps = Pick<Props, "form" | "idPrefix">;

function NameFields({ form: { register, formState }, idPrefix }: FieldsProps) {
  return (
    <div className="cols2">
      <TextField
        id={`${idPrefix}-first_name`}
        label="Prénom"
        required
        autoComplete="given-name"
        error={formState.errors.first_name?.message}
        {...register("first_name")}
      />
      <TextField
        id={`${idPrefix}-last_name`}
        label="Nom"
        required
        autoComplete="family-name"
        error={formState.errors.last_name?.message}
        {...register("last_name")}
      />
    </div>
  );
}

type Asked = Pick<ComponentProps<typeof DateField>, "required" | "optional" | "help">;

function BirthDateField({ form, idPrefix, ...asked }: FieldsProps & Asked) {
  return (
    <Controller
      control={form.control}
      name="birth_date"
      render={({ field }) => (
        <DateField
          id={`${idPrefix}-birth_date`}
          label="Date de naissance"
          {...asked}
          autoComplete="bday"
          min="1900-01-01"
          error={form.formState.errors.birth_date?.message}
          value={field.value}
          onChange={field.onChange}
          onBlur={field.onBlur}
          ref={field.ref}
        />
      )}
    />
  );
}

function GenderField({ form: { register, formState }, idPrefix }: FieldsProps) {
  return (
    <SelectField
      id={`${idPrefix}-gender`}
      label="Genre"
      optional
      autoComplete="sex"
      error={formState.errors.gender?.message}
      {...register("gender")}
    >
      <option value="">Non précisé</option>
      <option value="Homme">Homme</option>
      <option value="Femme">Femme</option>
    </SelectField>
  );
}
