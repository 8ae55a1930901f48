import { act } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { chooseSigningPreferences } from "../../../../lib/browser/signing-preferences.ts";
import { currentToasts } from "../../../../ui/toast/toast-store.ts";
import { reload, useDraftPage } from "../testing/draft-page.tsx";
import { makeEnvelope, makeRecipient } from "../testing/make-envelope.ts";
import { takeOverEdits } from "./kept-edits.ts";

const page = useDraftPage();
const { sent, signIn, openDraft } = page;

/** The stored edits of a draft, of all pages. */
const keptText = (id: string) =>
  Object.entries(localStorage)
    .filter(([name]) => name.startsWith(`paraphe.kept.draft-edits.${id}.`))
    .map(([, text]) => String(text))
    .join("\n");

test("a title typed right before a reload leaves with the page, without a question", async () => {
  const { result } = openDraft(makeEnvelope());
  act(() => result.current.keeper.update("title", { title: "Bail commercial" }));
  expect(reload()).toBe(false);
  act(() => void window.dispatchEvent(new Event("pagehide")));
  await vi.waitFor(() => expect(result.current.state.status.kind).toBe("saved"));
  expect(sent).toEqual([{ body: { title: "Bail commercial" }, keepalive: true }]);
  expect(reload()).toBe(false);
});

test("half an address, a second change and a heavy body wait on the device, without a question", async () => {
  const half = openDraft(makeEnvelope());
  act(() =>
    half.result.current.keeper.update("recipients", {
      recipients: [
        { key: "k", fullName: "Théo", email: "theo@", phoneNumber: null, role: "signer", rank: 1 },
      ],
    }),
  );
  expect(reload()).toBe(false);
  half.unmount();
  const again = openDraft(makeEnvelope());
  expect(again.result.current.state.draft.recipients).toMatchObject([
    { fullName: "Théo", email: "theo@" },
  ]);
  again.unmount();

  page.answer = () => new Promise(() => undefined);
  const late = openDraft(makeEnvelope({ id: "e2" }));
  act(() => late.result.current.keeper.update("title", { title: "Un" }));
  expect(reload()).toBe(false);
  await vi.waitFor(() => expect(late.result.current.state.status.kind).toBe("saving"));
  act(() => late.result.current.keeper.update("title", { title: "Un deux" }));
  expect(reload()).toBe(false);
  expect(keptText("e2")).toContain("Un deux");
  late.unmount();

  page.answer = () => Promise.resolve(Response.json(makeEnvelope({ id: "e3", version: 2 })));
  const heavy = openDraft(makeEnvelope({ id: "e3" }));
  act(() => heavy.result.current.keeper.update("message", { message: "é".repeat(40_000) }));
  expect(reload()).toBe(false);
  await vi.waitFor(() => expect(sent.at(-1)?.body).toHaveProperty("message"));
  expect(sent.at(-1)?.keepalive).toBeUndefined();
  heavy.unmount();
});

test("an accented domain shows as typed, although the service stores it in ASCII", async () => {
  const row = {
    fullName: "Zoé",
    email: "zoe@exémple.fr",
    phoneNumber: null,
    role: "signer",
    rank: 1,
  } as const;
  const kept = makeRecipient({ full_name: "Zoé", email: "zoe@xn--exmple-cva.fr" });
  page.answer = () =>
    Promise.resolve(Response.json(makeEnvelope({ id: "e9", version: 2, recipients: [kept] })));
  const { result } = openDraft(makeEnvelope({ id: "e9" }));
  act(() => result.current.keeper.update("recipients", { recipients: [{ key: "k", ...row }] }));
  await act(() => result.current.keeper.flush());
  expect(result.current.state.draft.recipients).toEqual([{ key: "k", id: "r1", ...row }]);
  expect(
    openDraft(makeEnvelope({ id: "e10", recipients: [kept] })).result.current.state.draft
      .recipients[0]?.email,
  ).toBe(row.email);
});

/** Types a title without a network and leaves the editor. */
async function typeOffline(id: string, title: string) {
  vi.spyOn(console, "error").mockImplementation(() => {});
  page.answer = () => Promise.reject(new TypeError("Failed to fetch"));
  const editor = openDraft(makeEnvelope({ id }));
  act(() => editor.result.current.keeper.update("title", { title }));
  editor.unmount();
  await vi.waitFor(() => expect(currentToasts()).toHaveLength(1));
  sent.length = 0;
}

test("an unsaved edit of a left editor is saved once the network is back", async () => {
  await typeOffline("e5", "Sans réseau");
  expect(currentToasts()[0]?.message).toBe(
    "Vos dernières modifications de «\u00a0Contrat\u00a0» ne sont pas encore enregistrées.",
  );
  page.answer = () =>
    Promise.resolve(Response.json(makeEnvelope({ id: "e5", title: "Sans réseau", version: 2 })));
  window.dispatchEvent(new Event("online"));
  await vi.waitFor(() => expect(sent.map(({ body }) => body)).toEqual([{ title: "Sans réseau" }]));
  await vi.waitFor(() => expect(localStorage).toHaveLength(0));
});

test("a draft left without network restores its edit to its own user only", async () => {
  await typeOffline("e6", "Gardé");
  const back = openDraft(makeEnvelope({ id: "e6" }));
  expect(back.result.current.state.draft.title).toBe("Gardé");
  back.unmount();
  signIn("u2");
  expect(openDraft(makeEnvelope({ id: "e6" })).result.current.state.draft.title).toBe("Contrat");
  page.answer = () => Promise.resolve(Response.json(makeEnvelope({ id: "e6", version: 2 })));
  sent.length = 0;
  window.dispatchEvent(new Event("online"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sent).toEqual([]);
});

type Given = {
  readonly version: number;
  readonly title: string;
  readonly sent?: readonly Readonly<Record<string, string>>[];
  readonly page?: string;
};

/** Stores an edit as another page does. */
function keepElsewhere(id: string, { version, title, sent = [], page = "autre" }: Given) {
  const draft = {
    title,
    message: "",
    deadline: "",
    isSequential: false,
    remindEveryDays: null,
    recipients: [],
    fields: [],
  };
  const entry = { owner: "u1", at: Date.now(), value: { version, dirty: ["title"], sent, draft } };
  localStorage.setItem(`paraphe.kept.draft-edits.${id}.${page}`, JSON.stringify(entry));
}

test.each([
  ["typed over this version, is saved at once", 1, "Gardé", "Gardé", "saved"],
  ["typed over another, is a conflict that its person decides", 0, "Gardé", "Gardé", "conflict"],
  ["that the service has after all, is nothing", 0, "Contrat ", "Contrat", "clean"],
])("an edit that survives its tab, %s", async (_what, version, title, shown, kind) => {
  keepElsewhere("e7", { version, title });
  await takeOverEdits("u1", "e7");
  page.answer = () => Promise.resolve(Response.json(makeEnvelope({ id: "e7", title, version: 2 })));
  const { result } = openDraft(makeEnvelope({ id: "e7" }));
  expect(result.current.state.draft.title).toBe(shown);
  await vi.waitFor(() => expect(result.current.state.status.kind).toBe(kind));
  expect(sent).toHaveLength(kind === "saved" ? 1 : 0);
  await vi.waitFor(() => expect(keptText("e7") === "").toBe(kind !== "conflict"));
});

test("a new envelope's public page hides the document where this device's preferences say so", () => {
  const isHidden = () => openDraft(null).result.current.state.draft.proofOnly;
  expect(isHidden()).toBe(false);
  chooseSigningPreferences({ proofOnly: true });
  expect(isHidden()).toBe(true);
});

test("an edit kept before `proof_only` could be chosen takes the service's choice, and loses nothing", async () => {
  keepElsewhere("e18", { version: 0, title: "Gardé" });
  await takeOverEdits("u1", "e18");
  const { draft, status } = openDraft(makeEnvelope({ id: "e18", proof_only: true })).result.current
    .state;
  expect([draft.title, draft.proofOnly, status.kind]).toEqual(["Gardé", true, "conflict"]);
});

test("a closed page's unanswered save is no conflict, and later edits are saved over it", async () => {
  keepElsewhere("e11", { version: 1, title: "Bail commercial", sent: [{ title: '"Bail"' }] });
  await takeOverEdits("u1", "e11");
  page.answer = () =>
    Promise.resolve(
      Response.json(makeEnvelope({ id: "e11", title: "Bail commercial", version: 3 })),
    );
  const { result } = openDraft(makeEnvelope({ id: "e11", title: "Bail", version: 2 }));
  await vi.waitFor(() => expect(result.current.state.status.kind).toBe("saved"));
  expect(sent.map(({ body }) => body)).toEqual([{ title: "Bail commercial" }]);
});

test.each([
  ["another version since", { title: "Bail", version: 3 }],
  ["another title", { title: "Congé", version: 2 }],
])("a draft with %s than the unanswered save is a conflict", async (_what, found) => {
  keepElsewhere("e12", { version: 1, title: "Bail commercial", sent: [{ title: '"Bail"' }] });
  await takeOverEdits("u1", "e12");
  expect(openDraft(makeEnvelope({ id: "e12", ...found })).result.current.state.status.kind).toBe(
    "conflict",
  );
});

/** The locks of the open pages. */
const openPagesAre = (...pages: string[]) =>
  vi.stubGlobal("navigator", {
    ...navigator,
    onLine: true,
    locks: {
      query: async () => ({ held: pages.map((name) => ({ name: `paraphe.page.${name}` })) }),
      request: async () => undefined,
    },
  });

test("an open tab keeps its own edits, and a closed tab's newest edits are taken over", async () => {
  openPagesAre("ouverte");
  keepElsewhere("e13", { version: 1, title: "D’un onglet ouvert", page: "ouverte" });
  await takeOverEdits("u1", "e13");
  expect(openDraft(makeEnvelope({ id: "e13" })).result.current.state.draft.title).toBe("Contrat");
  expect(keptText("e13")).toContain("D’un onglet ouvert");
  for (const page of ["avant", "fermee", "ouverte"])
    keepElsewhere("e15", { version: 1, title: `Onglet ${page}`, page });
  const before = JSON.parse(localStorage.getItem("paraphe.kept.draft-edits.e15.avant") ?? "") as {
    at: number;
  };
  localStorage.setItem(
    "paraphe.kept.draft-edits.e15.avant",
    JSON.stringify({ ...before, at: before.at - 60_000 }),
  );
  await takeOverEdits("u1", "e15");
  page.answer = () => new Promise(() => undefined);
  expect(openDraft(makeEnvelope({ id: "e15" })).result.current.state.draft.title).toBe(
    "Onglet fermee",
  );
  expect(keptText("e15").split("\n")).toHaveLength(3);
  expect(localStorage.getItem("paraphe.kept.draft-edits.e15.fermee")).toBeNull();
});

test("edits of a draft sent or deleted elsewhere are dropped, whatever page typed them", async () => {
  keepElsewhere("e14", { version: 1, title: "D’un autre onglet", page: "ouverte" });
  page.answer = () =>
    Promise.resolve(Response.json({ status: 404, code: "not_found" }, { status: 404 }));
  const { result } = openDraft(makeEnvelope({ id: "e14" }));
  act(() => result.current.keeper.update("title", { title: "Trop tard" }));
  expect(keptText("e14")).toContain("Trop tard");
  await act(() => result.current.keeper.flush());
  expect(result.current.state.status.kind).toBe("gone");
  expect(keptText("e14")).toBe("");
});

test.each([
  "{",
  '{"owner":"u1","at":9999999999999,"value":{"version":1,"dirty":["title"],"sent":[],"draft":{"title":4}}}',
])("stored text of another form is ignored: %s", async (text) => {
  localStorage.setItem("paraphe.kept.draft-edits.e8.autre", text);
  await takeOverEdits("u1", "e8");
  expect(openDraft(makeEnvelope({ id: "e8" })).result.current.state.draft.title).toBe("Contrat");
});
