import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { clemence, openPage, serve } from "../accounts/settings/testing/open-page.tsx";
import { press } from "../accounts/testing/forms.ts";
import { AccessCard, whoLacksOne } from "./access-card.tsx";

const NOW = new Date("2026-11-21T10:00:00Z");
const people = (having: number, lacking: number) => [
  ...Array.from({ length: having }, () => ({ has_second_factor: true })),
  ...Array.from({ length: lacking }, () => ({ has_second_factor: false })),
];
afterEach(() => vi.unstubAllGlobals());

test.each([
  [
    7,
    2,
    "2026-12-01",
    "7 membres sur 9 en ont une. Les 2 autres doivent en ajouter une avant le 1er\u00a0décembre 2026.",
  ],
  [
    7,
    1,
    "2026-12-01",
    "7 membres sur 8 en ont une. L’autre doit en ajouter une avant le 1er\u00a0décembre 2026.",
  ],
  [
    1,
    8,
    "2026-12-01",
    "1 membre sur 9 en a une. Les 8 autres doivent en ajouter une avant le 1er\u00a0décembre 2026.",
  ],
  [
    0,
    1,
    "2026-12-01",
    "Le seul membre n’en a pas et doit en ajouter une avant le 1er\u00a0décembre 2026.",
  ],
  [
    0,
    3,
    "2026-12-01",
    "Aucun membre n’en a. Tous doivent en ajouter une avant le 1er\u00a0décembre 2026.",
  ],
  [4, 0, "2026-12-01", "Les 4 membres en ont une."],
  [1, 0, "2026-12-01", "Le seul membre en a une."],
  [
    7,
    2,
    "2026-11-25",
    "7 membres sur 9 en ont une. Les 2 autres doivent en ajouter une avant le 25\u00a0novembre 2026.",
  ],
  [
    7,
    2,
    "2026-11-21",
    "7 membres sur 9 en ont une. Les 2 autres en ajouteront une à la prochaine visite.",
  ],
  [0, 3, null, "Aucun membre n’en a."],
  [1, 8, null, "1 membre sur 9 en a une."],
] as const)("of %i members with a factor and %i without, by %s", (having, lacking, by, words) => {
  expect(whoLacksOne(people(having, lacking), by, NOW)).toBe(words);
});

test("what was chosen is sent with the version that was shown", async () => {
  const access = {
    second_factor_by: null,
    confirms_signatures: false,
    password_min_length: null,
    service_password_min_length: 8,
    idle_hours: null,
  };
  const settings = { version: 4, access } as Parameters<typeof AccessCard>[0]["settings"];
  const calls = serve({
    "GET /api/organisation/members/": { status: 200, body: { members: people(1, 1) } },
    "PUT /api/organisation/access/": { status: 200, body: { ...settings, version: 5 } },
  });
  openPage(<AccessCard settings={settings} />, {
    ...clemence,
    organisation_role: "administrator",
  });
  await userEvent.click(await screen.findByRole("switch", { name: /^Exiger une clé/ }));
  const length = screen.getByLabelText("Mot de passe, longueur minimale");
  expect(Array.from(length.querySelectorAll("option"), (one) => one.textContent)).toEqual([
    "8 caractères",
    "10 caractères",
    "12 caractères",
    "14 caractères",
    "16 caractères",
  ]);
  await userEvent.selectOptions(length, "14 caractères");
  await userEvent.selectOptions(
    screen.getByLabelText("Fermer une session inactive après"),
    "8 heures",
  );
  // A day that has come is refused beside its field.
  const day = screen.getByLabelText("À ajouter avant le");
  const proposed = (day as HTMLInputElement).value;
  await userEvent.clear(day);
  await userEvent.type(day, "01/01/2020");
  await press("Enregistrer");
  expect(await screen.findByText("Choisissez un jour à venir, dans l’année.")).toBeDefined();
  await userEvent.clear(day);
  await userEvent.type(day, proposed);
  await press("Enregistrer");
  await vi.waitFor(() =>
    expect(calls.filter(({ method }) => method === "PUT").map(({ body }) => body)).toEqual([
      {
        second_factor: true,
        second_factor_on: addDays(parisDay(new Date()), 10),
        confirms_signatures: false,
        password_min_length: 14,
        idle_hours: 8,
        version: 4,
      },
    ]),
  );
});
