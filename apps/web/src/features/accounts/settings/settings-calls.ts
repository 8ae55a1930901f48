import type {
  NotificationChoice,
  NotificationsAnswer,
  NotificationTrial,
  OwnSession,
  SessionList,
  StorageAnswer,
  FactorList,
  RecoveryCodesAnswer,
  TotpSetup,
} from "@paraphe/contracts";
import { api } from "../../../lib/api/api.ts";
import { fetchFile } from "../../../lib/api/fetch-file.ts";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callMessage, ApiError } from "../../../lib/api/api-error.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";

const ME = "/api/signature/me/";
/** The archive holds every file of the account. */
const EXPORT_TIMEOUT_MS = 3_600_000;

export async function changePassword(body: {
  readonly old_password: string;
  readonly new_password: string;
}): Promise<void> {
  await api.post(`${ME}password/`, { body });
}

/** This one first, then the last used. */
async function listSessions(signal: AbortSignal): Promise<readonly OwnSession[]> {
  const { results } = await api.get<SessionList>(`${ME}sessions/`, { signal });
  return [
    ...results.filter(({ current }) => current),
    ...results.filter(({ current }) => !current),
  ];
}

async function endSession(id: string): Promise<void> {
  await api.delete(`${ME}sessions/${id}/`);
}

async function endOtherSessions(): Promise<void> {
  await api.delete(`${ME}sessions/`);
}

export function loadStorage(signal: AbortSignal): Promise<StorageAnswer> {
  return api.get<StorageAnswer>(`${ME}storage/`, { signal });
}

export function exportData(): Promise<Blob> {
  return fetchFile(api, `${ME}export/`, { timeoutMs: EXPORT_TIMEOUT_MS });
}

/** `cancel_open`: first cancels the envelopes that wait for signatures. */
export async function eraseAccount(body: {
  readonly password: string;
  readonly cancel_open: boolean;
}): Promise<void> {
  await api.delete(ME, { body });
}

export function loadChannels(signal: AbortSignal): Promise<NotificationsAnswer> {
  return api.get<NotificationsAnswer>(`${ME}notifications/`, { signal });
}

export function saveChannels(body: NotificationChoice): Promise<NotificationChoice> {
  return api.put<NotificationChoice>(`${ME}notifications/`, { body });
}

export function sendTrial(): Promise<NotificationTrial> {
  return api.post<NotificationTrial>(`${ME}notifications/test/`, { body: {} });
}

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => listSessions(signal),
});

export function useSessions() {
  const client = useQueryClient();
  const query = useQuery(sessionsQuery);
  const reread = () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey });

  const endOne = useMutation({
    mutationFn: endSession,
    onSuccess: () => {
      showToast("ok", "Session fermée");
    },
    onError: (error) => {
      showToast("err", callMessage(error, "Impossible de fermer la session"));
    },
    // Also after a refusal: the session may have ended meanwhile.
    onSettled: reread,
  });
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: () => {
      showToast("ok", "Les autres sessions sont fermées");
    },
    onError: (error) => {
      showToast("err", callMessage(error, "Impossible de fermer les autres sessions"));
    },
    onSettled: reread,
  });
  return { query, endOne, endOthers };
}

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
