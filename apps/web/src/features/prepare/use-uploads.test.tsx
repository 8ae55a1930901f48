import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DraftKeeper } from "./draft-keeper.ts";
import { useUploads } from "./use-uploads.ts";

/** The browser's own sender answers what the test says; nothing else is replaced. */
class Sender extends EventTarget {
  static status = 500;
  static body = "{}";
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
    queueMicrotask(() => this.dispatchEvent(new Event("load")));
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
  [500, "{}", "Impossible de créer l'enveloppe"],
  [415, '{"detail":"Seuls les fichiers PDF sont autorisés"}', "Seuls les fichiers PDF sont autorisés"],
])("a first file refused with %i %s stays listed with '%s'", async (status, body, sentence) => {
  Sender.status = status;
  Sender.body = body;
  const keeper = new DraftKeeper(null, { patch: unused, load: unused, now: () => new Date(0) });
  const { result } = renderHook(() => useUploads(keeper));
  act(() => result.current.add([new File(["%PDF-1.7"], "bail.pdf", { type: "application/pdf" })]));
  await vi.waitFor(() => expect(result.current.items).toMatchObject([{ name: "bail.pdf", state: "refused", error: sentence }]));
});
