import type { ApiClient } from "./api-client.ts";
import { type Service, test } from "./stories.ts";
import { logIn, registerPerson } from "./story.ts";

/** Whom this process has registered: the stage of several files is set for them once. */
const registered = new Set<string>();

/** The one service and a sender signed in, there from the file's first story on. `person`: of `ofThisWorker`. */
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
  };
}
