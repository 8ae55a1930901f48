import { expect, test } from "vitest";
import { hidesTopBar, isCurrent, MAIN_LINKS, SIGN_LINKS, USER_LINKS } from "./menu-links.tsx";

test("has the specification's links and words in the bar and its menus", () => {
  expect(MAIN_LINKS.map(({ to, label }) => [to, label])).toEqual([
    ["/dashboard", "Tableau de bord"],
    ["/signature", "Signatures"],
    ["/settings", "Paramètres"],
  ]);
  expect(SIGN_LINKS.map(({ to, label }) => [to, label])).toEqual([
    ["/signature/self-sign", "Auto-signature"],
    ["/signature/bulk-same", "Signature masse"],
    ["/signature/saved-signatures", "Mes signatures"],
  ]);
  expect(USER_LINKS.map(({ to, label }) => [to, label])).toEqual([
    ["/profile", "Mon compte"],
    ["/settings", "Paramètres"],
  ]);
});

test("marks a link as current on its own path and below", () => {
  expect(isCurrent("/signature/envelopes/sent", "/signature")).toBe(true);
  expect(isCurrent("/signatures", "/signature")).toBe(false);
});

test("hides the bar on signing pages only", () => {
  expect(hidesTopBar("/sign/1", "")).toBe(true);
  expect(hidesTopBar("/signature/sign/1", "?token=a")).toBe(true);
  expect(hidesTopBar("/signature/sign/1", "")).toBe(false);
  expect(hidesTopBar("/dashboard", "?token=a")).toBe(false);
});
