import { LEGAL_VERSIONS, RETENTION_RULES } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import { sessionQuery } from "../../accounts/use-session.ts";
import { hashFile } from "../../../lib/browser/hash-file.ts";
import { CONDITIONS, ConditionsPage } from "./conditions-page.tsx";
import { PRIVACY, PrivacyPage } from "./privacy-page.tsx";

function show(page: React.ReactNode, user: object | null = null) {
  const client = new QueryClient();
  client.setQueryData(sessionQuery.queryKey, user as never);
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>{page}</MemoryRouter>
    </QueryClientProvider>,
  );
}
const words = () => document.body.textContent?.replaceAll(/[\u00a0\u202f]/g, " ") ?? "";

test("describes in the conditions what is signed and its worth, without claiming more", () => {
  show(<ConditionsPage />);
  for (const words_ of [
    "L’organisation qui exploite ce service",
    "signature électronique simple, au sens du règlement (UE) n° 910/2014 (eIDAS), article 3, point 10",
    "ni avancée ni qualifiée",
    "articles 1366 et 1367 du code civil",
  ])
    expect(words()).toContain(words_);
});

test("lists on the privacy page all stored data, why, on which ground and how long", () => {
  show(<PrivacyPage />);
  const rows = within(screen.getByRole("table")).getAllByRole("row").slice(1);
  expect(rows.map((row) => [...row.children].map(({ textContent }) => textContent))).toEqual(
    RETENTION_RULES.map(({ data, purpose, basis, duration }) => [data, purpose, basis, duration]),
  );
});

test.each([
  "article 15",
  "article 16",
  "article 17",
  "article 18",
  "article 19",
  "article 20",
  "article 21",
  "CNIL",
  "aucun sous-traitant",
])("names %s on the privacy page", (right) => {
  show(<PrivacyPage />);
  expect(words()).toContain(right);
});

test.each([
  [
    "what must be given, and what follows without it",
    "sont obligatoires : sans eux, le compte ne peut pas être créé",
  ],
  ["what may be left out", "Le téléphone, le genre, l’adresse et la photo sont facultatifs"],
  [
    "where a guest's data come from",
    "nous viennent de l’expéditeur de la demande (RGPD, article 14, paragraphe 2, point f)",
  ],
  [
    "that a consent may be withdrawn",
    "retirer à tout moment un consentement : notifications du navigateur, signatures enregistrées, depuis",
  ],
  [
    "how long, without a default that nobody can set",
    "La durée est de dix ans après la dernière signature",
  ],
  [
    "what the birth date serves for",
    "la date de naissance vous distingue d’un homonyme, et n’est jamais montrée aux autres parties",
  ],
  [
    "that a name asked for is held",
    "Compte demandé et jamais activé, son nom d’utilisateur réservé",
  ],
])("says on the privacy page %s", (_what, sentence) => {
  show(<PrivacyPage />);
  expect(words()).toContain(sentence);
});

test("binds the number of an article or paragraph to its word", () => {
  show(<PrivacyPage />);
  expect(document.body.textContent).not.toMatch(
    /(?:art\.|articles?|paragraphe|point) (?=\d|[a-f]\b)/,
  );
  document.body.replaceChildren();
  show(<ConditionsPage />);
  expect(document.body.textContent).not.toMatch(
    /(?:art\.|articles?|paragraphe|point) (?=\d|[a-f]\b)/,
  );
});

test.each([
  ["conditions", ConditionsPage, CONDITIONS],
  ["privacy", PrivacyPage, PRIVACY],
])("dates the %s page", (_name, Page, { since }) => {
  show(<Page />);
  expect(words()).toMatch(/Version du \d{1,2} novembre 2026/);
  expect(document.querySelector("time")?.dateTime).toBe(since);
});

test.each([
  ["conditions", CONDITIONS, LEGAL_VERSIONS.conditions],
  ["privacy", { ...PRIVACY, table: RETENTION_RULES }, LEGAL_VERSIONS.privacy],
])(
  "ties the text of the %s page to its date: a new text needs a new date and hash",
  async (_name, text, { sha256 }) => {
    expect(await hashFile(new Blob([JSON.stringify({ ...text, since: undefined })]))).toBe(sha256);
  },
);

test("says where to have an email address corrected", () => {
  show(<PrivacyPage />);
  expect(words()).toContain("depuis « Mon compte », adresse email comprise");
});

test("links each entry of the contents to a section", () => {
  show(<PrivacyPage />);
  const targets = within(screen.getByRole("navigation", { name: "Sommaire" }))
    .getAllByRole("link")
    .map((link) => link.getAttribute("href")?.slice(1) ?? "");
  expect(targets.length).toBe(7);
  for (const target of targets) expect(document.getElementById(target)?.tagName).toBe("SECTION");
});

test("offers the login to a visitor, where a member has the bar", () => {
  show(<ConditionsPage />);
  expect(screen.getByRole("link", { name: "Se connecter" }).getAttribute("href")).toBe("/login");
});

test("does not ask a member to log in", () => {
  show(<ConditionsPage />, { id: "u1" });
  expect(screen.queryByRole("link", { name: "Se connecter" })).toBeNull();
});
