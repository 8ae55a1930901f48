import type { Envelope, UpdateEnvelopeRequest } from "@paraphe/contracts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../../lib/api/api-error.ts";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import { oneDraftService } from "../testing/one-draft-service.ts";
import { DraftKeeper } from "./draft-keeper.ts";
import { envelopeCalls } from "./envelope-calls.ts";

const typed = (fullName: string, email: string, rank: number) =>
  ({ key: fullName, fullName, email, phoneNumber: null, role: "signer", rank }) as const;
const zoeAtRankTwo = makeRecipient({
  id: "r2",
  full_name: "Zoé",
  email: "zoe@exemple.fr",
  order: 2,
});
function keep(part: Partial<Envelope> = {}) {
  const service = oneDraftService(makeEnvelope(part));
  return { service, keeper: new DraftKeeper(service.stored(), service.ports) };
}

describe("a draft being edited", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("saves a draft once, 800 ms after the last change", async () => {
    const { service, keeper } = keep();
    keeper.update("title", { title: "Bail" });
    await vi.advanceTimersByTimeAsync(700);
    keeper.update("title", { title: "Bail commercial" });
    await vi.advanceTimersByTimeAsync(799);
    expect(service.calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(service.calls).toEqual([{ title: "Bail commercial" }]);
    expect(keeper.state().status).toEqual({ kind: "saved", at: new Date("2026-11-21T11:34:00Z") });
  });

  it("saves a new recipient first, then the fields that name it by its id", async () => {
    const { service, keeper } = keep();
    keeper.update("recipients", {
      recipients: [typed("Théo", "theo@exemple.fr", 1)],
    });
    keeper.update("fields", {
      fields: [
        {
          key: "f",
          documentId: "d1",
          recipientKey: "Théo",
          type: "signature",
          page: 1,
          x: 0.1,
          y: 0.1,
          width: 0.3,
          height: 0.06,
          required: true,
          label: null,
          value: null,
        },
      ],
    });
    expect(await keeper.flush()).toBe(true);
    expect(service.calls.map((call) => Object.keys(call))).toEqual([["recipients"], ["fields"]]);
    expect(service.calls[1]?.fields?.[0]?.recipient_id).toBe("r-new-0");
    expect(keeper.state().draft.fields[0]).toMatchObject({ key: "f", id: "f-new-0" });
  });

  it("does not send an address half typed, and keeps it on the page", async () => {
    const { service, keeper } = keep();
    keeper.update("recipients", {
      recipients: [typed("Théo", "theo@", 1)],
    });
    keeper.update("title", { title: "Bail" });
    expect(await keeper.flush()).toBe(false);
    expect(service.calls).toEqual([{ title: "Bail" }]);
    expect(keeper.state().draft.recipients[0]?.email).toBe("theo@");
  });

  it("saves the rows around one with faults, which follows at its place once corrected", async () => {
    const { service, keeper } = keep();
    const rows = [
      typed("Théo", "theo@exemple.fr", 1),
      typed("Zoé 🌸", "zoe@exemple.fr", 2),
      typed("Ana", "ana@exemple.fr", 3),
    ];
    keeper.update("recipients", { recipients: rows });
    expect(await keeper.flush()).toBe(false);
    expect(
      service.calls.map((call) =>
        call.recipients?.map(({ full_name, order }) => [full_name, order]),
      ),
    ).toEqual([
      [
        ["Théo", 1],
        ["Ana", 3],
      ],
    ]);
    expect(keeper.state()).toMatchObject({
      status: { kind: "dirty" },
      draft: { recipients: [{ id: "r-new-0" }, rows[1], { id: "r-new-1" }] },
    });
    expect(keeper.edits()).toMatchObject({
      dirty: ["recipients"],
      draft: { recipients: [{}, { fullName: "Zoé 🌸" }, {}] },
    });
    // No other row can be saved.
    expect(await keeper.flush()).toBe(false);
    expect(service.calls).toHaveLength(1);
    keeper.update("recipients", {
      recipients: keeper
        .state()
        .draft.recipients.map((row) => (row.key === "Zoé 🌸" ? { ...row, fullName: "Zoé" } : row)),
    });
    expect(await keeper.flush()).toBe(true);
    expect(service.stored().recipients.map((row) => row.full_name)).toEqual(["Théo", "Zoé", "Ana"]);
  });

  it("leaves a saved recipient with a half-typed address as the service has it", async () => {
    const { service, keeper } = keep({
      recipients: [makeRecipient(), zoeAtRankTwo],
      fields: [makeField()],
    });
    const [camille, zoe] = keeper.state().draft.recipients;
    if (!camille || !zoe) throw new Error("two rows were made");
    keeper.update("recipients", { recipients: [{ ...camille, email: "camille@" }, zoe] });
    expect(await keeper.flush()).toBe(false);
    expect(service.calls).toEqual([]);
    keeper.update("recipients", {
      recipients: [
        { ...camille, email: "camille@" },
        { ...zoe, fullName: "Zoé Petit" },
      ],
    });
    expect(await keeper.flush()).toBe(false);
    expect(service.stored().recipients).toMatchObject([
      { id: "r1", email: makeRecipient().email },
      { id: "r2", full_name: "Zoé Petit" },
    ]);
    expect(keeper.state().draft).toMatchObject({
      recipients: [{ id: "r1", email: "camille@" }, {}],
      fields: [{ id: "f1" }],
    });
  });

  it("saves a row emptied and typed again as a new recipient", async () => {
    const { service, keeper } = keep({ recipients: [makeRecipient()] });
    const rows = keeper.state().draft.recipients;
    keeper.update("recipients", {
      recipients: rows.map((row) => ({ ...row, fullName: "", email: "" })),
    });
    await keeper.flush();
    keeper.update("recipients", {
      recipients: keeper
        .state()
        .draft.recipients.map((row) => ({ ...row, fullName: "Zoé", email: "zoe@exemple.fr" })),
    });
    await keeper.flush();
    expect(service.calls[1]?.recipients?.[0]).not.toHaveProperty("id");
  });

  it("loses nothing typed during a save", async () => {
    const { service, keeper } = keep();
    keeper.update("title", { title: "Un" });
    const saving = keeper.flush();
    keeper.update("title", { title: "Un deux" });
    await saving;
    expect(keeper.state().draft.title).toBe("Un deux");
    await keeper.flush();
    expect(service.stored().title).toBe("Un deux");
  });

  it("stops at a conflict, then takes either version as asked", async () => {
    const { service, keeper } = keep({ title: "Bail" });
    service.changeElsewhere({ title: "Bail modifié ailleurs", updated_at: "2026-11-21T14:12:00Z" });
    keeper.update("title", { title: "Mon bail" });
    await keeper.flush();
    expect(keeper.state().status).toEqual({
      kind: "conflict",
      at: new Date("2026-11-21T14:12:00Z"),
    });
    await keeper.keepMine();
    expect(service.stored().title).toBe("Mon bail");
    service.changeElsewhere({ title: "Encore ailleurs" });
    keeper.update("title", { title: "Autre" });
    await keeper.flush();
    await keeper.reload();
    expect(keeper.state().draft.title).toBe("Encore ailleurs");
  });

  it("keeps the parts this page changed, and takes the others from the service", async () => {
    const { service, keeper } = keep({
      title: "Bail",
      recipients: [makeRecipient()],
      fields: [makeField()],
    });
    service.changeElsewhere({
      message: "Ailleurs",
      recipients: [...service.stored().recipients, zoeAtRankTwo],
      fields: [makeField(), makeField({ id: "f2", recipient_id: "r2", y: 0.7 })],
    });
    keeper.update("title", { title: "Mon bail" });
    await keeper.flush();
    expect(keeper.edits()?.dirty).toEqual(["title"]);
    await keeper.keepMine();
    expect(service.calls).toEqual([{ title: "Mon bail" }]);
    expect(keeper.state()).toMatchObject({
      status: { kind: "saved" },
      draft: {
        title: "Mon bail",
        message: "Ailleurs",
        recipients: [{ id: "r1" }, { id: "r2" }],
        fields: [{ id: "f1" }, { id: "f2" }],
      },
    });
  });

  it("keeps its own fields, except those of a person removed elsewhere", async () => {
    const fields = [makeField(), makeField({ id: "f2", recipient_id: "r2", y: 0.7 })];
    const { service, keeper } = keep({ recipients: [makeRecipient(), zoeAtRankTwo], fields });
    service.changeElsewhere({ recipients: [makeRecipient()], fields: [makeField()] });
    keeper.update("fields", {
      fields: keeper.state().draft.fields.map((field) => ({ ...field, x: 0.5 })),
    });
    await keeper.flush();
    await keeper.keepMine();
    expect(service.calls).toMatchObject([{ fields: [{ id: "f1", x: 0.5, recipient_id: "r1" }] }]);
    expect(keeper.state()).toMatchObject({
      status: { kind: "saved" },
      draft: { recipients: [{ id: "r1" }], fields: [{ id: "f1" }] },
    });
  });

  it.each([
    ["invalid_state", 409, "sent"],
    ["not_found", 404, "gone"],
  ])("stops saving when the service answers %s", async (code, status, kind) => {
    const service = oneDraftService(makeEnvelope());
    const keeper = new DraftKeeper(service.stored(), {
      ...service.ports,
      patch: () => Promise.reject(new ApiError({ status, code })),
    });
    keeper.update("title", { title: "Bail" });
    await keeper.flush();
    expect(keeper.state().status.kind).toBe(kind);
  });
});

describe("a draft whose saves are cut or unanswered", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("recognises rows it saved without an answer", async () => {
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

  it("retries by itself after a network cut", async () => {
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

  /** Loses the answers of the next changes, whether or not the service makes them. */
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
    "recognises its own unanswered save, retried %s",
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

  it("sees a conflict when another user changed the draft beside an unanswered save", async () => {
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

  it("continues after its own unanswered upload", async () => {
    const { service, keeper } = keep();
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

it("sends only the version on the page: a newer one is a conflict", async () => {
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
  vi.unstubAllGlobals();
});
