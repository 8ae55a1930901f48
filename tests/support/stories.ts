import { type Page, test as base } from "@playwright/test";
import { NETWORK } from "./of-this-worker.ts";
import {
  type MailReader,
  type MailServer,
  readMailFolder,
  startMailServer,
} from "./start-mail-server.ts";
import { type RunningServer, startServer } from "./start-server.ts";
import type { ApiClient } from "./api-client.ts";
import { signIn } from "./sign-in.ts";
import { logIn, registerPerson, sendContract } from "./story.ts";

export type Service = {
  readonly server: Pick<RunningServer, "url" | "dataDir">;
  readonly mails: MailReader;
};

/** A service that one story stops and restarts. */
export type OwnService = { server: RunningServer; readonly mails: MailServer };

/** `global-setup.ts` writes it to the workers' environment. */
export type StoriesService = {
  readonly url: string;
  readonly dataDir: string;
  readonly mailFolder: string;
};
export const STORIES_SERVICE = "STORIES_SERVICE";

const START_AND_STOP_MS = 240_000;

/**
 * `service` is shared by all stories, with people of `ofThisWorker`. A story that stops its
 * service, rewrites its past or needs it empty takes `ownService`.
 */
export const test = base.extend<{ readonly ownService: OwnService }, { readonly service: Service }>(
  {
    baseURL: ({ service }, use) => use(service.server.url),
    extraHTTPHeaders: { "x-forwarded-for": NETWORK },
    service: [
      // oxlint-disable-next-line eslint/no-empty-pattern -- Playwright reads what a fixture needs from this pattern
      async ({}, use) => {
        const { url, dataDir, mailFolder } = JSON.parse(
          process.env[STORIES_SERVICE] ?? "",
        ) as StoriesService;
        await use({ server: { url, dataDir }, mails: readMailFolder(mailFolder) });
      },
      { scope: "worker" },
    ],
    ownService: [
      // oxlint-disable-next-line eslint/no-empty-pattern -- Playwright reads what a fixture needs from this pattern
      async ({}, use) => {
        const mails = await startMailServer();
        const own = {
          mails,
          server: await startServer({ entry: "start", env: { SMTP_URL: mails.url } }),
        };
        await use(own);
        await own.server.close();
        await mails.close();
      },
      { timeout: START_AND_STOP_MS },
    ],
  },
);

type Tail<All extends readonly unknown[]> = All extends [unknown, ...infer Rest] ? Rest : never;

/** Registered in this worker: several files share a person. */
const registered = new Set<string>();

/** The shared service with a signed-in sender. `person`: of `ofThisWorker`. */
export function useSenderStage(person: Parameters<typeof registerPerson>[1]) {
  let kept: Service;
  let sender: ApiClient;
  test.beforeAll(async ({ service }) => {
    kept = service;
    kept.mails.takeAll();
    const world = { url: kept.server.url, mails: kept.mails };
    if (!registered.has(person.username)) await registerPerson(world, person);
    registered.add(person.username);
    sender = await logIn(world.url, person.username);
  });
  test.afterAll(() => sender?.close());
  return {
    get server() {
      return kept.server;
    },
    get mails() {
      return kept.mails;
    },
    get sender() {
      return sender;
    },
    get world() {
      return { url: kept.server.url, mails: kept.mails };
    },
    send: (...envelope: Tail<Parameters<typeof sendContract>>) => sendContract(sender, ...envelope),
    signIn: (page: Page) => signIn(page, { url: kept.server.url, username: person.username }),
  };
}
