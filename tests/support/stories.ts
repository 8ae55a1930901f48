import { test as base } from "@playwright/test";
import { type MailServer, startMailServer } from "./start-mail-server.ts";
import { type RunningServer, startServer } from "./start-server.ts";

export type Service = { readonly server: RunningServer; readonly mails: MailServer };

const START_AND_STOP_MS = 240_000;

/**
 * What every story file tests with: `service` is started once for a process of Playwright, and kept from file to file. Each file that takes it brings people
 * of its own; one that stops its service, rewrites its past or must find it empty starts another.
 */
export const test = base.extend<object, { readonly service: Service }>({
  service: [
    // oxlint-disable-next-line eslint/no-empty-pattern -- Playwright reads what a fixture needs from this pattern
    async ({}, use) => {
      const mails = await startMailServer();
      const server = await startServer({ entry: "start", env: { SMTP_URL: mails.url } });
      await use({ server, mails });
      await server.close();
      await mails.close();
    },
    { scope: "worker", timeout: START_AND_STOP_MS },
  ],
});
