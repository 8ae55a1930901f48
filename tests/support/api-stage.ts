import { afterAll, beforeAll, expect } from "vitest";
import type { ApiAnswer, ApiClient } from "./api-client.ts";
import { type MailServer, startMailServer } from "./start-mail-server.ts";
import { type RunningServer, startServer } from "./start-server.ts";
import * as story from "./story.ts";
import { personOf } from "./of-this-worker.ts";

export const SENDER = personOf("clemence", "Clémence Aubry-Lefèvre");
const OUTSIDER = personOf("etranger", "Jørgen Đặng");
export const GUESTS = [
  { email: "come@exemple.fr", full_name: "Côme Œuvrard" },
  { email: "maelys@exemple.fr", full_name: "Maëlys N'Guessan" },
] as const;
export const API = "/api/signature";

/** A service, its mail server and two signed-in people, ready in the file's tests. */
export type ApiStage = {
  server: RunningServer;
  mails: MailServer;
  world: story.World;
  sender: ApiClient;
  outsider: ApiClient;
};

export function useApiStage(): ApiStage {
  const stage: Partial<ApiStage> = {};
  beforeAll(async () => {
    stage.mails = await startMailServer();
    stage.server = await startServer({ env: { SMTP_URL: stage.mails.url } });
    stage.world = { url: stage.server.url, mails: stage.mails };
    await story.registerPerson(stage.world, SENDER);
    await story.registerPerson(stage.world, OUTSIDER);
    stage.sender = await story.logIn(stage.server.url, SENDER.username);
    stage.outsider = await story.logIn(stage.server.url, OUTSIDER.username);
  }, 240_000);
  afterAll(async () => {
    await stage.server?.close();
    await stage.mails?.close();
  });
  return stage as ApiStage;
}

export function draft(
  title: string,
  pdf: Uint8Array,
  guests: readonly story.Guest[] = GUESTS,
): story.EnvelopeDraft {
  return { title, pdf, guests };
}

export type SentEnvelope = { readonly id: string; readonly visits: story.GuestVisit[] };

/** Sends an envelope to these guests, who open their invitations. */
export async function sentEnvelope(
  { sender, world }: ApiStage,
  title: string,
  guests: readonly story.Guest[] = GUESTS,
): Promise<SentEnvelope> {
  const id = await story.sendContract(sender, title, guests);
  const visits: story.GuestVisit[] = [];
  for (const guest of guests) visits.push(await story.openInvitation(world, guest, id));
  return { id, visits };
}

export function visitOf(visits: readonly story.GuestVisit[], index: number): story.GuestVisit {
  const visit = visits[index];
  if (!visit) throw new Error(`no guest ${index}`);
  return visit;
}

export function expectProblem(
  answer: ApiAnswer,
  status: number,
  code: string,
  detail: string,
): void {
  expect({ status: answer.status, code: answer.json?.code, detail: answer.json?.detail }).toEqual({
    status,
    code,
    detail,
  });
  expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/);
}
