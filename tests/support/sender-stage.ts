import { test } from "@playwright/test";
import type { ApiClient } from "./api-client.ts";
import { type MailServer, startMailServer } from "./start-mail-server.ts";
import { type RunningServer, startServer } from "./start-server.ts";
import { logIn, registerPerson } from "./story.ts";

/** A service of a file's own and somebody signed in who sends: there from the file's first story on, stopped after its last. */
export function useSenderStage(person: Parameters<typeof registerPerson>[1]) {
  let server: RunningServer;
  let mails: MailServer;
  let sender: ApiClient;
  test.beforeAll(async () => {
    mails = await startMailServer();
    server = await startServer({ entry: "start", env: { SMTP_URL: mails.url } });
    await registerPerson({ url: server.url, mails }, person);
    sender = await logIn(server.url, person.username);
  });
  test.afterAll(async () => {
    sender?.close();
    await server?.close();
    await mails?.close();
  });
  return {
    get server() {
      return server;
    },
    get mails() {
      return mails;
    },
    get sender() {
      return sender;
    },
  };
}
