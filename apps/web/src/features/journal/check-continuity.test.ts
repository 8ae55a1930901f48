import { beforeAll, beforeEach, expect, it, vi } from "vitest";
import { checkLog } from "../proof/prints/log-card.tsx";
import { checkContinuity } from "./check-continuity.ts";
// Two services of one address, each with its own seals, authorities and log.
import logs from "./testing/two-logs.json" with { type: "json" };

const { own, other } = logs;
let asked: string[];

beforeAll(async () => {
  await import("@paraphe/proof");
}, 60_000);
beforeEach(() => {
  asked = [];
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (address: string) => {
    asked.push(address);
    if (address.includes("/latest/")) return Response.json(own.latest);
    return Response.json(address.includes("/authorities/") ? own.authorities : own.consistency);
  });
});

it("accepts a saved checkpoint that the service's log continues", async () => {
  expect(await checkContinuity(own.kept, own.latest)).toEqual({ outcome: "holds" });
});

it("compares a newer saved checkpoint with the log as it is now", async () => {
  expect(await checkContinuity(own.latest, own.kept)).toEqual({ outcome: "holds" });
  expect(asked.some((address) => address.includes("/latest/"))).toBe(true);
});

it("reports a rewritten log when the service's own checkpoint proves it", async () => {
  vi.stubGlobal("fetch", async (address: string) => {
    if (address.includes("/latest/")) return Response.json(own.kept);
    return Response.json(
      address.includes("/authorities/") ? own.authorities : { ...own.consistency, path: [] },
    );
  });
  expect(await checkContinuity(own.kept, own.latest)).toEqual({ outcome: "rewritten" });
  expect(await checkContinuity(own.latest, own.kept)).toEqual({ outcome: "shorter" });
});

it.each([other.kept, other.latest])(
  "reports no rewrite for a checkpoint that another key signed in the service's name",
  async (forged) => {
    expect(await checkContinuity(forged, own.latest)).toEqual({ outcome: "unsound" });
    expect(asked.every((address) => address.includes("/authorities/"))).toBe(true);
  },
);

it("accepts a proof of inclusion only with the service's own authorities", async () => {
  const [{ checkpoint, ...rest }, origin] = [own.inclusion, "https://localhost:8443"];
  expect(await checkLog({ ...rest, checkpoint }, origin)).toMatchObject({ state: "holds" });
  expect(await checkLog(other.inclusion, origin)).toEqual({ state: "broken" });
});
