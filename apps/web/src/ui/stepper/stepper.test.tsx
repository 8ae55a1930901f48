import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { Stepper } from "./stepper.tsx";

const STEPS = ["Documents", "Destinataires", "Champs", "Envoi"];
const names = () =>
  screen.queryAllByRole("button").map(({ textContent }) => textContent?.replace(/^\d/u, ""));

test("done steps are gone back to, those to come are not", async () => {
  const chosen: number[] = [];
  render(<Stepper steps={STEPS} current={2} onSelect={(index) => chosen.push(index)} />);
  expect(names()).toEqual(["Documents (terminée)", "Destinataires (terminée)"]);
  await userEvent.click(screen.getByRole("button", { name: /^Destinataires/ }));
  expect(chosen).toEqual([1]);
});

test("who goes back keeps the way to the furthest step, which is not done", () => {
  render(<Stepper steps={STEPS} current={0} reached={3} onSelect={() => undefined} />);
  expect(names()).toEqual(["Destinataires (terminée)", "Champs (terminée)", "Envoi"]);
  expect(screen.getByText("Documents").closest("li")?.getAttribute("aria-current")).toBe("step");
});

test("a step gone past that lacks something is not done, and can be gone back to", () => {
  render(
    <Stepper steps={STEPS} current={3} unfinished={new Set([2, 3])} onSelect={() => undefined} />,
  );
  expect(names()).toEqual([
    "Documents (terminée)",
    "Destinataires (terminée)",
    "!Champs (à compléter)",
  ]);
});

test("no step is said to be done before it is known what lacks", () => {
  render(<Stepper steps={STEPS} current={3} unfinished={null} onSelect={() => undefined} />);
  expect(names()).toEqual(["Documents", "Destinataires", "Champs"]);
});

test("without a way to choose, the steps only say where one is", () => {
  render(<Stepper steps={STEPS} current={1} />);
  expect(names()).toEqual([]);
});
