import type { PhoneCodeAnswer, User } from "@paraphe/contracts";
import { api } from "../../../lib/api/api.ts";
import type { ProfileValues } from "../profile-fields.tsx";

const ME = "/api/signature/me/";
/** Several megabytes over a phone's network. */
const UPLOAD_TIMEOUT_MS = 60_000;

type UserAnswer = { readonly user: User };
export type AvatarChange = File | "removed" | "kept";

export async function loadProfile(signal: AbortSignal): Promise<User> {
  return (await api.get<UserAnswer>(ME, { signal })).user;
}

/** Specification §5: an empty field means none. */
export async function saveProfile(values: ProfileValues, avatar: AvatarChange): Promise<User> {
  if (avatar instanceof File) {
    const body = new FormData();
    for (const [name, value] of Object.entries(values)) body.set(name, value);
    body.set("avatar", avatar);
    return (await api.patch<UserAnswer>(ME, { body, timeoutMs: UPLOAD_TIMEOUT_MS })).user;
  }
  const filled = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === "" ? null : value]),
  );
  const body = { ...filled, ...(avatar === "removed" ? { avatar: null } : {}) };
  return (await api.patch<UserAnswer>(ME, { body })).user;
}

export function sendPhoneCode(): Promise<PhoneCodeAnswer> {
  return api.post<PhoneCodeAnswer>(`${ME}phone/send-code/`, { body: {} });
}

export async function verifyPhone(code: string): Promise<User> {
  return (await api.post<UserAnswer>(`${ME}phone/verify/`, { body: { code } })).user;
}

/** The answer is the same for any address. */
export async function askAddress(body: {
  readonly email: string;
  readonly password: string;
}): Promise<string> {
  return (await api.post<{ readonly detail: string }>(`${ME}email/`, { body })).detail;
}

export async function confirmAddress(token: string): Promise<User> {
  return (await api.post<UserAnswer>(`${ME}email/confirm/`, { body: { token } })).user;
}
