import { renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { areSameSizes } from "./page-layout.ts";
import { useUnchanged } from "./use-scrolled-pages.ts";

it("stays the same object until something of it changes", () => {
  const page = (width: number) => ({ width, height: 842 });
  const { result, rerender } = renderHook(({ sizes }) => useUnchanged(sizes, areSameSizes), {
    initialProps: { sizes: [page(595)] },
  });
  const first = result.current;
  rerender({ sizes: [page(595)] });
  expect(result.current).toBe(first);
  for (const sizes of [[page(612)], [page(612), page(612)], []]) {
    rerender({ sizes });
    expect(result.current).toBe(sizes);
  }
});
