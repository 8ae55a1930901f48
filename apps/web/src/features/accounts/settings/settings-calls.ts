import type {
  NotificationChoice,
  NotificationsAnswer,
  NotificationTrial,
  OwnSession,
  SessionList,
  StorageAnswer,
} from "@paraphe/contracts";
import { api } from "../../../lib/api/api.ts";
import { fetchFile } from "../../../lib/api/fetch-file.ts";

const ME = "/api/signature/me/";
/** The archive holds every file of the account. */
const EXPORT_TIMEOUT_MS = 3_600_000;

export async function changePassword(body: {
  readonly old_password: string;
  readonly new_password: string;
}): Promise<void> {
  await api.post(`${ME}password/`, { body });
}

export async function listSessions(signal: AbortSignal): Promise<readonly OwnSession[]> {
  const { results } = await api.get<SessionList>(`${ME}sessions/`, { signal });
  return [
    ...results.filter(({ current }) => current),
    ...results.filter(({ current }) => !current),
  ];
}

export async function endSession(id: string): Promise<void> {
  await api.delete(`${ME}sessions/${id}/`);
}

export async function endOtherSessions(): Promise<void> {
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
