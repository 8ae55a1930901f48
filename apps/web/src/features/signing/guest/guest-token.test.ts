import { beforeEach, expect, it, vi } from "vitest";
import { readGuestToken, takeGuestToken } from "./guest-sign-page.tsx";

const at = (href: string) => {
  const history = { state: { key: "k" }, replaceState: vi.fn() };
  return {
    location: { href } as Location,
    history: history as unknown as History,
    replaceState: history.replaceState,
  };
};

beforeEach(() => sessionStorage.clear());

it("removes the token from the address bar, and nothing else", () => {
  const page = at("https://paraphe.fr/sign/e1?token=secret&lang=fr#fin");
  expect(takeGuestToken("e1", page)).toBe("secret");
  expect(page.replaceState).toHaveBeenCalledWith({ key: "k" }, "", "/sign/e1?lang=fr#fin");
});
it("finds the token after a reload, for its own envelope only", () => {
  takeGuestToken("e2", at("https://paraphe.fr/sign/e2?token=secret"));
  expect(takeGuestToken("e2", at("https://paraphe.fr/sign/e2"))).toBe("secret");
  expect(readGuestToken("e3")).toBeNull();
});
