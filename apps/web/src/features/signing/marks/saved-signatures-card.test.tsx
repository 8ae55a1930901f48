import type { SavedSignature } from "@paraphe/contracts";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { clearToasts } from "../../../ui/toast/toast-store.ts";
import { openPage, serve } from "../../accounts/settings/testing/open-page.tsx";
import { nextName } from "./use-saved-signatures.ts";
import { SavedSignaturesCard } from "./saved-signatures-card.tsx";

const LIST = "/api/signature/saved-signatures/";
const signature = (id: string, more: Partial<SavedSignature> = {}): SavedSignature => ({
  id,
  name: `Signature ${id}`,
  kind: "drawn",
  image: `${LIST}${id}/image/`,
  is_default: false,
  created_at: "2026-03-03T10:00:00Z",
  last_used_at: null,
  text: null,
  font: null,
  ...more,
});
const TYPED = signature("2", {
  kind: "typed",
  text: "Camille Roux",
  font: "herr-von-muellerhoff",
  last_used_at: "2026-11-20T10:00:00Z",
});
const answer = (results: readonly SavedSignature[]) => ({
  status: 200,
  body: { count: results.length, page: 1, page_size: 20, results },
});

/** Opens the page with these signatures; returns the calls made. */
function openList(signatures: readonly SavedSignature[], more: Parameters<typeof serve>[0] = {}) {
  const calls = serve({ [`GET ${LIST}`]: answer(signatures), ...more });
  openPage(<SavedSignaturesCard />);
  return calls;
}
const openMaker = async (user: ReturnType<typeof userEvent.setup>) =>
  user.click(
    (await screen.findAllByRole("button", { name: "Nouvelle signature" }))[0] as HTMLElement,
  );
const choose = async (user: ReturnType<typeof userEvent.setup>, name: string, action: string) => {
  await user.click(await screen.findByRole("button", { name: `Actions pour ${name}` }));
  await user.click(await screen.findByRole("menuitem", { name: action }));
};
const closed = () => waitFor(() => expect(document.querySelector("dialog")).toBeNull());

beforeEach(() => sessionStorage.clear());
afterEach(() => {
  cleanup();
  act(clearToasts);
  vi.unstubAllGlobals();
});

it("invites to make a first signature by one primary button, and shows a failed list", async () => {
  openList([]);
  expect(await screen.findByRole("heading", { name: "Aucune signature enregistrée" })).toBeTruthy();
  expect(screen.getByRole("button").textContent).toBe("Nouvelle signature");
  expect(
    screen.getByText("Dessinez-la une fois, elle vous suivra sur tous vos documents."),
  ).toBeTruthy();
  cleanup();
  openList([], { [`GET ${LIST}`]: { status: 500, body: {} } });
  expect(await screen.findByText("Vos signatures n’ont pas pu être chargées.")).toBeTruthy();
});

it("shows each signature as printed, how it was made, and the default in words", async () => {
  openList([signature("1", { is_default: true }), TYPED]);
  const [first, second] = await screen.findAllByRole("listitem");
  if (!first || !second) throw new Error("two cards");
  expect(within(first).getByText("Par défaut")).toBeTruthy();
  expect(first.querySelector("img")?.getAttribute("src")).toBe(`${LIST}1/image/`);
  expect(within(first).getByText("Dessinée le 3 mars 2026")).toBeTruthy();
  expect(within(second).getByText("Camille Roux")).toBeTruthy();
  expect(second.querySelector("small")?.textContent).toBe("Notaire, utilisée le 20\u00a0nov. 2026");
});

it("searches, filters and sorts the signatures", async () => {
  const user = userEvent.setup();
  openList([signature("1", { is_default: true, name: "Société" }), { ...TYPED, name: "Baux" }]);
  const box = await screen.findByLabelText<HTMLInputElement>("Rechercher une signature par nom");
  await user.selectOptions(screen.getByLabelText("Trier par"), "Nom, de A à Z");
  expect(screen.getAllByRole("listitem")[0]?.textContent).toContain("Baux");
  await user.type(box, "societe{Enter}");
  expect(screen.getByText("1 signature")).toBeTruthy();
  expect(
    screen.getAllByRole("listitem").map((card) => card.textContent?.includes("Société")),
  ).toEqual([true]);
  await user.click(screen.getByRole("button", { name: "Filtrer" }));
  await user.selectOptions(await screen.findByLabelText("Sorte"), "Saisies");
  await user.click(await screen.findByRole("button", { name: "Voir 0 signature" }));
  expect(screen.getByText("Rien ne correspond à « societe » avec ces filtres.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Effacer la recherche et les filtres" }));
  expect([screen.getAllByRole("listitem").length, document.activeElement]).toEqual([2, box]);
});

it("has one first button, with or without signatures", async () => {
  for (const saved of [[], [TYPED]]) {
    openList(saved);
    expect(await screen.findAllByRole("button", { name: "Nouvelle signature" })).toHaveLength(1);
    cleanup();
  }
});

it("saves a typed signature under its name, by the keyboard", async () => {
  const user = userEvent.setup();
  const calls = openList([], { [`POST ${LIST}`]: { status: 201, body: TYPED } });
  await openMaker(user);
  const dialog = await screen.findByRole("dialog", { name: "Nouvelle signature" });
  expect(
    within(dialog)
      .getAllByRole("tab")
      .map((tab) => tab.textContent),
  ).toEqual(["Dessiner", "Saisir", "Importer"]);
  await user.click(within(dialog).getByRole("tab", { name: "Saisir" }));
  const text = within(dialog).getByLabelText("Nom à signer");
  await user.clear(text);
  await user.type(text, "Camille Roux");
  const name = within(dialog).getByLabelText<HTMLInputElement>("Nom de la signature");
  expect(name.value).toBe("Signature complète");
  await user.clear(name);
  await user.click(within(dialog).getByRole("button", { name: "Enregistrer" }));
  expect(within(dialog).getByText("Donnez un nom à cette signature")).toBeTruthy();
  await user.type(name, "Pour les baux");
  await user.click(within(dialog).getByRole("button", { name: "Enregistrer" }));
  await closed();
  expect(calls.find(({ method }) => method === "POST")?.body).toEqual({
    kind: "typed",
    text: "Camille Roux",
    font: "caveat",
    name: "Pour les baux",
    is_default: false,
  });
});

const FULL = "Vous avez déjà 20 signatures, le maximum. Supprimez-en une, puis réessayez.";
const OUTSIDE =
  "Un trait sort de la zone de dessin. Effacez, puis dessinez votre signature de nouveau.";
it.each([
  [FULL, 409, { detail: FULL }],
  [
    OUTSIDE,
    400,
    { code: "validation", detail: "Certaines…", errors: { "strokes.0.3.1": [OUTSIDE] } },
  ],
])("retains the signature and says why the service refuses it: %s", async (said, status, body) => {
  const user = userEvent.setup();
  openList([], { [`POST ${LIST}`]: { status, body } });
  await openMaker(user);
  await user.click(await screen.findByRole("tab", { name: "Saisir" }));
  await user.type(screen.getByLabelText("Nom à signer"), "Camille");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  expect(await screen.findByText(said)).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>("Nom à signer").value).toContain("Camille");
});

it("changes the default, renames, and deletes once confirmed", async () => {
  const user = userEvent.setup();
  const calls = openList([signature("1", { is_default: true }), TYPED], {
    [`PATCH ${LIST}2/`]: { status: 200, body: { ...TYPED, is_default: true } },
    [`DELETE ${LIST}1/`]: { status: 204, body: null },
  });
  await choose(user, "Signature 2", "Définir par défaut");
  await choose(user, "Signature 2", "Renommer");
  const field = screen.getByLabelText("Nom de la signature");
  await user.clear(field);
  await user.type(field, "Paraphe{Enter}");
  await closed();
  await choose(user, "Signature 1", "Supprimer");
  const asked = screen.getByRole("alertdialog");
  expect(asked.textContent).toContain("Supprimer cette signature\u202f?");
  expect(within(asked).getByText("Les documents déjà signés ne changent pas.")).toBeTruthy();
  await user.click(within(asked).getByRole("button", { name: "Supprimer" }));
  await closed();
  expect(
    calls.filter(({ method }) => method !== "GET").map(({ method, body }) => [method, body]),
  ).toEqual([
    ["PATCH", { is_default: true }],
    ["PATCH", { name: "Paraphe" }],
    ["DELETE", null],
  ]);
});

it("focuses the next card after a deletion, and the heading after the last", async () => {
  const user = userEvent.setup();
  const answers = {
    [`GET ${LIST}`]: answer([signature("1"), TYPED]),
    [`DELETE ${LIST}1/`]: { status: 204 },
    [`DELETE ${LIST}2/`]: { status: 204 },
  };
  serve(answers);
  openPage(
    <main>
      <PageHeading title="Ma signature">Ma signature</PageHeading>
      <SavedSignaturesCard />
    </main>,
  );
  const remove = async (name: string, left: readonly SavedSignature[]) => {
    await choose(user, name, "Supprimer");
    answers[`GET ${LIST}`] = answer(left);
    await user.click(
      within(screen.getByRole("alertdialog")).getByRole("button", { name: "Supprimer" }),
    );
    await closed();
  };
  await remove("Signature 1", [TYPED]);
  await waitFor(() =>
    expect(
      document.activeElement?.closest("[data-signature]")?.getAttribute("data-signature"),
    ).toBe("2"),
  );
  await remove("Signature 2", []);
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Ma signature"));
});

it("says why there can be no twenty-first signature", async () => {
  openList(Array.from({ length: 20 }, (_, index) => signature(String(index))));
  const button = await screen.findByRole("button", { name: "Nouvelle signature" });
  expect(button.getAttribute("aria-disabled")).toBe("true");
  expect(
    screen.getByText(
      "Vous avez déjà 20 signatures, le maximum. Supprimez-en une pour en ajouter une autre.",
    ),
  ).toBeTruthy();
});

it("proposes a free name", () => {
  expect(nextName([])).toBe("Signature complète");
  expect(nextName([{ name: "signature complète" }])).toBe("Paraphe");
  expect(
    nextName([{ name: "Signature complète" }, { name: "Paraphe" }, { name: "Signature 4" }]),
  ).toBe("Signature 5");
});
