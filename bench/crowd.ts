import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { type ApiClient, createApiClient } from "../tests/support/api-client.ts";
import * as story from "../tests/support/story.ts";

/**
 * Sends open forms at once, in their own thread, whose cost is not measured.
 * Data: the service's address, names. Reports ready.
 */
const { url, names } = workerData as { readonly url: string; readonly names: readonly string[] };

if (parentPort === null) throw new Error("Expected a thread");
const clients: ApiClient[] = [];
for (const _ of names) {
  const client = createApiClient(url);
  clients.push(client);
  await client.get("/api/verify-token/");
}
const go = once(parentPort, "message");
parentPort.postMessage("ready");
await go;
await Promise.all(
  names.map((name, index) => register(clients[index] ?? createApiClient(url), name)),
);
parentPort.close();

async function register(client: ApiClient, name: string): Promise<void> {
  const form = new FormData();
  const fields = {
    username: name,
    email: `${name}@exemple.fr`,
    password: story.PASSWORD,
    first_name: "Ana",
    last_name: "Arrivée",
    birth_date: "1984-02-29",
  };
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  story.expectStatus(await client.post("/api/signature/register/", { form }), 201, "register");
  client.close();
}
