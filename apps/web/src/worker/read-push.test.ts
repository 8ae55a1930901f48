import { expect, test, vi } from "vitest";
import { openPage, ownAddress, readPush } from "./read-push.ts";

const ORIGIN = "https://signer.exemple.fr";
const data = (value: unknown) => ({
  json: () => JSON.parse(typeof value === "string" ? value : JSON.stringify(value)) as unknown,
});

test("reads a message's title, sentence and own address", () => {
  expect(
    readPush(
      data({ title: "Bail signé", body: "Côme Œuvrard a signé.", url: "/signature/detail/1" }),
      ORIGIN,
    ),
  ).toEqual({
    title: "Bail signé",
    body: "Côme Œuvrard a signé.",
    url: `${ORIGIN}/signature/detail/1`,
  });
});

test.each([
  ["another site's", "https://ailleurs.exemple/prise"],
  ["another site's without its scheme", "//ailleurs.exemple/prise"],
  ["another port's", "https://signer.exemple.fr:8443/profile"],
  ["one without TLS", "http://signer.exemple.fr/profile"],
  ["a script", "javascript:alert(1)"],
  ["a document made on the spot", "data:text/html,bonjour"],
  ["none at all", undefined],
])("replaces an address that is %s with the dashboard", (_what, url) => {
  expect(ownAddress(url, ORIGIN)).toBe(`${ORIGIN}/dashboard`);
});

test.each([
  ["no content", null],
  ["no JSON", data("pas du JSON")],
  ["a list", data([])],
  ["values of another kind", data({ title: 4, body: {}, url: [] })],
])("shows a sentence for %s, because every message must show one", (_what, content) => {
  expect(readPush(content, ORIGIN)).toEqual({
    title: "Paraphe",
    body: "Vous avez une nouvelle notification.",
    url: `${ORIGIN}/dashboard`,
  });
});

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
