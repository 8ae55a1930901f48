import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { readApiBase } from "../lib/api/api.ts";
import { StartRefusal } from "./start.tsx";

test.each([
  [
    "http://sign.exemple.fr",
    "L’adresse du service doit commencer par https:// (http://sign.exemple.fr).",
  ],
  ["", "L’adresse du service est absente."],
])(
  "the client refuses to start with the base '%s', on a page that says why",
  (origin, sentence) => {
    const base = readApiBase(undefined, origin === "" ? "null" : origin);
    if (base.ok) throw new Error("a refusal was expected");
    render(<StartRefusal reason={base.reason} />);
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(
      "Paraphe ne peut pas démarrer",
    );
    expect(screen.getByRole("alert").textContent).toContain(sentence);
    expect(document.title).toBe("Démarrage impossible – Paraphe");
  },
);
