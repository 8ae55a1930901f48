import type { AddressInfo } from "node:net";
import type { Envelope, Print } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openBrowser } from "../../../testing/browser.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { completeEnvelope, openProven, PRINTS, printOf, type Proven } from "../../../testing/proven-envelope.ts";
import { createPdfSandbox } from "../../platform/pdf-sandbox/create-pdf-sandbox.ts";
import type { PdfCalls, PdfSandbox } from "../../platform/pdf-sandbox/pdf-sandbox.ts";

const real = createPdfSandbox({ size: 1 });
let proven: Proven;
let print: Print;
/** Validations that began, those at work now, and what each of them waits for before it begins its work. */
let begun = 0;
let atWork = 0;
let mostAtWork = 0;
let opened: Promise<void> = Promise.resolve();

/** The real sandbox, whose validations wait for a door to be opened. */
const doored = (calls: PdfCalls): PdfCalls => {
  const call = calls.call as (...asked: readonly unknown[]) => Promise<unknown>;
  const waiting = async (task: string, ...args: readonly unknown[]) => {
    if (task !== "validate") return call(task, ...args);
    begun += 1;
    atWork += 1;
    mostAtWork = Math.max(mostAtWork, atWork);
    await opened;
    return call(task, ...args).finally(() => {
      atWork -= 1;
    });
  };
  return { call: waiting as PdfCalls["call"] };
};
const sandbox: PdfSandbox = { ...real, ...doored(real), askedBy: (caller) => doored(real.askedBy(caller)) };

beforeAll(async () => {
  proven = await openProven({ platform: { sandbox }, settings: { rateLimits: "on" } });
  const files = ["A.pdf", "B.pdf", "C.pdf"].map((name) => ({ name, bytes: makePdf() }));
  const envelope: Envelope = await completeEnvelope(proven, { files });
  print = await printOf(proven.owner, envelope);
}, 60_000);
afterAll(async () => {
  await proven.test.close();
  await real.close();
});
beforeEach(() => {
  [begun, atWork, mostAtWork] = [0, 0, 0];
  // Another minute: what the test before asked counts no more.
  proven.test.platform.clock.advance({ minutes: 2 });
});

/** Keeps validations waiting until it is called. */
function closeDoor(): () => void {
  const door = Promise.withResolvers<void>();
  opened = door.promise;
  return door.resolve;
}

/** On a machine that is at something else. */
const SOON = { timeout: 30_000 };
const addressOf = (call: "verify" | "proof" | "printable", of = print) => `${PRINTS}${of.id}/${call}/?sig=${of.sig}`;

test("of an address one proof at a time is computed, few wait behind it, and somebody else's is not held up by them", async () => {
  const open = closeDoor();
  const flood = openBrowser(proven.test.app, { ip: "10.1.1.1" });
  const statuses: number[] = [];
  const calls = Array.from({ length: 14 }, async (_, index) => {
    const answer = await flood.get(addressOf(index % 2 === 0 ? "verify" : "proof"));
    statuses.push(answer.status);
    return answer;
  });
  await vi.waitFor(() => expect(statuses).toEqual([429, 429, 429]), SOON);
  await vi.waitFor(() => expect([begun, mostAtWork]).toEqual([1, 1]), SOON);
  const clerk = openBrowser(proven.test.app, { ip: "10.2.2.2" }).get(addressOf("verify", proven.print));
  await vi.waitFor(() => expect(begun).toBe(2), SOON);
  open();
  expect((await clerk).body.verdict).toBe("valid");
  // The clerk's came after fourteen calls of three documents each, and waited for one of those documents at most.
  expect(statuses.length).toBeLessThan(14);
  const answers = await Promise.all(calls);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(11);
  expect(Number(answers.find(({ status }) => status === 429)?.headers["retry-after"])).toBeGreaterThan(0);
  expect(mostAtWork).toBe(2);
}, 60_000);

test.each(["verify", "proof"] as const)(
  "%s: nothing more is validated for who has gone, neither begun nor waiting",
  async (call) => {
    if (proven.test.app.server.address() === null) await proven.test.app.listen({ port: 0, host: "127.0.0.1" });
    const { port } = proven.test.app.server.address() as AddressInfo;
    const open = closeDoor();
    const gone = new AbortController();
    const calls = [1, 2].map(() =>
      fetch(`http://127.0.0.1:${port}${addressOf(call)}`, { signal: gone.signal }).catch((error: unknown) => String(error)),
    );
    await vi.waitFor(() => expect(begun).toBe(1), SOON);
    gone.abort();
    expect(await Promise.all(calls)).toEqual([expect.stringContaining("AbortError"), expect.stringContaining("AbortError")]);
    // The service hears of it a moment later.
    await vi.waitFor(async () => {
      expect(await new Promise((resolve) => proven.test.app.server.getConnections((_, count) => resolve(count)))).toBe(0);
    }, SOON);
    open();
    await vi.waitFor(() => expect(atWork).toBe(0), SOON);
    const next = await openBrowser(proven.test.app).get(addressOf("verify", proven.print));
    expect(next.body.verdict).toBe("valid");
    expect(begun).toBeLessThanOrEqual(3);
  },
  60_000,
);
