import type { UpdateEnvelopeRequest } from "@paraphe/contracts";
import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hashFile } from "../../../../lib/browser/hash-file.ts";
import { clearToasts, currentToasts } from "../../../../ui/toast/toast-store.ts";
import { DraftKeeper } from "../draft/draft-keeper.ts";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import { useUploads } from "./use-uploads.ts";

/** An upload answered as the test says. */
class Sender extends EventTarget {
  static status = 500;
  static body = "{}";
  static isCut = false;
  static sent: { readonly key: string; readonly title: unknown; readonly file: string }[] = [];
  readonly upload = new EventTarget();
  withCredentials = false;
  readonly status = Sender.status;
  readonly responseText = Sender.body;
  #key = "";
  open() {}
  setRequestHeader(name: string, value: string) {
    if (name === "idempotency-key") this.#key = value;
  }
  getResponseHeader() {
    return "application/json";
  }
  send(body: FormData) {
    Sender.sent.push({
      key: this.#key,
      title: body.get("title"),
      file: (body.get("files") as File).name,
    });
    queueMicrotask(() => this.dispatchEvent(new Event(Sender.isCut ? "error" : "load")));
  }
}
const unused = async () => {
  throw new Error("not called");
};

beforeEach(() => {
  Object.assign(Sender, { sent: [], isCut: false });
  clearToasts();
  sessionStorage.clear();
  document.cookie = "csrftoken=jeton";
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.stubGlobal("XMLHttpRequest", Sender);
});
afterEach(() => vi.unstubAllGlobals());

test.each([
  [500, "{}", "Impossible de créer l'enveloppe", "on request"],
  [
    415,
    '{"detail":"Seuls les fichiers PDF sont autorisés"}',
    "Seuls les fichiers PDF sont autorisés",
    "never",
  ],
])(
  "a first file refused with %i %s stays listed with '%s'",
  async (status, body, sentence, again) => {
    Sender.status = status;
    Sender.body = body;
    const keeper = new DraftKeeper(null, { patch: unused, load: unused, now: () => new Date(0) });
    const { result } = renderHook(() => useUploads(keeper, "u1"));
    act(() =>
      result.current.add([new File(["%PDF-1.7"], "bail.pdf", { type: "application/pdf" })]),
    );
    await vi.waitFor(() =>
      expect(result.current.items).toMatchObject([
        { name: "bail.pdf", state: "refused", error: sentence, again },
      ]),
    );
  },
);

test("a file cut by the network is sent again on request or once the network is back", async () => {
  const keeper = new DraftKeeper(null, { patch: unused, load: unused, now: () => new Date(0) });
  const { result } = renderHook(() => useUploads(keeper, "u1"));
  const failed = [{ name: "bail.pdf", state: "refused", again: "with the network" }];
  Sender.isCut = true;
  act(() => result.current.add([new File(["%PDF-1.7"], "bail.pdf", { type: "application/pdf" })]));
  await vi.waitFor(() => expect(result.current.items).toMatchObject(failed));
  act(() => result.current.retry(result.current.items[0]?.key ?? ""));
  expect(result.current.items).toMatchObject([{ state: "queued", error: null }]);
  await vi.waitFor(() => expect(result.current.items).toMatchObject(failed));
  Object.assign(Sender, { isCut: false, status: 201, body: JSON.stringify(makeEnvelope()) });
  act(() => void window.dispatchEvent(new Event("online")));
  await vi.waitFor(() => expect(result.current.items).toEqual([]));
  expect(keeper.state().envelope?.id).toBe("e1");
  keeper.stop();
});

const pdf = (name: string, text = "%PDF-1.7") =>
  new File([text], name, { type: "application/pdf" });
const newEditor = () => {
  const keeper = new DraftKeeper(null, { patch: unused, load: unused, now: () => new Date(0) });
  return { keeper, ...renderHook(() => useUploads(keeper, "u1")) };
};
const wait = (result: { current: ReturnType<typeof useUploads> }, states: readonly string[]) =>
  vi.waitFor(() => expect(result.current.items.map(({ state }) => state)).toEqual(states));

test("a lost answer to a first file is asked for again as the same request", async () => {
  const { keeper, result } = newEditor();
  Sender.isCut = true;
  act(() => result.current.add([pdf("bail.pdf")]));
  await wait(result, ["refused"]);
  // Typed meanwhile, it is saved afterwards: other words under the same key would be refused.
  act(() => keeper.update("title", { title: "Congé" }));
  Object.assign(Sender, {
    isCut: false,
    status: 201,
    body: JSON.stringify(makeEnvelope({ title: "Bail" })),
  });
  act(() => result.current.retry(result.current.items[0]?.key ?? ""));
  await wait(result, []);
  expect(Sender.sent).toEqual([
    expect.objectContaining({ title: "Bail", file: "bail.pdf" }),
    Sender.sent[0],
  ]);
  expect(Sender.sent[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
  expect(keeper.state().draft.title).toBe("Congé");
  expect(keeper.edits()?.dirty).toEqual(["title"]);
  expect(sessionStorage).toHaveLength(0);
  keeper.stop();
});

test("the same file of the same user goes under the same key after a reload, any other does not", async () => {
  Sender.isCut = true;
  for (const [owner, file] of [
    ["u1", pdf("bail.pdf")],
    ["u1", pdf("bail.pdf")],
    ["u1", pdf("bail.pdf", "%PDF-1.4")],
    ["u2", pdf("bail.pdf", "%PDF-1.4")],
  ] as const) {
    const keeper = new DraftKeeper(null, { patch: unused, load: unused, now: () => new Date(0) });
    const { result, unmount } = renderHook(() => useUploads(keeper, owner));
    act(() => result.current.add([file]));
    await wait(result, ["refused"]);
    unmount();
  }
  const keys = Sender.sent.map(({ key }) => key);
  expect(keys[1]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(3);
});

test("a second file waits for the first one's answer, or until the first is removed", async () => {
  const { keeper, result } = newEditor();
  Sender.isCut = true;
  act(() => result.current.add([pdf("un.pdf"), pdf("deux.pdf")]));
  await wait(result, ["refused", "refused"]);
  expect(Sender.sent.map(({ file }) => file)).toEqual(["un.pdf"]);
  act(() => result.current.retry(result.current.items[1]?.key ?? ""));
  await wait(result, ["refused", "refused"]);
  expect(Sender.sent.map(({ file }) => file)).toEqual(["un.pdf", "un.pdf"]);
  act(() =>
    result.current.remove(result.current.items.find(({ name }) => name === "un.pdf")?.key ?? ""),
  );
  Object.assign(Sender, { isCut: false, status: 201, body: JSON.stringify(makeEnvelope()) });
  act(() => result.current.retry(result.current.items[0]?.key ?? ""));
  await wait(result, []);
  expect(Sender.sent.at(-1)).toMatchObject({ file: "deux.pdf", title: "Deux" });
  expect(Sender.sent.at(-1)?.key).not.toBe(Sender.sent[0]?.key);
  keeper.stop();
});

test("a file that arrived without an answer is not added again", async () => {
  const before = makeEnvelope();
  const sha256 = await hashFile(pdf("annexe.pdf"));
  const after = makeEnvelope({
    version: 2,
    documents: [...before.documents, makeDocument({ id: "d2", sha256 })],
  });
  const keeper = new DraftKeeper(before, {
    patch: unused,
    load: async () => after,
    now: () => new Date(0),
  });
  const { result } = renderHook(() => useUploads(keeper, "u1"));
  Sender.isCut = true;
  act(() => result.current.add([pdf("annexe.pdf")]));
  await wait(result, ["refused"]);
  Object.assign(Sender, { isCut: false, status: 409, body: '{"code":"version_conflict"}' });
  act(() => result.current.retry(result.current.items[0]?.key ?? ""));
  await wait(result, []);
  expect(Sender.sent).toHaveLength(2);
  expect(keeper.state()).toMatchObject({
    envelope: { version: 2, documents: [{ id: "d1" }, { id: "d2" }] },
    status: { kind: "saved" },
  });
});

test("a replaced file gives its fields to the new one, and a toast tells which lost their page", async () => {
  const bodies: UpdateEnvelopeRequest[] = [];
  const old = makeEnvelope({
    recipients: [makeRecipient()],
    fields: [makeField(), makeField({ id: "f2", page: 2 })],
  });
  const sha256 = await hashFile(pdf("corrigé.pdf"));
  const added = makeDocument({ id: "d2", name: "corrigé.pdf", page_count: 1, sha256 });
  const both = { ...old, version: 2, documents: [...old.documents, added] };
  const moved = { ...both, version: 3, fields: [makeField({ document_id: "d2" })] };
  vi.stubGlobal("fetch", async (_url: string, { body }: { body: string }) => {
    bodies.push(JSON.parse(body) as UpdateEnvelopeRequest);
    return Response.json({ ...moved, version: 4, documents: [added] });
  });
  const keeper = new DraftKeeper(old, {
    load: unused,
    now: () => new Date(0),
    patch: async (_envelope, body) => {
      bodies.push(body);
      return moved;
    },
  });
  const { result } = renderHook(() => useUploads(keeper, "u1"));
  Object.assign(Sender, { status: 200, body: JSON.stringify(both) });
  act(() => result.current.add([pdf("corrigé.pdf")], "d1"));
  await wait(result, ["queued"]);
  await wait(result, []);
  expect(bodies).toEqual([
    { fields: [expect.objectContaining({ id: "f1", document_id: "d2", page: 1 })] },
    { remove_documents: ["d1"] },
  ]);
  expect(keeper.state().draft.fields).toMatchObject([{ id: "f1", documentId: "d2" }]);
  expect(keeper.state().envelope?.documents).toMatchObject([{ id: "d2" }]);
  expect(currentToasts()).toMatchObject([
    {
      message: "corrigé.pdf remplace contrat.pdf\u00a0: un champ n’a plus sa page et est retiré",
    },
  ]);
  keeper.stop();
});

test("a replacement whose removal failed goes on where it was, without a second copy", async () => {
  const old = makeEnvelope();
  const sha256 = await hashFile(pdf("corrigé.pdf"));
  const added = makeDocument({ id: "d2", name: "corrigé.pdf", sha256 });
  const both = { ...old, version: 2, documents: [...old.documents, added] };
  const answers = [
    Response.json({}, { status: 503 }),
    Response.json({ ...both, version: 3, documents: [added] }),
  ];
  vi.stubGlobal("fetch", async () => answers.shift());
  const keeper = new DraftKeeper(old, { patch: unused, load: unused, now: () => new Date(0) });
  const { result } = renderHook(() => useUploads(keeper, "u1"));
  Object.assign(Sender, { status: 200, body: JSON.stringify(both) });
  act(() => result.current.add([pdf("corrigé.pdf")], "d1"));
  await wait(result, ["refused"]);
  act(() => result.current.retry(result.current.items[0]?.key ?? ""));
  await wait(result, []);
  expect(Sender.sent).toHaveLength(1);
  expect(keeper.state().envelope?.documents).toMatchObject([{ id: "d2" }]);
  keeper.stop();
});

test("a replacement whose answer was lost moves its fields to its own file, not to one sent since", async () => {
  const old = makeEnvelope({ recipients: [makeRecipient()], fields: [makeField()] });
  const corrected = pdf("corrigé.pdf", "%PDF-1.7 corrigé");
  const since = { name: "annexe.pdf", sha256: await hashFile(pdf("annexe.pdf")) };
  const own = { name: "corrigé.pdf", sha256: await hashFile(corrected) };
  const arrived = [
    ...old.documents,
    makeDocument({ id: "d2", ...own }),
    makeDocument({ id: "d3", ...since }),
  ];
  const all = { ...old, version: 3, documents: arrived };
  const moved = { ...all, version: 4, fields: [makeField({ document_id: "d2" })] };
  vi.stubGlobal("fetch", async () =>
    Response.json({ ...moved, version: 5, documents: arrived.slice(1) }),
  );
  const bodies: UpdateEnvelopeRequest[] = [];
  const keeper = new DraftKeeper(old, {
    load: async () => old,
    now: () => new Date(0),
    patch: async (_envelope, body) => {
      bodies.push(body);
      return moved;
    },
  });
  const { result } = renderHook(() => useUploads(keeper, "u1"));
  Sender.isCut = true;
  act(() => result.current.add([corrected], "d1"));
  await wait(result, ["refused"]);
  Object.assign(Sender, { isCut: false, status: 200, body: JSON.stringify(all) });
  act(() => result.current.add([pdf("annexe.pdf")]));
  await vi.waitFor(() => expect(result.current.items).toHaveLength(1));
  act(() => result.current.retry(result.current.items[0]?.key ?? ""));
  await wait(result, []);
  expect(Sender.sent.map(({ file }) => file)).toEqual(["corrigé.pdf", "annexe.pdf"]);
  expect(bodies).toEqual([{ fields: [expect.objectContaining({ id: "f1", document_id: "d2" })] }]);
  expect(keeper.state().envelope?.documents.map(({ id }) => id)).toEqual(["d2", "d3"]);
  keeper.stop();
});

/** Asks to leave as a reload does; true when the browser would ask the person. */
function isReloadAsked(): boolean {
  const event = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(event);
  return event.defaultPrevented;
}

test("the browser asks before a reload that would lose a file on its way or waiting", async () => {
  const { keeper, result, unmount } = newEditor();
  expect(isReloadAsked()).toBe(false);
  Sender.isCut = true;
  act(() => result.current.add([pdf("bail.pdf")]));
  expect(isReloadAsked()).toBe(true);
  await wait(result, ["refused"]);
  expect(isReloadAsked()).toBe(true);
  Object.assign(Sender, {
    isCut: false,
    status: 415,
    body: '{"detail":"Seuls les fichiers PDF sont autorisés"}',
  });
  act(() => result.current.retry(result.current.items[0]?.key ?? ""));
  await vi.waitFor(() =>
    expect(result.current.items).toMatchObject([{ state: "refused", again: "never" }]),
  );
  expect(isReloadAsked()).toBe(false);
  Object.assign(Sender, { status: 201, body: JSON.stringify(makeEnvelope()) });
  act(() => result.current.add([pdf("congé.pdf")]));
  unmount();
  expect(isReloadAsked()).toBe(true);
  await vi.waitFor(() => expect(keeper.state().envelope?.id).toBe("e1"));
  await vi.waitFor(() => expect(isReloadAsked()).toBe(false));
  keeper.stop();
});

test("a removed file no longer blocks a reload", async () => {
  const { keeper, result } = newEditor();
  act(() => result.current.add([pdf("bail.pdf")]));
  act(() => result.current.remove(result.current.items[0]?.key ?? ""));
  expect(isReloadAsked()).toBe(false);
  keeper.stop();
});
