import type { LoginRequest, User } from "@paraphe/contracts";
import { ApiError } from "../../lib/api-error.ts";
import { api } from "../../lib/api.ts";
import { rememberServiceRules } from "../../lib/service-rules.ts";
import { rememberPasswordMinimum } from "./password-minimum.ts";

type UserAnswer = { readonly user: User };

/** Gives the signed-in user, or null for a visitor; also sets the CSRF cookie, and says what the service asks and offers. */
export async function fetchSession(): Promise<User | null> {
  try {
    const answer = await api.get<UserAnswer>("/api/verify-token/");
    learn(answer);
    return answer.user;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    learn(error.details.body);
    return null;
  }
}

function learn(answer: unknown): void {
  rememberPasswordMinimum(answer);
  rememberServiceRules(answer);
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
