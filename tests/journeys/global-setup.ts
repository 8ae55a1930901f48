import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMailServer } from "../support/start-mail-server.ts";
import { startServer } from "../support/start-server.ts";
import { STORIES_SERVICE, type StoriesService } from "../support/stories.ts";

/**
 * Starts the stories' service and mail server. `x-forwarded-for` is trusted, so that each worker
 * counts as a network.
 */
export default async function startStoriesService(): Promise<() => Promise<void>> {
  const mailFolder = await mkdtemp(join(tmpdir(), "paraphe-mails-"));
  const mails = await startMailServer({ folder: mailFolder });
  const server = await startServer({
    entry: "start",
    env: { SMTP_URL: mails.url, TRUST_PROXY: "127.0.0.1" },
  });
  process.env[STORIES_SERVICE] = JSON.stringify({
    url: server.url,
    dataDir: server.dataDir,
    mailFolder,
  } satisfies StoriesService);
  return async () => {
    await server.close();
    await mails.close();
    await rm(mailFolder, { recursive: true });
  };
}
