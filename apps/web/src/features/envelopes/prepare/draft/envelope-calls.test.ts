import { afterEach, expect, it, vi } from "vitest";
import { makeEnvelope } from "../testing/make-envelope.ts";
import { DraftKeeper } from "./draft-keeper.ts";
import { envelopeCalls } from "./envelope-calls.ts";

afterEach(() => void vi.unstubAllGlobals());

it("sends the version that the page shows; what another page made of it since is said as a conflict, and not sent", async () => {
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", async (address: string, { headers }: { headers: Headers }) => {
    if (address.endsWith("/send/")) asked.push(headers.get("if-match"));
    return new Response(
      JSON.stringify({ status: 409, code: "version_conflict", detail: "", version: 8 }),
      {
        status: 409,
        headers: { "content-type": "application/problem+json" },
      },
    );
  });
  const envelope = makeEnvelope({ version: 7 });
  const ports = { patch: envelopeCalls.patch, load: envelopeCalls.load, now: () => new Date() };
  const keeper = new DraftKeeper(envelope, ports);
  await expect(keeper.exclusively(() => envelopeCalls.send(envelope, "key"))).rejects.toMatchObject(
    { code: "version_conflict" },
  );
  expect(asked).toEqual(['"7"']);
  expect(keeper.state().status).toEqual({ kind: "conflict", at: null });
});
