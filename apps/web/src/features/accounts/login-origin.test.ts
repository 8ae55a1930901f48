import { expect, test } from "vitest";
import { loginOrigin } from "./login-page.tsx";

test("goes back to the page one came from, with its query", () => {
  expect(
    loginOrigin({ from: { pathname: "/signature/detail/1", search: "?a=1", hash: "#b" } }),
  ).toBe("/signature/detail/1?a=1#b");
});

test("goes to the dashboard without an origin, or with one that is not ours", () => {
  for (const state of [null, {}, { from: "x" }, { from: { pathname: "//ailleurs.fr" } }])
    expect(loginOrigin(state)).toBe("/dashboard");
});
