import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createApiClient } from "./api-client.ts";
import { upload } from "./upload.ts";

/** Answers from a queue of statuses, 0 for a cut: the test environment reports no progress. */
class FakeRequest extends EventTarget {
  static statuses: number[] = [];
  static sent: { method: string; url: string; headers: Record<string, string> }[] = [];
  readonly upload = new EventTarget();
  withCredentials = false;
  status = 0;
  responseText = "{}";
  #call = { method: "", url: "", headers: {} as Record<string, string> };
  open(method: string, url: string) {
    this.#call = { method, url, headers: {} };
  }
  setRequestHeader(name: string, value: string) {
    this.#call.headers[name] = value;
  }
  getResponseHeader() {
    return null;
  }
  abort() {
    this.dispatchEvent(new Event("abort"));
  }
  send() {
    FakeRequest.sent.push(this.#call);
    this.status = FakeRequest.statuses.shift() ?? 200;
    this.upload.dispatchEvent(
      Object.assign(new Event("progress"), { lengthComputable: true, loaded: 5, total: 10 }),
    );
    queueMicrotask(() => this.dispatchEvent(new Event(this.status === 0 ? "error" : "load")));
  }
}

const onSessionLost = vi.fn();
const onUnreachable = vi.fn();
let refreshed: number;
const api = createApiClient("https://sign.exemple.fr", { onSessionLost, onUnreachable });
const send = (onProgress = () => {}) =>
  upload(api, { method: "POST", path: "/x/" }, { body: new FormData(), onProgress });

beforeEach(() => {
  FakeRequest.sent = [];
  refreshed = 200;
  onSessionLost.mockReset();
  onUnreachable.mockReset();
  document.cookie = "csrftoken=jeton";
  vi.stubGlobal("XMLHttpRequest", FakeRequest);
  vi.stubGlobal("fetch", async () => Response.json({}, { status: refreshed }));
});
afterEach(() => vi.unstubAllGlobals());

test("an upload reports its progress and carries the CSRF token", async () => {
  FakeRequest.statuses = [201];
  const seen = vi.fn();
  await send(seen);
  expect(seen).toHaveBeenCalledWith(0.5);
  expect(FakeRequest.sent[0]).toMatchObject({
    method: "POST",
    url: "https://sign.exemple.fr/x/",
    headers: { "x-csrftoken": "jeton" },
  });
});

test("an upload that meets a 401 is sent again after one refresh; without one the session is lost", async () => {
  FakeRequest.statuses = [401, 201];
  await send();
  expect(FakeRequest.sent).toHaveLength(2);
  expect(onSessionLost).not.toHaveBeenCalled();
  FakeRequest.statuses = [401];
  refreshed = 401;
  await expect(send()).rejects.toMatchObject({ status: 401 });
  expect(onSessionLost).toHaveBeenCalledOnce();
});

test("an upload that nothing answers says so like any other call", async () => {
  FakeRequest.statuses = [0];
  await expect(send()).rejects.toMatchObject({ isUnreachable: true });
  expect(onUnreachable).toHaveBeenCalledOnce();
});
