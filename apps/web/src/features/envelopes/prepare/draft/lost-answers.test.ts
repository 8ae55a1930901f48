import type { Envelope, UpdateEnvelopeRequest } from "@paraphe/contracts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../../lib/api-error.ts";
import { makeDocument, makeEnvelope } from "../testing/make-envelope.ts";
import { oneDraftService } from "../testing/one-draft-service.ts";
import { DraftKeeper } from "./draft-keeper.ts";

describe("a draft whose saves are cut or unanswered", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const typed = (fullName: string, email: string, rank: number) =>
    ({ key: fullName, fullName, email, phoneNumber: null, role: "signer", rank }) as const;

  it("knows the rows it saved without an answer: it is no conflict", async () => {
    const service = oneDraftService(makeEnvelope());
    const keeper = new DraftKeeper(service.stored(), loseAnswers(service, ["arrives"]));
    keeper.update("recipients", {
      recipients: [typed("Théo", "theo@exemple.fr", 1), typed("Ana", "ana@", 2)],
    });
    await keeper.flush();
    await keeper.flush();
    expect(keeper.state()).toMatchObject({
      status: { kind: "dirty" },
      draft: { recipients: [{ id: "r-new-0" }, { email: "ana@" }] },
    });
    keeper.stop();
  });

  it("tries again by itself when the network was cut", async () => {
    const service = oneDraftService(makeEnvelope());
    let isCut = true;
    const keeper = new DraftKeeper(service.stored(), {
      ...service.ports,
      patch: (envelope, body) =>
        isCut ? Promise.reject(new ApiError({ status: 0 })) : service.ports.patch(envelope, body),
    });
    keeper.update("title", { title: "Bail" });
    await vi.advanceTimersByTimeAsync(800);
    expect(keeper.state().status.kind).toBe("failed");
    isCut = false;
    await vi.advanceTimersByTimeAsync(8_000);
    expect(service.stored().title).toBe("Bail");
    keeper.stop();
  });

  /** Loses the answer of the next change that the service makes, or does not, as told. */
  function loseAnswers(
    service: ReturnType<typeof oneDraftService>,
    lost: readonly ("arrives" | "is cut")[],
  ) {
    const fates = [...lost];
    const patch = async (envelope: Envelope, body: UpdateEnvelopeRequest) => {
      const fate = fates.shift();
      if (fate !== "is cut") {
        const answer = await service.ports.patch(envelope, body);
        if (fate === undefined) return answer;
      }
      throw new ApiError({ status: 0 });
    };
    return { ...service.ports, patch };
  }

  it.each([
    ["as it was", "Bail", ["arrives"], 2],
    ["with more typed since", "Bail commercial", ["arrives"], 3],
    [
      "after several tries, one of which arrived",
      "Bail commercial",
      ["is cut", "arrives", "is cut"],
      2,
    ],
  ] as const)(
    "knows its own save whose answer was lost, tried again %s: it is no conflict",
    async (_how, title, fates, version) => {
      const service = oneDraftService(makeEnvelope());
      const keeper = new DraftKeeper(service.stored(), loseAnswers(service, fates));
      keeper.update("title", { title: "Bail" });
      await keeper.flush();
      keeper.update("title", { title });
      for (let left = fates.length; left > 0; left -= 1) await keeper.flush();
      expect(keeper.state()).toMatchObject({ status: { kind: "saved" }, draft: { title } });
      expect(service.stored()).toMatchObject({ title, version });
      keeper.stop();
    },
  );

  it("sees a conflict where another changed the draft after its own unanswered save, or instead of it", async () => {
    for (const fate of ["arrives", "is cut"] as const) {
      const service = oneDraftService(makeEnvelope());
      const keeper = new DraftKeeper(service.stored(), loseAnswers(service, [fate]));
      keeper.update("title", { title: "Bail" });
      await keeper.flush();
      service.changeElsewhere({ message: "Ailleurs" });
      await keeper.flush();
      expect(keeper.state().status.kind).toBe("conflict");
      keeper.stop();
    }
  });

  it("goes on with its changes after its own upload whose answer was lost", async () => {
    const service = oneDraftService(makeEnvelope());
    const keeper = new DraftKeeper(service.stored(), service.ports);
    const uploading = keeper.exclusively(async () => {
      service.changeElsewhere({
        documents: [...service.stored().documents, makeDocument({ id: "d2" })],
      });
      throw new ApiError({ status: 0 });
    });
    await expect(uploading).rejects.toThrow();
    keeper.update("title", { title: "Bail" });
    expect(await keeper.flush()).toBe(true);
    expect(service.stored()).toMatchObject({
      title: "Bail",
      documents: [{ id: "d1" }, { id: "d2" }],
    });
    keeper.stop();
  });
});
