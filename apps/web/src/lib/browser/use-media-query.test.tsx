import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { useMediaQuery } from "./use-media-query.ts";

afterEach(() => vi.unstubAllGlobals());

test("printing does not change the answer of a media query", () => {
  const now = { wide: true, print: false };
  let changed: () => void = () => undefined;
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: query === "print" ? now.print : now.wide,
    addEventListener: (_name: string, listener: () => void) => (changed = listener),
    removeEventListener: () => undefined,
  }));
  function Page() {
    return <p>{useMediaQuery("(min-width: 1024px)") ? "large" : "étroit"}</p>;
  }
  render(<Page />);
  const become = (next: typeof now) => act(() => (Object.assign(now, next), changed()));
  become({ wide: false, print: true });
  expect(screen.getByText("large")).toBeTruthy();
  become({ wide: true, print: false });
  expect(screen.getByText("large")).toBeTruthy();
  become({ wide: false, print: false });
  expect(screen.getByText("étroit")).toBeTruthy();
});
