import { afterEach, expect, test, vi } from "vitest";
import { isOutdated, loadPart } from "./load-part.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("without network nothing is asked for: a failed import would stay failed", async () => {
  const load = vi.fn(async () => 1);
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  await expect(loadPart(load)).rejects.toThrow(TypeError);
  expect(load).not.toHaveBeenCalled();
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(true);
  expect(await loadPart(load)).toBe(1);
});

test.each([
  [
    "the same client",
    async () => new Response('<script type="module" src="/assets/index-A.js"></script>'),
    false,
  ],
  [
    "another one",
    async () => new Response('<script type="module" src="/assets/index-B.js"></script>'),
    true,
  ],
  ["a refusal", async () => new Response("", { status: 503 }), false],
  ["nothing", () => Promise.reject(new TypeError("Failed to fetch")), false],
])("a page whose service answers with %s is told so", async (_what, answer, outdated) => {
  const own = document.createElement("script");
  own.setAttribute("src", "/assets/index-A.js");
  vi.spyOn(document, "querySelector").mockReturnValue(own);
  // The network alone is replaced.
  vi.stubGlobal("fetch", answer);
  expect(await isOutdated()).toBe(outdated);
});
