import type { FactorList, RecoveryCodesAnswer, TotpSetup } from "@paraphe/contracts";
import { queryOptions } from "@tanstack/react-query";
import { ApiError } from "../../../lib/api/api-error.ts";
import { api } from "../../../lib/api/api.ts";

const FACTORS = "/api/signature/me/factors/";

export const factorsQuery = queryOptions({
  queryKey: ["factors"],
  queryFn: ({ signal }) => api.get<FactorList>(FACTORS, { signal }),
});

export function startTotp(): Promise<TotpSetup> {
  return api.post(`${FACTORS}totp/setup/`);
}

export async function activateTotp(code: string): Promise<readonly string[]> {
  const body = { code };
  return (await api.post<RecoveryCodesAnswer>(`${FACTORS}totp/`, { body })).recovery_codes;
}

export async function removeTotp(): Promise<void> {
  await api.delete(`${FACTORS}totp/`);
}

export async function removePasskey(id: string): Promise<void> {
  await api.delete(`${FACTORS}passkeys/${id}/`);
}

export async function renewRecoveryCodes(): Promise<readonly string[]> {
  return (await api.post<RecoveryCodesAnswer>(`${FACTORS}recovery-codes/`)).recovery_codes;
}

/** The sign-in is more than ten minutes old. */
export function needsFreshSignIn(error: unknown): boolean {
  return error instanceof ApiError && error.code === "fresh_sign_in_required";
}
