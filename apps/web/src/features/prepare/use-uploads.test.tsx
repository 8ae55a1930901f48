import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DraftKeeper } from "./draft-keeper.ts";
import { makeEnvelope } from "./testing/make-envelope.ts";
import { useUploads } from "./use-uploads.ts";

/** The browser's own sender answers what the test says; nothing else is replaced. */
class Sender extends EventTarget {
  static status = 500;
  static body = "{}";
  static isCut = false;
  readonly upload = new EventTarget();
  withCredentials = false;
  readonly status = Sender.status;
  readonly responseText = Sender.body;
  open() {}
  setRequestHeader() {}
  getResponseHeader() {
    return "application/json";
  }
  send() {
    queueMicrotask(() => this.dispatchEvent(new Event(Sender.isCut ? "error" : "load")));
  }
}
const unused = async () => {
  throw new Error("not called");
};

beforeEach(() => {
  document.cookie = "csrftoken=jeton";
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.stubGlobal("XMLHttpRequest", Sender);
});
afterEach(() => vi.unstubAllGlobals());

test.each([
  [500, "{}", "Impossible de créer l'enveloppe", "on request"],
  [415, '{"detail":"Seuls les fichiers PDF sont autorisés"}', "Seuls les fichiers PDF sont autorisés", "never"],
])("a first file refused with %i %s stays listed with '%s'", async (status, body, sentence, again) => {
  Sender.status = status;
  Sender.body = body;
  const keeper = new DraftKeeper(null, { patch: unused, load: unused, now: () => new Date(0) });
  const { result } = renderHook(() => useUploads(keeper));
  act(() => result.current.add([new File(["%PDF-1.7"], "bail.pdf", { type: "application/pdf" })]));
  await vi.waitFor(() => expect(result.current.items).toMatchObject([{ name: "bail.pdf", state: "refused", error: sentence, again }]));
});

test("a file whose sending the network cut goes on by itself when it is back, or when asked", async () => {
  const keeper = new DraftKeeper(null, { patch: unused, load: unused, now: () => new Date(0) });
  const { result } = renderHook(() => useUploads(keeper));
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
