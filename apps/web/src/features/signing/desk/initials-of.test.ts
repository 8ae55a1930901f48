import { expect, it } from "vitest";
import { initialsOf } from "./desk-dialogs.tsx";

it("gives a person's initials as written at the foot of a page", () => {
  expect(initialsOf("Camille Roux")).toBe("C.\u00a0R.");
  expect(initialsOf(" Élodie  de La Tour ")).toBe("É.\u00a0D.\u00a0L.\u00a0T.");
  expect(initialsOf("Jean-Paul N'Guessan")).toBe("J.-P.\u00a0N.");
  expect(initialsOf("")).toBe("");
});
