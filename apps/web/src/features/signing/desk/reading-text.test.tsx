import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { SigningField } from "./field-walk.ts";
import { ReadingText } from "./reading-view.tsx";
import type { Desk } from "./use-desk.ts";
import { sampleField } from "./testing/sample-field.ts";

const field = (id: string, part: Partial<SigningField>) =>
  sampleField(id, { document_id: "d", y: 0.5, ...part });
const FIELDS = [
  field("s", { type: "signature", page: 2, y: 0.7 }),
  field("b", { type: "checkbox", label: "J’accepte les conditions", y: 0.3 }),
  field("d", { type: "date", page: 2, y: 0.8 }),
  field("o", { type: "signature", page: 2, y: 0.9, own: false }),
];
const PAGES = [
  [
    { kind: "heading", text: "Bail d’habitation", y: 0.1 },
    { kind: "paragraph", text: "Le bailleur loue au preneur.", y: 0.2 },
    { kind: "paragraph", text: "Fait à Dijon.", y: 0.6 },
  ],
  [{ kind: "item", text: "un mois de loyer", y: 0.2 }],
  [],
] as const;

function read(part: Partial<Desk> = {}) {
  const values = { d: "21/11/2026" };
  const desk = {
    errors: {},
    values,
    markOf: () => null,
    answers: { values, marked: new Set<string>() },
    optional: [] as readonly SigningField[],
    ...part,
  };
  const onActivate = vi.fn();
  render(
    <ReadingText
      pages={PAGES}
      fields={FIELDS}
      desk={desk as unknown as Desk}
      currentId="b"
      onActivate={onActivate}
    />,
  );
  return onActivate;
}

it("shows a heading for each page, then those of the text", () => {
  read();
  expect(
    screen.getAllByRole("heading").map((heading) => [heading.tagName, heading.textContent]),
  ).toEqual([
    ["H2", "Page 1"],
    ["H3", "Bail d’habitation"],
    ["H2", "Page 2"],
    ["H2", "Page 3"],
  ]);
  expect(screen.getAllByRole("region").map((page) => page.getAttribute("aria-labelledby"))).toEqual(
    ["lecture-1", "lecture-2", "lecture-3"],
  );
});

it("places each field among the words, by its name and state", async () => {
  const onActivate = read();
  const [first, second] = screen.getAllByRole("region");
  expect(first?.textContent).toBe(
    "Page 1Bail d’habitationLe bailleur loue au preneur.J’accepte les conditions, page 1Fait à Dijon.",
  );
  expect(second?.textContent?.replaceAll("\u00a0", " ")).toBe(
    "Page 2• un mois de loyerSigner ici : Signature, page 2, à remplirDate, page 2, 21/11/2026Signature, réservé à un autre signataire",
  );
  const box = screen.getByRole("checkbox", { name: "J’accepte les conditions, page 1" });
  expect([box.getAttribute("aria-checked"), box.getAttribute("aria-required")]).toEqual([
    "false",
    "true",
  ]);
  await userEvent.tab();
  expect(document.activeElement).toBe(box);
  await userEvent.keyboard(" ");
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  expect(onActivate.mock.calls).toEqual([["b"], ["s"]]);
  // Fields that fill themselves or belong to others are text, not buttons.
  expect(
    screen.getAllByRole("button").map((button) => button.textContent?.replaceAll("\u00a0", " ")),
  ).toEqual(["Signer ici : Signature, page 2, à remplir"]);
});

it("marks the field being filled, and sets the optional ones apart", () => {
  read({ optional: FIELDS.filter(({ id }) => id === "s") });
  const states = [screen.getByRole("checkbox"), screen.getByRole("button")].map((field) => [
    field.getAttribute("aria-current"),
    field.getAttribute("data-state"),
  ]);
  expect(states).toEqual([
    ["true", "todo"],
    [null, "optional"],
  ]);
});

it("reads what another signer wrote, at its place in the document", () => {
  const written = field("w", {
    label: "Fait à",
    own: false,
    value: "Lyon, le chêne",
    filled_by: "Paul Morel",
  });
  const desk = {
    errors: {},
    values: {},
    markOf: () => null,
    answers: { values: {}, marked: new Set<string>() },
  };
  render(
    <ReadingText
      pages={PAGES}
      fields={[written]}
      desk={desk as unknown as Desk}
      currentId="b"
      onActivate={vi.fn()}
    />,
  );
  expect(screen.getByText("Fait à : Lyon, le chêne (rempli par Paul Morel)").tagName).toBe("P");
});

it("says what is wrong with a field, and that a page without words is blank or a picture", () => {
  read({ errors: { s: "Champ obligatoire" } });
  expect(screen.getByRole("button", { name: /Champ obligatoire/ })).toBeTruthy();
  expect(screen.getByText(/^Cette page/).textContent).toBe(
    "Cette page n’a pas de texte lisible\u00a0: elle est vide, ou c’est une image. Demandez un document lisible à l’expéditeur, ou faites-vous lire la page par un proche.",
  );
});
