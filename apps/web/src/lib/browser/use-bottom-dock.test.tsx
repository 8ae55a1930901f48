import { render } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { useBottomDock } from "../../ui/editor-frame/editor-frame.tsx";

function Dock() {
  return <div ref={useBottomDock()}>Signer</div>;
}

it("a dock publishes its height while it is there", () => {
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockReturnValue(
    new DOMRect(0, 600, 390, 212.4),
  );
  const height = () => document.documentElement.style.getPropertyValue("--dock-h");
  const { unmount } = render(<Dock />);
  expect(height()).toBe("212px");
  unmount();
  expect(height()).toBe("");
});
