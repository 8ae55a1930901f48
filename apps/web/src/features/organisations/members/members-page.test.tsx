import type { MemberRole, OrganisationMember, Team } from "@paraphe/contracts";
import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clearToasts } from "../../../ui/toast/toast-store.ts";
import { ToastRegion } from "../../../ui/toast/toast-region.tsx";
import { SettingsPage } from "../../accounts/settings/settings-page.tsx";
import { clemence, openPage, serve } from "../../accounts/settings/testing/open-page.tsx";
import { press } from "../../accounts/testing/forms.ts";
import { MembersPage } from "./members-page.tsx";
import { narrowMembers } from "./narrow-members.ts";

const MEMBERS = "GET /api/organisation/members/";
let answers: Parameters<typeof serve>[0];
let calls: ReturnType<typeof serve>;

function member(name: string, role: MemberRole, more: Partial<OrganisationMember> = {}) {
  return {
    id: `0192f0c1-0000-7000-8000-${name.length.toString().padStart(12, "0")}`,
    name,
    email: `${name.toLowerCase().replaceAll(" ", ".")}@exemple.fr`,
    role,
    joined_at: "2026-11-21T14:16:00.000Z",
    has_second_factor: true,
    seen_at: null,
    teams: [],
    ...more,
  } satisfies OrganisationMember;
}
const ME = member("Clémence Aubry-Lefèvre", "owner", { id: clemence.id });
const PAUL = member("Paul Martin", "member", { has_second_factor: false });
const listOf = (...members: readonly OrganisationMember[]) => ({
  status: 200,
  body: { members, open_invitations: 0 },
});
const MARCHES = { id: "0192f0c1-0000-7000-8000-00000000a001", name: "Marchés" };
const TEAMS = "GET /api/organisation/teams/";
const teamsOf = (...teams: readonly Partial<Team>[]) => ({
  status: 200,
  body: {
    teams: teams.map((team) => ({
      ...MARCHES,
      members: [{ id: PAUL.id, name: PAUL.name, is_administrator: true }],
      templates: 12,
      open_envelopes: 31,
      can_change: true,
      ...team,
    })),
  },
});
const openAs = (role: MemberRole, gender = "Femme") =>
  openPage(
    <>
      <MembersPage />
      <ToastRegion />
    </>,
    { ...clemence, gender, organisation_role: role },
  );

beforeEach(() => {
  clearToasts();
  answers = { [MEMBERS]: listOf(ME, PAUL), [TEAMS]: teamsOf() };
  calls = serve(answers);
});
afterEach(() => vi.unstubAllGlobals());

describe("the members' page", () => {
  test("a role changes at once, and the message takes it back", async () => {
    openAs("owner");
    const path = `/api/organisation/members/${PAUL.id}/role/`;
    answers[`PUT ${path}`] = listOf(ME, { ...PAUL, role: "reader" });
    await userEvent.selectOptions(await screen.findByLabelText("Rôle de Paul Martin"), "Lecteur");
    answers[`PUT ${path}`] = listOf(ME, PAUL);
    await userEvent.click(await screen.findByRole("button", { name: "Annuler le changement" }));
    await vi.waitFor(() =>
      expect(calls.filter(({ method }) => method === "PUT").map(({ body }) => body)).toEqual([
        { role: "reader", from: "member" },
        { role: "member", from: "reader" },
      ]),
    );
    expect(screen.queryByRole("button", { name: "Annuler le changement" })).toBeNull();
  });

  test("the last owner who steps down reads why not, and keeps the role", async () => {
    openAs("owner");
    const own = await screen.findByLabelText("Rôle de Clémence Aubry-Lefèvre");
    await userEvent.selectOptions(own, "Membre");
    expect(
      await screen.findByText(
        "Vous êtes la seule propriétaire. Nommez-en une autre avant de changer votre rôle ou de partir.",
      ),
    ).toBeDefined();
    await press("Compris");
    await vi.waitFor(() =>
      expect(
        (screen.getByLabelText("Rôle de Clémence Aubry-Lefèvre") as HTMLSelectElement).value,
      ).toBe("owner"),
    );
  });

  test("an owner is named after a question", async () => {
    openAs("owner");
    await userEvent.selectOptions(
      await screen.findByLabelText("Rôle de Paul Martin"),
      "Propriétaire",
    );
    await screen.findByText(/Nommer Paul Martin propriétaire/);
    expect(calls.filter(({ method }) => method === "PUT")).toEqual([]);
    await press("Nommer propriétaire");
    await vi.waitFor(() =>
      expect(calls.find(({ method }) => method === "PUT")?.body).toMatchObject({ role: "owner" }),
    );
  });

  test("an administrator is named after a question, since an arrow key chooses too", async () => {
    openAs("owner");
    const role = await screen.findByLabelText("Rôle de Paul Martin");
    await userEvent.selectOptions(role, "Administrateur");
    await screen.findByText(/Nommer Paul Martin administrateur/);
    await press("Annuler");
    expect(calls.filter(({ method }) => method === "PUT")).toEqual([]);
    await userEvent.selectOptions(role, "Administrateur");
    await press("Nommer administrateur");
    await vi.waitFor(() =>
      expect(calls.find(({ method }) => method === "PUT")?.body).toMatchObject({
        role: "administrator",
      }),
    );
  });

  test("who leaves by themselves is spoken to; of somebody else, in the third person", async () => {
    const other = member("Hélène Guérin", "owner");
    answers[MEMBERS] = listOf(ME, other);
    const holdings = {
      open_envelopes: 2,
      closed_envelopes: 0,
      drafts: 0,
      templates: 0,
      layouts: 0,
      contacts: 12,
      circuit_steps: 3,
      to_sign: 1,
    };
    for (const { id } of [ME, other])
      answers[`GET /api/organisation/members/${id}/holdings/`] = { status: 200, body: holdings };
    openAs("owner");
    const ask = async (name: string, entry: string) => {
      await userEvent.click(await screen.findByRole("button", { name: `Actions pour ${name}` }));
      await userEvent.click(await screen.findByRole("menuitem", { name: entry }));
      const dialog = await screen.findByRole("dialog");
      await within(dialog).findByText("Étapes de circuit à son nom");
      const text = dialog.textContent?.replaceAll("\u00a0", " ") ?? "";
      await press(/^(Rester|Garder Hélène Guérin)$/);
      return text;
    };
    const own = await ask(ME.name, "Quitter l’organisation…");
    expect(own).toContain("Quitter l’organisation");
    expect(own).toContain("Votre accès s’arrête");
    expect(own).toContain("Contacts12");
    expect(own).toContain("verra les enveloppes dans « Envoyé »");
    expect(own).toContain("Les étapes l’attendront dans « Action requise »");
    expect(own).toContain("Il vous reste un document à signer, à votre adresse");
    const hers = await ask(other.name, "Retirer de l’organisation…");
    expect(hers).toContain("Retirer Hélène Guérin");
    expect(hers).toContain("Il lui reste un document à signer, à son adresse");
  });

  test("a missing second factor is said in words", async () => {
    openAs("administrator");
    expect(await screen.findAllByText("Sans second facteur")).toHaveLength(1);
    // Only an owner may change another owner.
    expect(screen.queryByLabelText("Rôle de Clémence Aubry-Lefèvre")).toBeNull();
  });

  test.each(["member", "reader"] as const)("a %s sees the list without controls", async (role) => {
    answers[MEMBERS] = listOf(
      ...[ME, PAUL].map((one) => ({ ...one, has_second_factor: null, seen_at: null })),
    );
    openAs(role);
    expect(await screen.findByText("Paul Martin")).toBeDefined();
    for (const name of ["Inviter", /^Actions pour/])
      expect(screen.queryByRole("button", { name })).toBeNull();
    expect(screen.queryByRole("combobox", { name: /^Rôle de/ })).toBeNull();
    expect(screen.queryByRole("navigation", { name: "Membres de l’organisation" })).toBeNull();
  });

  test("somebody alone is offered to invite, and has no organisation in the menu without a role", async () => {
    answers[MEMBERS] = listOf(ME);
    openAs("owner");
    expect(await screen.findByText("Vous êtes seule ici")).toBeDefined();
    expect(screen.getAllByRole("button", { name: /^Inviter/ })).toHaveLength(1);
  });

  test("the menu has the members for each role, and nothing for whoever has none", () => {
    openPage(<SettingsPage />, { ...clemence, organisation_role: "reader" });
    const group = within(screen.getByRole("navigation", { name: "Organisation" }));
    expect(group.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual([
      "/settings/membres",
    ]);
  });

  test("the menu of somebody without an organisation has no such group", () => {
    openPage(<SettingsPage />);
    expect(screen.queryByRole("navigation", { name: "Organisation" })).toBeNull();
  });
});

describe("teams", () => {
  const open = (role: MemberRole, teams: readonly (typeof MARCHES)[] = []) =>
    openPage(
      <>
        <MembersPage />
        <ToastRegion />
      </>,
      { ...clemence, organisation_role: role, teams: [...teams] },
      "/settings/membres/equipes",
    );

  test("say their people, templates and running envelopes, and are opened to be changed", async () => {
    answers[TEAMS] = teamsOf({});
    open("owner");
    const row = await screen.findByRole("button", { name: /^Marchés/ });
    expect(row.textContent).toContain("1 membre · 12 modèles, 31 enveloppes en cours");
    await userEvent.click(row);
    const box = await screen.findByRole("checkbox", { name: "Clémence Aubry-Lefèvre" });
    await userEvent.click(box);
    await userEvent.clear(screen.getByLabelText(/^Nom de l’équipe/));
    await userEvent.type(screen.getByLabelText(/^Nom de l’équipe/), "Marchés publics");
    answers[`PUT /api/organisation/teams/${MARCHES.id}/`] = teamsOf({ name: "Marchés publics" });
    await press("Enregistrer");
    expect(await screen.findByText("Équipe Marchés publics modifiée")).toBeDefined();
    expect(calls.find(({ method }) => method === "PUT")?.body).toEqual({
      name: "Marchés publics",
      members: [
        { id: PAUL.id, is_administrator: true },
        { id: ME.id, is_administrator: false },
      ],
    });
  });

  test("a refused name stands at its field", async () => {
    open("owner");
    await userEvent.click(await screen.findByRole("button", { name: "Nouvelle équipe" }));
    await press("Créer l’équipe");
    expect(screen.getByText("Nom requis")).toBeDefined();
    await userEvent.type(screen.getByLabelText(/^Nom de l’équipe/), "Marchés");
    answers["POST /api/organisation/teams/"] = {
      status: 400,
      body: {
        code: "validation",
        detail: "…",
        errors: { name: ["Une équipe porte déjà ce nom."] },
      },
    };
    await press("Créer l’équipe");
    expect(await screen.findByText("Une équipe porte déjà ce nom.")).toBeDefined();
  });

  test("a member sees the teams without controls, and changes the one they administer", async () => {
    answers[TEAMS] = teamsOf({ can_change: false });
    open("member", [MARCHES]);
    expect(await screen.findByText("Marchés")).toBeDefined();
    for (const name of ["Nouvelle équipe", /^Marchés/])
      expect(screen.queryByRole("button", { name })).toBeNull();
    const tabs = within(screen.getByRole("navigation", { name: "Membres de l’organisation" }));
    expect(tabs.getAllByRole("link").map(({ textContent }) => textContent)).toEqual([
      "Membres 2",
      "Équipes 1",
    ]);
    cleanup();
    answers[TEAMS] = teamsOf({});
    open("member", [MARCHES]);
    await userEvent.click(await screen.findByRole("button", { name: /^Marchés/ }));
    expect(await screen.findByRole("checkbox", { name: "Paul Martin" })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Supprimer l’équipe…" })).toBeNull();
  });

  test("of a member are changed from the menu, and stand in the list", async () => {
    answers[TEAMS] = teamsOf({});
    answers[MEMBERS] = listOf(ME, { ...PAUL, teams: [MARCHES] });
    openAs("owner");
    expect(await screen.findByRole("cell", { name: "Marchés" })).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Actions pour Paul Martin" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Changer d’équipe" }));
    await userEvent.click(await screen.findByRole("checkbox", { name: "Marchés" }));
    answers[`PUT /api/organisation/members/${PAUL.id}/teams/`] = listOf(ME, PAUL);
    await press("Enregistrer");
    expect(await screen.findByText("Équipes de Paul Martin modifiées")).toBeDefined();
    expect(calls.find(({ method }) => method === "PUT")?.body).toEqual({ teams: [] });
  });
});

describe("the list of members", () => {
  const order = { slug: "nom", label: "" };
  const names = (values: Record<string, string>, search = "", slug = "nom") =>
    narrowMembers([ME, PAUL], { search, values, order: { ...order, slug } }).map(
      ({ name }) => name,
    );

  test.each([
    [{}, "clemence", "nom", ["Clémence Aubry-Lefèvre"]],
    [{ role: "member reader" }, "", "nom", ["Paul Martin"]],
    [{ facteur: "sans" }, "", "nom", ["Paul Martin"]],
    [{ facteur: "avec" }, "exemple.fr", "nom", ["Clémence Aubry-Lefèvre"]],
    [{}, "", "nom-z-a", ["Paul Martin", "Clémence Aubry-Lefèvre"]],
    [{}, "", "role", ["Clémence Aubry-Lefèvre", "Paul Martin"]],
  ])("%j with « %s » in the order %s is %j", (values, search, slug, found) =>
    expect(names(values as Record<string, string>, search, slug)).toEqual(found),
  );
});

describe("inviting", () => {
  const open = async () => {
    openAs("owner");
    await userEvent.click(await screen.findByRole("button", { name: "Inviter" }));
    return screen.findByLabelText(/^Adresses email/);
  };
  const posted = () => calls.filter(({ method }) => method === "POST");
  const INVITED = { status: 201, body: { invitations: [] } };

  test("names each text that is no address, and sends nothing until it is corrected or removed", async () => {
    answers["POST /api/organisation/invitations/"] = INVITED;
    const field = await open();
    await userEvent.type(field, "a@b.fr, nadia.exemple.fr, c@d.fr{Enter}e@f.fr Paul, g@h.fr");
    // Before « Envoyer », only what a separator ends.
    expect(field.getAttribute("aria-invalid")).toBe("true");
    await press(/^Envoyer 3\sinvitations$/);
    const error = screen.getByText(/ne sont pas des adresses email/).textContent;
    expect(error).toBe(
      "Ces 2\u00a0textes ne sont pas des adresses email\u00a0: «\u00a0nadia.exemple.fr\u00a0», «\u00a0e@f.fr Paul\u00a0». Corrigez-les ou retirez-les.",
    );
    expect(posted()).toEqual([]);
    await userEvent.clear(field);
    await userEvent.type(field, "a@b.fr, c@d.fr{Enter}Inès <e@f.fr>");
    await press(/^Envoyer 3\sinvitations$/);
    await vi.waitFor(() =>
      expect(posted()[0]?.body).toMatchObject({ emails: ["a@b.fr", "c@d.fr", "e@f.fr"] }),
    );
  });

  test.each([
    ["a@b.fr, c@d.fr{Enter}A@b.fr", "1 adresse en double n’a été gardée qu’une fois."],
    ["a@b.fr, c@d.fr, A@b.fr, c@d.fr", "2 adresses en double n’ont été gardées qu’une fois."],
  ])("says of « %s » what it kept once", async (text, said) => {
    await userEvent.type(await open(), text);
    const status = await screen.findByText(/en double/);
    expect(status.textContent?.replaceAll(/\s/g, " ")).toBe(`2 adresses reconnues. ${said}`);
  });

  test("names a single such text once it is asked to send, not while it is typed", async () => {
    const field = await open();
    await userEvent.type(field, "a@b.fr, nadia");
    expect(field.getAttribute("aria-invalid")).toBeNull();
    await press(/^Envoyer/);
    screen.getByText(/^« nadia » n’est pas une adresse email. Corrigez-la ou retirez-la/);
    expect(posted()).toEqual([]);
  });
});
