import type { PhoneCodeAnswer, User } from "@paraphe/contracts";
import { api } from "../../../lib/api.ts";
import type { ProfileValues } from "../profile-fields.tsx";

const ME = "/api/signature/me/";
/** A picture of several megabytes on a phone's network. */
const UPLOAD_TIMEOUT_MS = 60_000;

type UserAnswer = { readonly user: User };
/** A new picture, the one there is taken away, or none of this. */
export type AvatarChange = File | "removed" | "kept";

/** Gives one's own profile. */
export async function loadProfile(signal: AbortSignal): Promise<User> {
  return (await api.get<UserAnswer>(ME, { signal })).user;
}

/** Changes one's own profile; what is left empty is none (specification §5). */
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

/** Asks for a code to the profile's number. */
export function sendPhoneCode(): Promise<PhoneCodeAnswer> {
  return api.post<PhoneCodeAnswer>(`${ME}phone/send-code/`, { body: {} });
}

/** Tries the code that came by SMS. */
export async function verifyPhone(code: string): Promise<User> {
  return (await api.post<UserAnswer>(`${ME}phone/verify/`, { body: { code } })).user;
}

/** Asks for another address; the answer's sentence is the same for any. */
export async function askAddress(body: {
  readonly email: string;
  readonly password: string;
}): Promise<string> {
  return (await api.post<{ readonly detail: string }>(`${ME}email/`, { body })).detail;
}

/** Makes the address that a link came back from the account's. */
export async function confirmAddress(token: string): Promise<User> {
  return (await api.post<UserAnswer>(`${ME}email/confirm/`, { body: { token } })).user;
}
