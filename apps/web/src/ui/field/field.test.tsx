import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { DateField } from "../date-field/date-field.tsx";
import { SelectField, TextField } from "./field.tsx";
import { PasswordField } from "./password-field.tsx";

test("ties help and error to the control and says that it is invalid", () => {
  render(<TextField label="Email" help="Votre adresse." error="Email invalide" />);
  const input = screen.getByLabelText("Email");
  expect(input.getAttribute("aria-invalid")).toBe("true");
  const described = (input.getAttribute("aria-describedby") ?? "")
    .split(" ")
    .map((id) => document.getElementById(id)?.textContent);
  expect(described).toEqual(["Votre adresse.", "Email invalide"]);
});

test("a required field says so to assistive technology, without being announced as wrong while empty", () => {
  render(
    <>
      <TextField label="Prénom" required />
      <PasswordField label="Mot de passe" required />
      <SelectField label="Genre" optional />
      <DateField label="Date de naissance" required value="" onChange={() => {}} />
    </>,
  );
  for (const label of ["Prénom", "Mot de passe", "Date de naissance"]) {
    expect(screen.getByLabelText(label).getAttribute("aria-required")).toBe("true");
    // The browser's own `required` makes an untouched field invalid.
    expect(screen.getByLabelText(label).hasAttribute("required")).toBe(false);
  }
  expect(screen.getByLabelText("Genre (facultatif)").hasAttribute("aria-required")).toBe(false);
});

test("an optional field says so", () => {
  render(<TextField label="Téléphone" optional />);
  expect(screen.getByLabelText("Téléphone (facultatif)")).toBeDefined();
});

test("a password can be shown and hidden", async () => {
  render(<PasswordField label="Mot de passe" />);
  const input = screen.getByLabelText("Mot de passe");
  expect(input.getAttribute("type")).toBe("password");
  await userEvent.click(screen.getByRole("button", { name: "Afficher le mot de passe" }));
  expect(input.getAttribute("type")).toBe("text");
  expect(
    screen.getByRole("button", { name: "Masquer le mot de passe" }).getAttribute("aria-pressed"),
  ).toBe("true");
});
