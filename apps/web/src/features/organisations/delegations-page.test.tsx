import { type Delegation, SCOPE_CHOICES } from "@paraphe/contracts";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clearToasts } from "../../ui/toast/toast-store.ts";
import { clemence, openPage, serve } from "../accounts/settings/testing/open-page.tsx";
import { press } from "../accounts/testing/forms.ts";
import { DelegationsPage } from "./delegations-page.tsx";

const PATH = "/api/organisation/delegations/";
const PAUL = { id: "0192f0c1-0000-7000-8000-000000000002", name: "Paul Martin" };
const delegation = (more: Partial<Delegation> = {}): Delegation => ({
  id: "0192f0c1-0000-7000-8000-00000000000a",
  person: PAUL,
  starts_on: "2026-11-16",
  ends_on: "2026-11-27",
  scope: "all",
  circuit: null,
  state: "current",
  signatures: 4,
  waiting: 1,
  ...more,
});
const listOf = (given: readonly Delegation[], received: readonly Delegation[] = []) => ({
  status: 200,
  body: { given, received },
});
const members = [
  { ...PAUL, role: "member" },
  { id: clemence.id, name: "Clémence Aubry-Lefèvre", role: "owner" },
  { id: "0192f0c1-0000-7000-8000-000000000003", name: "Léa Lectrice", role: "reader" },
];
let answers: Parameters<typeof serve>[0];
let calls: ReturnType<typeof serve>;

beforeEach(() => {
  clearToasts();
  answers = {
    [`GET ${PATH}`]: listOf([]),
    "GET /api/organisation/members/": { status: 200, body: { members, open_invitations: 0 } },
  };
  calls = serve(answers);
});
afterEach(() => vi.unstubAllGlobals());
const open = () => openPage(<DelegationsPage />, { ...clemence, organisation_role: "owner" });

describe("the page of delegations", () => {
  test("leads an unconfirmed address to the account's page instead of a refusal", async () => {
    openPage(<DelegationsPage />, {
      ...clemence,
      organisation_role: "owner",
      email_confirmed: false,
    });
    await screen.findByText("Aucune délégation");
    const said = screen.getByText("Votre adresse email n’est pas confirmée").parentElement;
    expect(
      within(said as HTMLElement)
        .getByRole("link", { name: "Mon compte" })
        .getAttribute("href"),
    ).toBe("/profile");
    expect(screen.queryByRole("button", { name: "Nouvelle délégation" })).toBeNull();
  });

  test("a refusal of the service is shown at its field, and what was chosen stays", async () => {
    answers[`POST ${PATH}`] = {
      status: 400,
      body: { code: "validation", errors: { ends_on: ["Un an au plus : jusqu’au 27 novembre."] } },
    };
    open();
    await userEvent.click(await screen.findByRole("button", { name: "Nouvelle délégation" }));
    const dialog = await screen.findByRole("dialog");
    const who = await within(dialog).findByRole("option", { name: "Paul Martin" });
    // Nobody delegates to themselves or to a reader.
    expect(
      within(dialog)
        .getAllByRole("option")
        .map(({ textContent }) => textContent),
    ).toEqual(["Choisir une personne", "Paul Martin", ...Object.values(SCOPE_CHOICES)]);
    await press("Créer la délégation");
    expect(await screen.findByText("Choisissez une personne.")).toBeDefined();
    await userEvent.selectOptions(within(dialog).getByLabelText(/À qui/), who);
    expect(dialog.textContent).toMatch(
      /Le document et la preuve diront.*; le certificat est à son nom/,
    );
    const scope = within(dialog).getByLabelText("Pour");
    await userEvent.selectOptions(scope, "visas");
    expect(dialog.textContent).toMatch(/La preuve dira.*par délégation\u00a0»\./);
    expect(dialog.textContent).not.toContain("certificat");
    await userEvent.selectOptions(scope, "all");
    await press("Créer la délégation");
    expect(await screen.findByText(/Un an au plus/)).toBeDefined();
    expect(calls.find(({ method }) => method === "POST")?.body).toMatchObject({
      delegate_id: PAUL.id,
      scope: "all",
    });
  });

  test("stopping says what stays and what comes back, and changes nothing before", async () => {
    answers[`GET ${PATH}`] = listOf([delegation()]);
    answers[`DELETE ${PATH}${delegation().id}/`] = listOf([delegation({ state: "over" })]);
    open();
    expect(await screen.findByText("du 16 au 27 novembre 2026 · toutes mes étapes")).toBeDefined();
    expect(screen.queryByRole("button", { name: /^Modifier/ })).toBeNull();
    await press("Arrêter la délégation à Paul Martin");
    const dialog = await screen.findByRole("alertdialog");
    expect(dialog.textContent).toContain(
      "Ses 4 signatures déjà données restent valables. 1 document qui attend vous revient.",
    );
    expect(calls.some(({ method }) => method === "DELETE")).toBe(false);
    await userEvent.click(within(dialog).getByRole("button", { name: "Arrêter la délégation" }));
    expect(await screen.findByText("1 délégation passée")).toBeDefined();
  });

  test("both read that the circuit of a delegation was deleted", async () => {
    const circuit = { id: PAUL.id, name: "Baux", deleted: true as const };
    const lost = delegation({ scope: "circuit", circuit });
    answers[`GET ${PATH}`] = listOf([lost], [lost]);
    open();
    expect(
      await screen.findByText("du 16 au 27 novembre 2026 · circuit « Baux », supprimé"),
    ).toBeDefined();
    expect(
      screen.getByText("jusqu’au 27 novembre 2026 · circuit « Baux », supprimé"),
    ).toBeDefined();
  });

  test("a delegation that has not begun may be changed, and a received one refused", async () => {
    const received = delegation({ id: PAUL.id, waiting: 2 });
    answers[`GET ${PATH}`] = listOf(
      [delegation({ state: "upcoming", starts_on: "2027-01-02", ends_on: "2027-01-09" })],
      [received],
    );
    open();
    expect(await screen.findByText("À venir")).toBeDefined();
    expect(
      screen.getByRole("button", { name: "Modifier la délégation à Paul Martin" }),
    ).toBeDefined();
    expect(screen.getByRole("link", { name: "Voir les 2 documents" })).toBeDefined();
    await press("Refuser la délégation de Paul Martin");
    expect((await screen.findByRole("alertdialog")).textContent).toContain("Paul Martin");
  });
});
