import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import type { Transaction } from "./database.ts";
import { insertRows } from "./insert-rows.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
}, 60_000);
afterAll(() => database.drop());

const AT = new Date("2026-11-23T04:05:06.789Z");
let number = 0;
const newId = () => `00000000-0000-4000-8000-${String(++number).padStart(12, "0")}`;
const act = (over: object = {}) => ({
  id: newId(),
  envelope_id: newId(),
  recipient_id: newId(),
  user_id: null,
  method: "bulk",
  consent_version: "1",
  documents_sha256: new Uint8Array([0, 1, 254, 255]),
  content: { mark: 'é"\\', values: [1, null] },
  ip_address: "192.0.2.1",
  user_agent: null,
  signed_at: AT,
  sealed_at: AT,
  ...over,
});
/** Rows of their own: what they refer to is not looked for. */
const alone = <T>(work: (trx: Transaction) => Promise<T>): Promise<T> =>
  database.owner.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    return work(trx);
  });

it("writes each kind of value as it is, and what is left out as its default", async () => {
  const given = [act(), act({ content: null, consent_version: "a\ud800b", sealed_at: null })];
  const rows = await alone(async (trx) => {
    await insertRows(trx, { into: "signing_acts" }, given);
    return trx
      .selectFrom("signing_acts")
      .select(["consent_version", "documents_sha256", "content", "ip_address", "user_agent", "signed_at", "sealed_at", "failed_tries"])
      .orderBy("sealed_at")
      .execute();
  });
  const shared = {
    documents_sha256: Buffer.from([0, 1, 254, 255]),
    ip_address: "192.0.2.1",
    user_agent: null,
    signed_at: AT,
    failed_tries: 0,
  };
  expect(rows).toEqual([
    { ...shared, consent_version: "1", content: { mark: 'é"\\', values: [1, null] }, sealed_at: AT },
    { ...shared, consent_version: "a\ufffdb", content: null, sealed_at: null },
  ]);
});

it("says the same to the database however many rows there are, and nothing for none", async () => {
  const texts: unknown[] = [];
  for (const count of [1, 0, 3])
    await alone(async (trx) => {
      const watched = trx.withPlugin({
        transformQuery: ({ node, queryId: _ }) => {
          texts.push(trx.getExecutor().compileQuery(node, _).sql);
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      await insertRows(
        watched,
        { into: "signing_acts" },
        Array.from({ length: count }, () => act()),
      );
    });
  expect(texts).toHaveLength(2);
  expect(texts[0]).toBe(texts[1]);
});
