import { expect, test } from "vitest";
import { chosenFilters, type Filter, periodFilter, periodOf, readFilters } from "./filters.ts";

const STATUS: Filter = {
  name: "statut",
  label: "Statut",
  choices: [
    { slug: "", label: "Toutes" },
    { slug: "refusees", label: "Refusées" },
  ],
};
const PROGRESS: Filter = {
  name: "avancement",
  label: "Avancement",
  takesSeveral: true,
  choices: [
    { slug: "partielles", label: "Partiellement signée" },
    { slug: "en-retard", label: "En retard" },
    { slug: "refusees", label: "Refusée" },
  ],
};
const FILTERS = [periodFilter("Création"), STATUS, PROGRESS];
/** 23 h 30 in Paris, the 21st. */
const NOW = new Date("2026-11-21T22:30:00Z");
const read = (query: string) => readFilters(new URLSearchParams(query), FILTERS);

test.each([
  ["", {}],
  ["statut=refusees&periode=mois", { statut: "refusees", periode: "mois" }],
  ["avancement=refusees+partielles+refusees+inconnu", { avancement: "partielles refusees" }],
  ["statut=refusees+refusees&avancement=inconnu", {}],
  ["statut=inconnu&periode=inconnue&autre=1", {}],
  [
    "periode=entre&du=2026-11-01&au=2026-11-12",
    { periode: "entre", du: "2026-11-01", au: "2026-11-12" },
  ],
  ["periode=entre&du=2026-11-12&au=2026-11-01", {}],
  ["periode=entre&du=2026-02-31&au=2026-11-01&statut=refusees", { statut: "refusees" }],
  ["periode=entre&du=1850-01-01&au=2026-11-01", {}],
  ["periode=entre&du=2026-11-01", {}],
  ["du=2026-11-01&au=2026-11-12", {}],
])("an address « %s » narrows by what a list knows and is whole", (query, values) => {
  expect(read(query)).toEqual(values);
});

test("a period is days of Paris, both included", () => {
  expect(periodOf({ periode: "7-jours" }, NOW)).toEqual({ from: "2026-11-15", to: "2026-11-21" });
  expect(periodOf({ periode: "mois" }, NOW)).toEqual({ from: "2026-11-01", to: "2026-11-21" });
  expect(periodOf(read("periode=entre&du=2026-11-01&au=2026-11-12"), NOW)).toEqual({
    from: "2026-11-01",
    to: "2026-11-12",
  });
  expect(periodOf({}, NOW)).toEqual({});
});

test("a chip says the filter and its choice", () => {
  expect(
    chosenFilters(read("statut=refusees&periode=7-jours"), FILTERS).map(
      ({ label, words }) => `${label} ${words}`,
    ),
  ).toEqual(["Création ces 7 derniers jours", "Statut refusées"]);
  expect(chosenFilters(read("avancement=partielles+refusees+en-retard"), FILTERS)).toMatchObject([
    { words: "partiellement signée, en retard ou refusée" },
  ]);
  expect(chosenFilters(read("periode=entre&du=2026-11-01&au=2026-11-12"), FILTERS)).toMatchObject([
    { words: "du 1er\u00a0nov. 2026 au 12\u00a0nov. 2026" },
  ]);
});
