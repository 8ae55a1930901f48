import type { LoginRequest, User } from "@paraphe/contracts";
import { ApiError } from "../../lib/api-error.ts";
import { api } from "../../lib/api.ts";
import { rememberPasswordMinimum } from "./password-minimum.ts";

type UserAnswer = { readonly user: User };

/** Gives the signed-in user, or null for a visitor; also sets the CSRF cookie, and says how long a password must be here. */
export async function fetchSession(): Promise<User | null> {
  try {
    const answer = await api.get<UserAnswer>("/api/verify-token/");
    rememberPasswordMinimum(answer);
    return answer.user;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    rememberPasswordMinimum(error.details.body);
    return null;
  }
}

/** Opens a session, then reads who it is. */
export async function logIn(credentials: LoginRequest): Promise<User> {
  await api.post<UserAnswer>("/api/token/", { body: credentials });
  return (await api.get<UserAnswer>("/api/signature/me/")).user;
}

/** Ends the session. */
export async function logOut(): Promise<void> {
  await api.post("/api/logout/", { body: {} });
}
