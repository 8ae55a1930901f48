import { test as base } from "@playwright/test";
import { NETWORK } from "./of-this-worker.ts";
import { type MailReader, readMailFolder } from "./start-mail-server.ts";
import type { RunningServer } from "./start-server.ts";

export type Service = { readonly server: Pick<RunningServer, "url" | "dataDir">; readonly mails: MailReader };

/** Where the one service of a run is found: `global-setup.ts` writes it to the environment of the processes that run the stories. */
export type StoriesService = { readonly url: string; readonly dataDir: string; readonly mailFolder: string };
export const STORIES_SERVICE = "STORIES_SERVICE";

/**
 * What every story file tests with: `service` is started once for all stories of a run. The people of a file come from `ofThisWorker`, so that two
 * processes do not meet. A story that stops its service, rewrites its past or must find it empty starts another.
 */
export const test = base.extend<object, { readonly service: Service }>({
  extraHTTPHeaders: { "x-forwarded-for": NETWORK },
  service: [
    // oxlint-disable-next-line eslint/no-empty-pattern -- Playwright reads what a fixture needs from this pattern
    async ({}, use) => {
      const { url, dataDir, mailFolder } = JSON.parse(process.env[STORIES_SERVICE] ?? "") as StoriesService;
      await use({ server: { url, dataDir }, mails: readMailFolder(mailFolder) });
    },
    { scope: "worker" },
  ],
});
