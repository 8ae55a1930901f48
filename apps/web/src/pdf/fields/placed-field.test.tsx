import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { FieldTag } from "./placed-field.tsx";

it.each([
  [{ x: 0.1, y: 0.5, width: 0.3, height: 0.05 }, "left", "90cqw"],
  [{ x: 0.6, y: 0.5, width: 0.3, height: 0.05 }, "right", "90cqw"],
])("a flag over %o holds to its %s side and never leaves the page", (box, side, room) => {
  render(<FieldTag box={box}>Anne-Charlotte de La Rochefoucauld-Doudeauville</FieldTag>);
  const tag = screen.getByText(/Rochefoucauld/);
  expect([tag.dataset["side"], tag.style.maxWidth]).toEqual([side, room]);
});
