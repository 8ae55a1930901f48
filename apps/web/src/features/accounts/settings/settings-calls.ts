import type {
  NotificationChoice,
  NotificationsAnswer,
  NotificationTrial,
  OwnSession,
  SessionList,
  StorageAnswer,
} from "@paraphe/contracts";
import { api } from "../../../lib/api.ts";
import { fetchFile } from "../../../lib/fetch-file.ts";

const ME = "/api/signature/me/";
/** Everything a person has, files included. */
const EXPORT_TIMEOUT_MS = 3_600_000;

/** Changes the password; the other sessions end. */
export async function changePassword(body: {
  readonly old_password: string;
  readonly new_password: string;
}): Promise<void> {
  await api.post(`${ME}password/`, { body });
}

/** Gives where one is signed in: here first, then the last used. */
export async function listSessions(signal: AbortSignal): Promise<readonly OwnSession[]> {
  const { results } = await api.get<SessionList>(`${ME}sessions/`, { signal });
  return [
    ...results.filter(({ current }) => current),
    ...results.filter(({ current }) => !current),
  ];
}

/** Ends one session. */
export async function endSession(id: string): Promise<void> {
  await api.delete(`${ME}sessions/${id}/`);
}

/** Ends all sessions but this one. */
export async function endOtherSessions(): Promise<void> {
  await api.delete(`${ME}sessions/`);
}

/** Gives how much the account keeps, of what it may. */
export function loadStorage(signal: AbortSignal): Promise<StorageAnswer> {
  return api.get<StorageAnswer>(`${ME}storage/`, { signal });
}

/** Gives the archive of all one's data. */
export function exportData(): Promise<Blob> {
  return fetchFile(api, `${ME}export/`, { timeoutMs: EXPORT_TIMEOUT_MS });
}

/** Erases the account; `cancel_open` cancels first the envelopes that wait for signatures. */
export async function eraseAccount(body: {
  readonly password: string;
  readonly cancel_open: boolean;
}): Promise<void> {
  await api.delete(ME, { body });
}

/** Gives by which channels and when a person wants to be told, whether texts are sent at all, and what waits. */
export function loadChannels(signal: AbortSignal): Promise<NotificationsAnswer> {
  return api.get<NotificationsAnswer>(`${ME}notifications/`, { signal });
}

/** Keeps by which channels and when a person wants to be told. */
export function saveChannels(body: NotificationChoice): Promise<NotificationChoice> {
  return api.put<NotificationChoice>(`${ME}notifications/`, { body });
}

/** Asks for a message by each channel that was kept. */
export function sendTrial(): Promise<NotificationTrial> {
  return api.post<NotificationTrial>(`${ME}notifications/test/`, { body: {} });
}
