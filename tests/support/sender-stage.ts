import type { ApiClient } from "./api-client.ts";
import { type Service, test } from "./stories.ts";
import { logIn, registerPerson } from "./story.ts";

/** Who signed up with the service that this process keeps: the stage of several files is set for them once. */
const registered = new Set<string>();

/** The kept service and somebody of this stage signed in who sends: there from the file's first story on. */
export function useSenderStage(person: Parameters<typeof registerPerson>[1]) {
  let kept: Service;
  let sender: ApiClient;
  test.beforeAll(async ({ service }) => {
    kept = service;
    kept.mails.takeAll();
    const world = { url: kept.server.url, mails: kept.mails };
    const account = `${world.url} ${person.username}`;
    if (!registered.has(account)) await registerPerson(world, person);
    registered.add(account);
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
  };
}
