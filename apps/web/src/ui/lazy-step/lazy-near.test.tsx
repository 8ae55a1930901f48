import { act, render, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { PartsTurn, lazyNear } from "./lazy-near.tsx";

let comeNear: () => void;
const stopped = vi.fn();
const load = vi.fn(async () => () => <p>Journal</p>);

beforeEach(() => {
  load.mockClear();
  stopped.mockClear();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(told: (entries: readonly { readonly isIntersecting: boolean }[]) => void) {
        comeNear = () => told([{ isIntersecting: true }]);
      }
      observe() {}
      disconnect = stopped;
    },
  );
});

test.each<[string, () => void]>([
  ["comes near the window", () => comeNear()],
  ["has waited for three seconds", () => vi.advanceTimersByTime(3_000)],
])("a part whose place %s is asked for, and not before", async (_what, happen) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const Part = lazyNear(load, <h2>Journal de transparence</h2>);
  render(<Part />);
  await act(async () => undefined);
  expect(load).not.toHaveBeenCalled();
  expect(screen.getByRole("heading", { name: "Journal de transparence" })).toBeTruthy();
  await act(async () => happen());
  vi.useRealTimers();
  await screen.findByText("Journal");
  expect(load).toHaveBeenCalledOnce();
});

test("a part waits for what comes first, even in sight, and is then asked for with all the others", async () => {
  const Part = lazyNear(load, null);
  const { rerender } = render(
    <PartsTurn value="near">
      <Part />
    </PartsTurn>,
  );
  const wasNear = comeNear;
  rerender(
    <PartsTurn value="later">
      <Part />
    </PartsTurn>,
  );
  expect(stopped).toHaveBeenCalledOnce();
  expect(comeNear).toBe(wasNear);
  expect(load).not.toHaveBeenCalled();
  rerender(
    <PartsTurn value="all">
      <Part />
    </PartsTurn>,
  );
  await screen.findByText("Journal");
});
