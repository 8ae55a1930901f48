import type { Envelope } from "@paraphe/contracts";
import { act } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { leftKeeper } from "./draft/left-drafts.ts";
import { reload, useDraftPage } from "./testing/draft-page.tsx";
import { makeEnvelope } from "./testing/make-envelope.ts";

const page = useDraftPage();
const { sent, signIn, openDraft } = page;

/** Never past: a past deadline is not stored. */
const NEXT_YEAR = new Date().getUTCFullYear() + 1;

test("text typed before any file survives a reload and a leave, until a file makes the draft", async () => {
  const first = openDraft(null);
  expect(reload()).toBe(false);
  act(() => first.result.current.keeper.update("title", { title: "Bail commercial" }));
  act(() => first.result.current.keeper.update("deadline", { deadline: `${NEXT_YEAR}-05-03` }));
  act(() => first.result.current.keeper.update("remindEveryDays", { remindEveryDays: null }));
  // The edit waits in the tab.
  expect(reload()).toBe(false);
  first.unmount();
  page.forget();
  const second = openDraft(null);
  expect(second.result.current.state).toMatchObject({
    draft: { title: "Bail commercial", deadline: `${NEXT_YEAR}-05-03`, remindEveryDays: null },
    status: { kind: "dirty" },
  });
  page.answer = () =>
    Promise.resolve(Response.json(makeEnvelope({ title: "Bail commercial", version: 2 })));
  await act(() =>
    second.result.current.keeper.exclusively(async () =>
      makeEnvelope({ title: "Bail commercial" }),
    ),
  );
  await act(() => second.result.current.keeper.flush());
  // The first file did not carry the deadline.
  expect(sent.at(-1)?.body).toMatchObject({
    title: "Bail commercial",
    deadline_at: `${NEXT_YEAR}-05-03T21:59:59.000Z`,
  });
  second.unmount();
  expect(openDraft(null).result.current.state).toMatchObject({
    draft: { title: "" },
    status: { kind: "clean" },
  });
});

test("an emptied start is not stored, and neither a draft nor another user gets it", () => {
  const start = openDraft(null);
  act(() => start.result.current.keeper.update("title", { title: "Bail" }));
  expect(openDraft(makeEnvelope({ title: "Congé" })).result.current.state.draft.title).toBe(
    "Congé",
  );
  signIn("u2");
  expect(openDraft(null).result.current.state.draft.title).toBe("");
  signIn("u1");
  act(() => start.result.current.keeper.update("title", { title: "" }));
  start.unmount();
  expect(sessionStorage).toHaveLength(0);
});

test("the browser asks before a reload where storage is denied", () => {
  const { result } = openDraft(null);
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  vi.stubGlobal("sessionStorage", { getItem: refuse, setItem: refuse, removeItem: refuse });
  act(() => result.current.keeper.update("title", { title: "Bail" }));
  expect(reload()).toBe(true);
});

/** Leaves a new envelope during its first upload; returns what ends the upload. */
function leaveUploading(title: string) {
  const { result, unmount } = openDraft(null);
  act(() => result.current.keeper.update("title", { title }));
  let end: (made: Envelope | null) => void = () => undefined;
  const upload = new Promise<Envelope>((resolve, reject) => {
    end = (made) => (made ? resolve(made) : reject(new Error("cut")));
  });
  result.current.keeper.exclusively(() => upload).catch(() => undefined);
  unmount();
  return end;
}

test("new drafts left during their first upload are saved once it has arrived", async () => {
  page.answer = () => new Promise(() => undefined);
  const [first, second] = [leaveUploading("Bail"), leaveUploading("Congé")];
  first(makeEnvelope({ id: "e16", title: "Contrat" }));
  second(makeEnvelope({ id: "e17", title: "Contrat" }));
  await vi.waitFor(() =>
    expect(sent.map(({ body }) => body)).toEqual([{ title: "Bail" }, { title: "Congé" }]),
  );
  expect(leftKeeper("u1", "e16")?.state().draft.title).toBe("Bail");
  expect(leftKeeper("u1", "e17")?.state().draft.title).toBe("Congé");
  expect(leftKeeper("u2", "e16")).toBeUndefined();
});

test("a new envelope starts empty, unless the previous one's first file did not arrive", async () => {
  const end = leaveUploading("Bail");
  const next = openDraft(null);
  expect(next.result.current.state.draft.title).toBe("");
  next.unmount();
  end(null);
  await vi.waitFor(() => expect(sessionStorage).toHaveLength(1));
  expect(openDraft(null).result.current.state.draft.title).toBe("Bail");
});
