import { formatSiret, type ShownIdentity } from "@paraphe/contracts";

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
