import { act, renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { rememberPasswordMinimum, usePasswordMinimum } from "./password-minimum.ts";
import { fetchSession } from "./use-session.ts";

afterEach(() => {
  act(() => rememberPasswordMinimum({ password_min_length: 5 }));
  vi.unstubAllGlobals();
});

test("the minimum length is the specification's 5 until the service says otherwise", () => {
  expect(renderHook(usePasswordMinimum).result.current).toBe(5);
});

test.each([
  ["a member", 200, { user: { id: "u1" }, password_min_length: 8 }],
  ["a visitor", 401, { code: "session_expired", detail: "x", password_min_length: 8 }],
])("%s learns it from verify-token/, and what is shown follows", async (_who, status, body) => {
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (url: string) =>
    new URL(url).pathname === "/api/verify-token/"
      ? Response.json(body, { status })
      : Response.json({}, { status: 401 }),
  );
  const { result } = renderHook(usePasswordMinimum);
  await act(async () => {
    await fetchSession();
  });
  expect(result.current).toBe(8);
});

test.each([
  null,
  {},
  { password_min_length: "8" },
  { password_min_length: 4 },
  { password_min_length: 8.5 },
  { password_min_length: 1_000 },
])("%j is no length: nothing changes", (answer) => {
  rememberPasswordMinimum(answer);
  expect(renderHook(usePasswordMinimum).result.current).toBe(5);
});
