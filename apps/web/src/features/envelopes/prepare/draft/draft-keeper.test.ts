import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../../lib/api-error.ts";
import { makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import { oneDraftService } from "../testing/one-draft-service.ts";
import { DraftKeeper } from "./draft-keeper.ts";

describe("a draft being edited", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is saved 800 ms after the last change, once", async () => {
    const service = oneDraftService(makeEnvelope());
    const keeper = new DraftKeeper(service.stored(), service.ports);
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
    const service = oneDraftService(makeEnvelope());
    const keeper = new DraftKeeper(service.stored(), service.ports);
    keeper.update("recipients", {
      recipients: [
        {
          key: "k",
          fullName: "Théo Lenoir",
          email: "theo@exemple.fr",
          phoneNumber: null,
          role: "signer",
          rank: 1,
        },
      ],
    });
    keeper.update("fields", {
      fields: [
        {
          key: "f",
          documentId: "d1",
          recipientKey: "k",
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
    const service = oneDraftService(makeEnvelope());
    const keeper = new DraftKeeper(service.stored(), service.ports);
    keeper.update("recipients", {
      recipients: [
        { key: "k", fullName: "Théo", email: "theo@", phoneNumber: null, role: "signer", rank: 1 },
      ],
    });
    keeper.update("title", { title: "Bail" });
    expect(await keeper.flush()).toBe(false);
    expect(service.calls).toEqual([{ title: "Bail" }]);
    expect(keeper.state().draft.recipients[0]?.email).toBe("theo@");
  });

  const typed = (fullName: string, email: string, rank: number) =>
    ({ key: fullName, fullName, email, phoneNumber: null, role: "signer", rank }) as const;

  it("saves the rows that are right around one that is not, which keeps its place and follows once it is right", async () => {
    const service = oneDraftService(makeEnvelope());
    const keeper = new DraftKeeper(service.stored(), service.ports);
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
    // Nothing more is right: nothing more is sent.
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

  it("leaves somebody whose address is being typed anew as the service has them, fields and all", async () => {
    const another = makeRecipient({
      id: "r2",
      full_name: "Zoé",
      email: "zoe@exemple.fr",
      order: 2,
    });
    const service = oneDraftService(
      makeEnvelope({ recipients: [makeRecipient(), another], fields: [makeField()] }),
    );
    const keeper = new DraftKeeper(service.stored(), service.ports);
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

  it("takes a row that was emptied and typed again for somebody new", async () => {
    const service = oneDraftService(makeEnvelope({ recipients: [makeRecipient()] }));
    const keeper = new DraftKeeper(service.stored(), service.ports);
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

  it("loses nothing typed while a save is under way", async () => {
    const service = oneDraftService(makeEnvelope());
    const keeper = new DraftKeeper(service.stored(), service.ports);
    keeper.update("title", { title: "Un" });
    const saving = keeper.flush();
    keeper.update("title", { title: "Un deux" });
    await saving;
    expect(keeper.state().draft.title).toBe("Un deux");
    await keeper.flush();
    expect(service.stored().title).toBe("Un deux");
  });

  it("stops at a conflict, then takes the other version or keeps its own as asked", async () => {
    const service = oneDraftService(makeEnvelope({ title: "Bail" }));
    const keeper = new DraftKeeper(service.stored(), service.ports);
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

  it("keeps of its own version what this page changed, and of the other one all the rest", async () => {
    const service = oneDraftService(
      makeEnvelope({ title: "Bail", recipients: [makeRecipient()], fields: [makeField()] }),
    );
    const keeper = new DraftKeeper(service.stored(), service.ports);
    const another = makeRecipient({
      id: "r2",
      full_name: "Zoé",
      email: "zoe@exemple.fr",
      order: 2,
    });
    service.changeElsewhere({
      message: "Ailleurs",
      recipients: [...service.stored().recipients, another],
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

  it("keeps its own fields, but for those of a person taken away elsewhere", async () => {
    const another = makeRecipient({
      id: "r2",
      full_name: "Zoé",
      email: "zoe@exemple.fr",
      order: 2,
    });
    const fields = [makeField(), makeField({ id: "f2", recipient_id: "r2", y: 0.7 })];
    const service = oneDraftService(
      makeEnvelope({ recipients: [makeRecipient(), another], fields }),
    );
    const keeper = new DraftKeeper(service.stored(), service.ports);
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
  ])(
    "says that the draft is no draft any more when the service answers %s",
    async (code, status, kind) => {
      const service = oneDraftService(makeEnvelope());
      const keeper = new DraftKeeper(service.stored(), {
        ...service.ports,
        patch: () => Promise.reject(new ApiError({ status, code })),
      });
      keeper.update("title", { title: "Bail" });
      await keeper.flush();
      expect(keeper.state().status.kind).toBe(kind);
    },
  );
});
