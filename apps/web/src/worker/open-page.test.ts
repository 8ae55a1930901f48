import { expect, test, vi } from "vitest";
import { openPage } from "./read-push.ts";

const page = (url: string) => ({ url, focus: vi.fn(async () => undefined) });

test("focuses the tab that shows the page, whatever its fragment", async () => {
  const pages = [
    page("https://a.fr/dashboard"),
    page("https://a.fr/signature/detail/1#journal"),
  ] as const;
  const open = vi.fn(async () => null);
  await openPage("https://a.fr/signature/detail/1", { pages, open });
  expect(pages[1].focus).toHaveBeenCalledOnce();
  expect(pages[0].focus).not.toHaveBeenCalled();
  expect(open).not.toHaveBeenCalled();
});

test("leaves a tab that shows another page, and opens one", async () => {
  const other = page("https://a.fr/profile");
  const open = vi.fn(async () => null);
  await openPage("https://a.fr/signature/detail/1", { pages: [other], open });
  expect(other.focus).not.toHaveBeenCalled();
  expect(open).toHaveBeenCalledWith("https://a.fr/signature/detail/1");
});
