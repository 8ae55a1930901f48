import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { createDraft, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { codeIn, openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { openMember } from "../../../testing/member.ts";
import type { TestBrowser } from "../../../testing/browser.ts";

let test: TestApp;
let owner: TestBrowser;

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" } });
  owner = await openMember(test);
});
afterAll(() => test.close());

type Count = { readonly statements: number; readonly transactions: number };

/** Counts the statements of one call; messages and jobs that follow run in `settle`. */
async function countOf(call: () => Promise<unknown>): Promise<Count> {
  const query = vi.spyOn(pg.Client.prototype, "query");
  let [statements, transactions] = [0, 0];
  try {
    await call();
    const open = new WeakSet<object>();
    query.mock.calls.forEach(([asked], index) => {
      const client = query.mock.contexts[index] as object;
      const text = typeof asked === "string" ? asked : (asked as unknown as { text: string }).text;
      if (/pg_is_in_recovery/.test(text)) return;
      if (text === "begin") open.add(client);
      if (text === "begin" || !open.has(client)) transactions += 1;
      if (text === "commit") open.delete(client);
      if (text !== "begin" && text !== "commit") statements += 1;
    });
  } finally {
    query.mockRestore();
  }
  return { statements, transactions };
}

it("each call of an envelope asks the database for so many statements and transactions", async () => {
  const counts: Record<string, Count> = {};
  // Statements that the service makes by itself add to a call, so the least of several is the
  // call's own.
  const note = async (name: string, call: () => Promise<unknown>) => {
    const [now, known] = [await countOf(call), counts[name]];
    if (known === undefined || now.statements < known.statements) counts[name] = now;
  };
  const complete = async () => {
    let id = "";
    await note("creation", async () => {
      ({ id } = await createDraft(owner, { recipients: [PAUL] }));
    });
    await note("sending", () => owner.post(`${ENVELOPES}${id}/send/`));
    const guest = await openMailedGuest(test, id, PAUL.email);
    await note("code", () => guest.post("send_otp/", {}));
    await test.settle();
    const otp = await codeIn(test, PAUL.email);
    await note("entry", () => guest.post("verify_otp/", { otp }));
    await note("page", () => guest.get("guest/"));
    await note("signature", () => guest.post("sign/", TYPED));
    await test.settle();
  };
  for (let envelope = 0; envelope < 4; envelope += 1) await complete();
  // Upper bounds: some work waits for another process and is done with the next call.
  const most: typeof counts = {
    creation: { statements: 4, transactions: 2 },
    sending: { statements: 8, transactions: 5 },
    code: { statements: 4, transactions: 2 },
    entry: { statements: 4, transactions: 2 },
    page: { statements: 2, transactions: 2 },
    signature: { statements: 14, transactions: 6 },
  };
  for (const [call, { statements, transactions }] of Object.entries(most)) {
    expect.soft(counts[call]?.statements, call).toBeLessThanOrEqual(statements);
    expect.soft(counts[call]?.transactions, call).toBeLessThanOrEqual(transactions);
  }
  expect(Object.keys(counts)).toEqual(Object.keys(most));
});
