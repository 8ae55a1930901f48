import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { Stepper } from "./stepper.tsx";

const STEPS = ["Documents", "Destinataires", "Champs", "Envoi"];
const names = () =>
  screen.queryAllByRole("button").map(({ textContent }) => textContent?.replace(/^\d/u, ""));

test("done steps can be opened again, later ones cannot", async () => {
  const chosen: number[] = [];
  render(<Stepper steps={STEPS} current={2} onSelect={(index) => chosen.push(index)} />);
  expect(names()).toEqual(["Documents (terminée)", "Destinataires (terminée)"]);
  await userEvent.click(screen.getByRole("button", { name: /^Destinataires/ }));
  expect(chosen).toEqual([1]);
});

test("after going back, the furthest step can be opened and is not marked done", () => {
  render(<Stepper steps={STEPS} current={0} reached={3} onSelect={() => undefined} />);
  expect(names()).toEqual(["Destinataires (terminée)", "Champs (terminée)", "Envoi"]);
  expect(screen.getByText("Documents").closest("li")?.getAttribute("aria-current")).toBe("step");
});

test("an incomplete earlier step is not marked done, and can be opened again", () => {
  render(
    <Stepper steps={STEPS} current={3} unfinished={new Set([2, 3])} onSelect={() => undefined} />,
  );
  expect(names()).toEqual([
    "Documents (terminée)",
    "Destinataires (terminée)",
    "!Champs (à compléter)",
  ]);
});

test("no step is marked done before it is known what is missing", () => {
  render(<Stepper steps={STEPS} current={3} unfinished={null} onSelect={() => undefined} />);
  expect(names()).toEqual(["Documents", "Destinataires", "Champs"]);
});

test("steps that cannot be chosen only show the position", () => {
  render(<Stepper steps={STEPS} current={1} />);
  expect(names()).toEqual([]);
});
