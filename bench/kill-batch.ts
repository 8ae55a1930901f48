import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../tests/support/api-client.ts";
import { makeContract } from "../tests/support/make-contract.ts";
import { openDatabase } from "../tests/support/open-database.ts";
import { readLocalMailbox } from "../tests/support/read-local-mailbox.ts";
import { findFreePort, type RunningServer, startServer } from "../tests/support/start-server.ts";
import * as story from "../tests/support/story.ts";

const SYNDIC = {
  username: "clemence",
  email: "clemence@exemple.fr",
  firstName: "Clémence",
  lastName: "Aubry",
};
const ENV = { RATE_LIMITS: "off" };

/** Counts after a batch; all equal the documents if each was signed once. */
export type BatchTally = {
  readonly done: number;
  readonly envelopes: number;
  readonly acts: number;
  readonly signatures: number;
  readonly events: number;
  /** About the end, to its owner. */
  readonly messages: number;
};
export type KilledBatch = {
  readonly id: string;
  readonly tally: BatchTally;
  readonly server: RunningServer;
  readonly owner: ApiClient;
};

/**
 * Signs a batch on its own service, killed (SIGKILL) and restarted at these counts. The caller
 * closes both.
 */
export async function killBatch({
  documents,
  killedAt,
  withinMs,
}: {
  documents: number;
  killedAt: readonly number[];
  withinMs: number;
}): Promise<KilledBatch> {
  let server = await startServer({ env: ENV, port: await findFreePort() });
  await story.registerPerson({ url: server.url, mails: readLocalMailbox(server.url) }, SYNDIC);
  const first = await story.logIn(server.url, SYNDIC.username);
  const id = await sendBatch(first, documents);
  first.close();
  for (const count of killedAt) {
    await waitFor(server, { id, withinMs, isReached: ({ done }) => done >= count });
    await server.kill();
    const { dataDir, url } = server;
    server = await startServer({ env: ENV, dataDir, port: Number(new URL(url).port) });
  }
  const tally = await waitFor(server, {
    id,
    withinMs,
    isReached: ({ done, messages }) => done === documents && messages > 0,
  });
  const owner = await story.logIn(server.url, SYNDIC.username);
  return { id, tally, server, owner };
}

async function sendBatch(owner: ApiClient, documents: number): Promise<string> {
  const form = new FormData();
  form.append(
    "placement",
    JSON.stringify({ page: -1, x: 0.55, y: 0.75, width: 0.3, height: 0.08 }),
  );
  form.append("signature", JSON.stringify(story.DRAWN));
  const contract = await makeContract("lot");
  for (let index = 0; index < documents; index += 1)
    form.append(
      "files",
      new Blob([Buffer.concat([contract, Buffer.from(`%${index}\n`)])]),
      `Attestation ${index}.pdf`,
    );
  return story.expectStatus(await owner.post("/api/signature/batch-sign/", { form }), 202, "batch")
    .json.id;
}

type Waiting = {
  readonly id: string;
  readonly withinMs: number;
  readonly isReached: (tally: BatchTally) => boolean;
};

async function waitFor(
  { dataDir }: RunningServer,
  { id, withinMs, isReached }: Waiting,
): Promise<BatchTally> {
  const database = await openDatabase(dataDir);
  try {
    for (const until = Date.now() + withinMs; Date.now() < until; await sleep(20)) {
      const [tally] = await database.query<BatchTally>(
        `select (select count(*)::int from batch_items where job_id = $1 and status = 'done') as done,
          (select count(*)::int from envelopes) as envelopes, (select count(*)::int from signing_acts where method = 'bulk') as acts,
          (select count(*)::int from signatures) as signatures,
          (select count(*)::int from audit_events where action = 'envelope_completed') as events,
          (select count(*)::int from notices where kind = 'batch_ended') as messages`,
        [id],
      );
      if (tally !== undefined && isReached(tally)) return tally;
    }
    throw new Error("the batch does not go on");
  } finally {
    await database.close();
  }
}
