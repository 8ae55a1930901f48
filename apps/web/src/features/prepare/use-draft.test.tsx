import type { Envelope, User } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sessionQuery } from "../accounts/use-session.ts";
import { makeEnvelope } from "./testing/make-envelope.ts";
import { useDraft } from "./use-draft.ts";

const sent: { body: unknown; keepalive: boolean | undefined }[] = [];
let answer = () => Promise.resolve(Response.json(makeEnvelope({ version: 2 })));

beforeEach(() => {
  sent.length = 0;
  client = new QueryClient();
  signIn("u1");
  sessionStorage.clear();
  document.cookie = "csrftoken=jeton";
  answer = () => Promise.resolve(Response.json(makeEnvelope({ version: 2 })));
  // The network alone is replaced.
  vi.stubGlobal("fetch", (_url: string, { body, keepalive }: { body: string; keepalive?: boolean }) => {
    sent.push({ body: JSON.parse(body), keepalive });
    return answer();
  });
});
afterEach(() => vi.unstubAllGlobals());

let client: QueryClient;
const signIn = (id: string) => client.setQueryData(sessionQuery.queryKey, { id } as User);
const openDraft = (initial: Envelope | null) =>
  renderHook(() => useDraft(initial), {
    wrapper: ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });

/** What a reload does first; true when the browser is to ask. */
function reload(): boolean {
  const event = new Event("beforeunload", { cancelable: true });
  act(() => void window.dispatchEvent(event));
  return event.defaultPrevented;
}

test("a title typed right before a reload leaves with the page, and nothing is asked", async () => {
  const { result } = openDraft(makeEnvelope());
  act(() => result.current.keeper.update("title", { title: "Bail commercial" }));
  expect(reload()).toBe(false);
  act(() => void window.dispatchEvent(new Event("pagehide")));
  await vi.waitFor(() => expect(result.current.state.status.kind).toBe("saved"));
  expect(sent).toEqual([{ body: { title: "Bail commercial" }, keepalive: true }]);
  expect(reload()).toBe(false);
});

test("the browser asks when what is typed cannot leave: half an address, a second change while the first is on its way", async () => {
  const half = openDraft(makeEnvelope());
  act(() =>
    half.result.current.keeper.update("recipients", {
      recipients: [{ key: "k", fullName: "Théo", email: "theo@", phoneNumber: null, role: "signer", rank: 1 }],
    }),
  );
  expect(reload()).toBe(true);
  half.unmount();

  answer = () => new Promise(() => undefined);
  const late = openDraft(makeEnvelope());
  act(() => late.result.current.keeper.update("title", { title: "Un" }));
  expect(reload()).toBe(false);
  await vi.waitFor(() => expect(late.result.current.state.status.kind).toBe("saving"));
  expect(reload()).toBe(false);
  act(() => late.result.current.keeper.update("title", { title: "Un deux" }));
  expect(reload()).toBe(true);
  late.unmount();
});

test("a body too heavy to outlive its page is sent as any other, and the browser asks", async () => {
  const { result } = openDraft(makeEnvelope());
  act(() => result.current.keeper.update("message", { message: "é".repeat(40_000) }));
  expect(reload()).toBe(true);
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.keepalive).toBeUndefined();
});

/** A date that is never past when this runs: what was typed may wait in a tab for long, and a past deadline is not kept. */
const NEXT_YEAR = new Date().getUTCFullYear() + 1;

test("what was typed before any file is found again after a reload and by who went elsewhere, until a file makes a draft of it", async () => {
  const first = openDraft(null);
  expect(reload()).toBe(false);
  act(() => first.result.current.keeper.update("title", { title: "Bail commercial" }));
  act(() => first.result.current.keeper.update("deadline", { deadline: `${NEXT_YEAR}-05-03` }));
  act(() => first.result.current.keeper.update("remindEveryDays", { remindEveryDays: null }));
  // Nothing is asked: it waits in the tab.
  expect(reload()).toBe(false);
  first.unmount();
  client = new QueryClient();
  signIn("u1");
  const second = openDraft(null);
  expect(second.result.current.state).toMatchObject({
    draft: { title: "Bail commercial", deadline: `${NEXT_YEAR}-05-03`, remindEveryDays: null },
    status: { kind: "dirty" },
  });
  answer = () => Promise.resolve(Response.json(makeEnvelope({ title: "Bail commercial", version: 2 })));
  await act(() => second.result.current.keeper.exclusively(async () => makeEnvelope({ title: "Bail commercial" })));
  await act(() => second.result.current.keeper.flush());
  // What its first file did not carry is saved with it.
  expect(sent.at(-1)?.body).toMatchObject({ title: "Bail commercial", deadline_at: `${NEXT_YEAR}-05-03T21:59:59.000Z` });
  second.unmount();
  expect(openDraft(null).result.current.state).toMatchObject({ draft: { title: "" }, status: { kind: "clean" } });
});

test("a start that is emptied again is not kept, a draft takes nothing from one, and nobody else is given it", () => {
  const start = openDraft(null);
  act(() => start.result.current.keeper.update("title", { title: "Bail" }));
  expect(openDraft(makeEnvelope({ title: "Congé" })).result.current.state.draft.title).toBe("Congé");
  signIn("u2");
  expect(openDraft(null).result.current.state.draft.title).toBe("");
  signIn("u1");
  act(() => start.result.current.keeper.update("title", { title: "" }));
  start.unmount();
  expect(sessionStorage).toHaveLength(0);
});

test("the browser asks where it keeps nothing itself", () => {
  const { result } = openDraft(null);
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  vi.stubGlobal("sessionStorage", { getItem: refuse, setItem: refuse, removeItem: refuse });
  act(() => result.current.keeper.update("title", { title: "Bail" }));
  expect(reload()).toBe(true);
});
