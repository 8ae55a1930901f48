import type { Envelope, Recipient } from "@paraphe/contracts";
import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { clemence, openPage } from "../../accounts/settings/testing/open-page.tsx";
import { press, pressFound, toasts } from "../testing/page.tsx";
import { bail, renderList } from "../testing/render-list.tsx";
import { ActionRequiredPage } from "./action-required-page.tsx";
import { CompletedPage } from "./completed-page.tsx";
import { DeletedPage } from "./deleted-page.tsx";
import { DraftsPage } from "./drafts-page.tsx";
import { SentPage } from "./sent-page.tsx";

let calls: { readonly call: string; readonly search: string }[];
let listed: readonly Envelope[];
let near: string | undefined;
let refusedPath: string | undefined;
let opened: { print: () => void; close: () => void; closed: boolean } | null;

beforeEach(() => {
  act(clearToasts);
  calls = [];
  listed = [bail];
  near = undefined;
  refusedPath = undefined;
  opened = null;
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubGlobal("fetch", async (address: string, { method = "GET" }: { method?: string } = {}) => {
    const { pathname, search } = new URL(address);
    if (pathname === "/api/verify-token/") return Response.json({});
    calls.push({ call: `${method} ${pathname}`, search });
    if (refusedPath !== undefined && pathname.endsWith(refusedPath))
      return Response.json({}, { status: 500 });
    if (pathname.endsWith("/download/"))
      return Response.json({ download_url: "/fichier.pdf", file_name: "bail.pdf" });
    if (pathname === "/fichier.pdf")
      return new Response("%PDF-", { headers: { "content-type": "application/pdf" } });
    if (pathname.endsWith("/counts/"))
      return Response.json({ draft: 1, sent: 1, completed: 48, action_required: 1, cancelled: 1 });
    if (method === "GET")
      return Response.json({ count: listed.length, page: 1, page_size: 10, results: listed, near });
    listed = [];
    return method === "DELETE" ? new Response(null, { status: 204 }) : Response.json(bail);
  });
  vi.stubGlobal("open", () => {
    opened = { print: vi.fn(), close: vi.fn(), closed: false };
    return {
      ...opened,
      location: { replace: vi.fn(), href: "https://localhost/fichier.pdf" },
      document: { readyState: "complete" },
    };
  });
});
afterEach(() => vi.unstubAllGlobals());

function show(page: ReactNode, only?: Partial<Envelope>) {
  if (only) listed = [{ ...bail, ...only }];
  renderList(page);
}

const called = (call: string) =>
  calls.filter((made) => made.call === call.replace(" ", " /api/signature/envelopes/"));
const confirm = (name: string) =>
  userEvent.click(within(screen.getByRole("alertdialog")).getByRole("button", { name }));
const said = (...sentences: string[]) => vi.waitFor(() => expect(toasts()).toEqual(sentences));
const asked = (part: string) =>
  vi.waitFor(() => expect(calls.some(({ search }) => search.includes(part))).toBe(true));
const SEARCH = "Rechercher par titre, signataire ou créateur";
const searchBox = () => screen.findByLabelText<HTMLInputElement>(SEARCH);

test.each([
  [<SentPage key="s" />, "Impossible de charger les enveloppes envoyées"],
  [<CompletedPage key="c" />, "Échec du chargement des enveloppes"],
  [<ActionRequiredPage key="a" />, "Impossible de charger les actions requises"],
  [<DraftsPage key="d" />, "Échec du chargement des brouillons"],
  [<DeletedPage key="x" />, "Échec du chargement des enveloppes supprimées"],
])(
  "a list that cannot be loaded says so in a toast and in its place: %#",
  async (page, sentence) => {
    refusedPath = "/envelopes/";
    show(page);
    expect((await screen.findByRole("alert")).textContent).toContain(sentence);
    expect(toasts()).toEqual([sentence]);
  },
);

test.each([
  [["visa"], "1 document attend votre visa"],
  [["visa", "signer"], "2 documents vous attendent"],
] as const)("awaited acts of %j: « %s »", async (roles, lede) => {
  listed = roles.map((role, index) => ({
    ...bail,
    id: `e${index}`,
    recipients: bail.recipients.slice(0, 1).map((one) => ({ ...one, role, status: "notified" })),
  }));
  show(<ActionRequiredPage />);
  await screen.findByText(lede);
});

test.each([
  ["Envoyé", <SentPage key="s" />, "sent", "1 enveloppe en attente de signature", "1 enveloppe"],
  [
    "Action requise",
    <ActionRequiredPage key="a" />,
    "action_required",
    "1 document attend votre signature",
    "1 document",
  ],
  ["Brouillons", <DraftsPage key="d" />, "draft", "1 enveloppe en préparation", "1 enveloppe"],
  [
    "Supprimé",
    <DeletedPage key="x" />,
    "cancelled",
    "Les enveloppes annulées sont purgées 10 jours après leur annulation.",
    "1 enveloppe",
  ],
] as const)(
  "while '%s' is narrowed, one count is shown and one action clears it",
  async (name, page, status, lede, found) => {
    show(page, { status: "sent" });
    await screen.findByText(lede);
    const box = await screen.findByLabelText(/^Rechercher par titre/);
    await userEvent.type(box, "bail");
    await screen.findByText(found);
    await vi.waitFor(() =>
      expect(
        calls.some(
          ({ search }) => search.includes(`status=${status}`) && search.includes("search=bail"),
        ),
      ).toBe(true),
    );
    const isSentence = name === "Supprimé";
    expect(screen.queryByText(lede) !== null).toBe(isSentence);
    listed = [];
    await userEvent.type(box, "zzz");
    await screen.findByText(/^Aucun titre(, signataire)? ni créateur ne correspond à/);
    expect(screen.getAllByText(/^\d+\s(document|enveloppe)/).map((one) => one.textContent)).toEqual(
      [found.replace("1", "0")],
    );
    listed = [bail];
    await press("Effacer la recherche");
    await screen.findByText(lede);
  },
);

describe("'Complété(s)'", () => {
  const showCompleted = () => show(<CompletedPage />, { status: "completed" });
  const choose = async (entry: string) => {
    showCompleted();
    await pressFound("Actions pour Bail commercial");
    await userEvent.click(await screen.findByRole("menuitem", { name: entry }));
  };

  test("completed envelopes come ten a page with their total, and a search can be cleared", async () => {
    showCompleted();
    await screen.findByText("1 document au total");
    expect(calls[0]).toEqual({
      call: "GET /api/signature/envelopes/",
      search: "?status=completed&page=1&page_size=10",
    });
    const box = await searchBox();
    await userEvent.type(box, "AUBRY");
    await screen.findByText("1 document");
    await asked("search=AUBRY");
    await press("Effacer la recherche");
    expect(document.activeElement).toBe(box);
  });

  test("a search without results names what it looked in, and is cleared by its one button", async () => {
    showCompleted();
    await screen.findByText("1 document au total");
    listed = [];
    const box = await searchBox();
    await userEvent.type(box, "zzz");
    await screen.findByText(/^Aucun titre, signataire ni créateur ne correspond à/);
    listed = [bail];
    expect(screen.getAllByText("Effacer la recherche")).toHaveLength(1);
    expect(screen.getByText("Effacer la recherche").closest("search")).toBeNull();
    await press("Effacer la recherche");
    expect([box.value, document.activeElement]).toEqual(["", box]);
  });

  test("a search without results offers the nearest word", async () => {
    showCompleted();
    const box = await searchBox();
    [listed, near] = [[], "aubry"];
    await userEvent.type(box, "aubri{Enter}");
    await pressFound("«\u00a0aubry\u00a0»");
    expect([box.value, document.activeElement]).toEqual(["aubry", box]);
    await vi.waitFor(() => expect(calls.at(-1)?.search).toContain("search=aubry"));
  });

  test("the row's menu previews on the detail page", async () => {
    showCompleted();
    await pressFound("Actions pour Bail commercial");
    expect(
      (await screen.findByRole("menuitem", { name: "Prévisualiser" })).getAttribute("href"),
    ).toBe("/signature/detail/e1");
  });

  test.each([
    ["downloaded", undefined, "Document téléchargé avec succès"],
    ["not downloaded", "/download/", "Échec du téléchargement"],
  ])("a signed PDF that is %s (%s) says '%s'", async (_what, refused, sentence) => {
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
    refusedPath = refused;
    await choose("Télécharger le PDF");
    await said(sentence);
  });

  test("a file without bytes is 'Fichier introuvable'", async () => {
    const network = fetch;
    vi.stubGlobal("fetch", async (address: string, options: object) =>
      String(address).endsWith("/fichier.pdf") ? new Response("") : network(address, options),
    );
    await choose("Télécharger le PDF");
    await said("Échec du téléchargement");
    expect(currentToasts()[0]?.detail).toBe("Fichier introuvable");
  });

  test("a document is printed from a new tab: 'Ouverture de l'impression'", async () => {
    await choose("Imprimer");
    await said("Ouverture de l'impression");
    await vi.waitFor(() => expect(opened?.print).toHaveBeenCalled());
  });

  test("a failed print says 'Échec de l'impression' and leaves no empty tab", async () => {
    refusedPath = "/download/";
    await choose("Imprimer");
    await said("Échec de l'impression");
    expect(opened?.close).toHaveBeenCalled();
  });

  test.each([
    ["accepted", undefined, "Enveloppe supprimée avec succès"],
    ["refused", "/cancel/", "Échec de la suppression"],
  ])("a deletion asks first, cancels, and %s (%s) says '%s'", async (_what, refused, sentence) => {
    refusedPath = refused;
    await choose("Supprimer");
    await confirm("Supprimer");
    await said(sentence);
    expect(called("POST e1/cancel/")).toHaveLength(1);
  });
});

describe("'Action requise'", () => {
  test.each([
    ["2026-11-24T22:59:59Z", "Dans 3 jours", true],
    ["2026-11-25T22:59:59Z", "Dans 4 jours", false],
  ])("a deadline at %s is « %s », in red within three days", async (deadline_at, words, isNear) => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-21T12:00:00Z") });
    show(<ActionRequiredPage />, { status: "action_required", deadline_at });
    expect((await screen.findByText(words)).className.includes("near")).toBe(isNear);
    vi.useRealTimers();
  });

  test("each received envelope has a 'Signer' button to its signing page", async () => {
    show(<ActionRequiredPage />, { status: "action_required" });
    const sign = await screen.findByRole("link", { name: "Signer Bail commercial" });
    expect([sign.textContent, sign.getAttribute("href")]).toEqual(["Signer", "/signature/sign/e1"]);
    expect(calls[0]?.search).toContain("status=action_required");
    expect(screen.getByText("Action requise", { selector: "span" })).toBeDefined();
  });

  test("an empty list leads to /signature/new", async () => {
    listed = [];
    show(<ActionRequiredPage />);
    expect(
      (await screen.findByRole("link", { name: "Demander signature" })).getAttribute("href"),
    ).toBe("/signature/new");
  });

  test("a list of what waits by delegation leads an unconfirmed address to its confirmation", async () => {
    openPage(<ActionRequiredPage />, { ...clemence, email_confirmed: false });
    const link = await screen.findByRole("link", { name: "Confirmer mon adresse" });
    expect(link.getAttribute("href")).toBe("/profile");
    expect(await screen.findByText(/^1\sdocument (vous )?attend/)).toBeDefined();
    expect(screen.queryByText("Adresse à confirmer")).toBeNull();
  });

  test("an empty list of an unconfirmed address leads to its confirmation, and counts nothing", async () => {
    listed = [];
    openPage(<ActionRequiredPage />, { ...clemence, email_confirmed: false });
    await screen.findByText(/s’affichent ici une fois qu’elle est confirmée/);
    expect(screen.getByText("Adresse à confirmer")).toBeDefined();
    expect(screen.queryByText(/Rien à signer|0 document/)).toBeNull();
    expect(screen.getByRole("link", { name: "Confirmer mon adresse" }).getAttribute("href")).toBe(
      "/profile",
    );
  });
});

test("a draft is edited at /signature/workflow/{id}; its deletion asks first and says 'Brouillon supprimé'", async () => {
  show(<DraftsPage />);
  expect(
    (await screen.findByRole("link", { name: "Modifier Bail commercial" })).getAttribute("href"),
  ).toBe("/signature/workflow/e1");
  expect(screen.getByText("Brouillon")).toBeDefined();
  await press(/^Supprimer/);
  await confirm("Supprimer");
  await said("Brouillon supprimé");
  expect(called("POST e1/cancel/")).toHaveLength(1);
});

test("deleting a returned draft says first that those asked are told", async () => {
  show(<DraftsPage />, { status: "draft", returned: { by: null, at: null, reason: null } });
  await pressFound(/^Supprimer/);
  expect(screen.getByRole("alertdialog").textContent).toContain(
    "Les personnes déjà sollicitées sont prévenues que la demande est annulée.",
  );
});

describe("'Supprimé'", () => {
  const cancelled = { status: "cancelled", days_remaining: 4 } as const;

  test("a deleted envelope shows its creation date, days remaining, status and actions", async () => {
    show(<DeletedPage />, cancelled);
    const preview = await screen.findByRole("link", { name: "Prévisualiser Bail commercial" });
    expect(preview.getAttribute("href")).toBe("/signature/detail/e1");
    expect(screen.getAllByRole("columnheader").map((header) => header.textContent)).toEqual([
      "Document",
      "Date de création",
      "Jours restants",
      "Statut",
      "Actions",
    ]);
    await userEvent.hover(screen.getByText("4 jours"));
    await screen.findByText("Purge automatique dans 4 jour(s)");
    expect(screen.queryByText("Purge automatique imminente")).toBeNull();
  });

  test("a row purged within a day is red and says 'Purge automatique imminente'", async () => {
    show(<DeletedPage />, { ...cancelled, days_remaining: 1 });
    const words = await screen.findByText("Purge automatique imminente");
    expect(words.closest("tr")?.className).toMatch(/danger/);
    expect(screen.getByText("Supprimé", { selector: "span" }).className).toMatch(/action/);
  });

  test.each([
    ["accepted", undefined, "Enveloppe restaurée avec succès"],
    ["refused", "/restore/", "Échec de la restauration de l'enveloppe"],
  ])("a restoration, %s (%s), says '%s'", async (_what, refused, sentence) => {
    refusedPath = refused;
    show(<DeletedPage />, cancelled);
    await pressFound("Restaurer Bail commercial");
    await said(sentence);
    expect(called("POST e1/restore/")).toHaveLength(1);
  });

  test("a returned document is restored at once, and nobody is written to", async () => {
    const recipients = [{ role: "signer", status: "waiting", order: 1 } as Recipient];
    const sent_at = "2026-11-20T09:00:00Z";
    show(<DeletedPage />, { ...cancelled, sent_at, restores_to: "draft", recipients });
    await pressFound("Restaurer Bail commercial");
    await said("Enveloppe restaurée avec succès");
    expect(currentToasts()[0]?.detail).toBe(
      "Elle revient «\u00a0Renvoyée\u00a0» parmi les brouillons. Personne n’est prévenu.",
    );
    expect(called("POST e1/restore/")).toHaveLength(1);
  });

  test("a restoration that invites people anew says whom, and asks first", async () => {
    const person = { role: "signer", status: "waiting", order: 1 } as Recipient;
    show(<DeletedPage />, {
      ...cancelled,
      restores_to: "sent",
      flow: "sequential",
      recipients: [
        { ...person, full_name: "Côme Œuvrard" },
        { ...person, full_name: "Maëlys Roux" },
        { ...person, full_name: "Anne Petit", status: "signed" },
        { ...person, full_name: "Yves Rang", order: 2 },
      ],
    });
    await pressFound("Restaurer Bail commercial");
    expect(screen.getByRole("alertdialog").textContent?.replaceAll("\u00a0", " ")).toContain(
      "2 personnes reçoivent aussitôt une nouvelle invitation : Côme Œuvrard et Maëlys Roux.",
    );
    expect(called("POST e1/restore/")).toEqual([]);
    await confirm("Restaurer");
    await said("Enveloppe restaurée avec succès");
    expect(called("POST e1/restore/")).toHaveLength(1);
  });

  test.each([
    ["accepted", undefined, "Enveloppe purgée définitivement"],
    ["refused", "/purge/", "Échec de la purge de l'enveloppe"],
  ])("a purge asks first and, %s (%s), says '%s'", async (_what, refused, sentence) => {
    refusedPath = refused;
    show(<DeletedPage />, cancelled);
    await pressFound("Purger Bail commercial");
    expect(called("DELETE e1/purge/")).toEqual([]);
    await confirm("Purger");
    await said(sentence);
    expect(called("DELETE e1/purge/")).toHaveLength(1);
  });
});

describe("'Envoyé'", () => {
  test("an empty list offers to create an envelope, once, and no search", async () => {
    listed = [];
    show(<SentPage />);
    const links = (await screen.findAllByRole("link")).map((link) => link.getAttribute("href"));
    expect(links.filter((link) => link === "/signature/upload")).toHaveLength(1);
    expect(screen.queryByRole("search")).toBeNull();
  });

  test("filters apply together on « Voir »; Escape leaves the list as it was", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-21T12:00:00Z") });
    const query = (expected: string) =>
      vi.waitFor(() => expect(called("GET ").at(-1)?.search).toBe(expected));
    show(<SentPage />, { status: "sent" });
    const open = await screen.findByRole("button", { name: "Filtrer" });
    await userEvent.click(open);
    const dialog = within(await screen.findByRole("dialog", { name: "Filtrer" }));
    expect(dialog.getByLabelText("Création")).toBe(document.activeElement);
    await userEvent.click(dialog.getByRole("checkbox", { name: "Refusée" }));
    await query("?status=declined&page=1&page_size=1");
    await userEvent.keyboard("{Escape}");
    expect([screen.queryByRole("dialog"), document.activeElement]).toEqual([null, open]);
    expect(screen.queryByText("Effacer les filtres")).toBeNull();

    await userEvent.click(open);
    await userEvent.selectOptions(screen.getByLabelText("Création"), "Ce mois");
    await userEvent.click(screen.getByRole("checkbox", { name: "Refusée" }));
    await pressFound("Voir 1 enveloppe");
    expect([screen.queryByRole("dialog"), document.activeElement]).toEqual([null, open]);
    await query("?status=declined&from=2026-11-01&to=2026-11-21&page=1&page_size=10");
    expect(open.textContent).toBe("Filtrer2 filtres");
    const chips = screen.getAllByRole("button", { name: /^Retirer le filtre/ });
    expect(chips.map((chip) => chip.getAttribute("aria-label"))).toEqual([
      "Retirer le filtre Création\u00a0: ce mois",
      "Retirer le filtre Avancement\u00a0: refusée",
    ]);
    await userEvent.click(chips[0] as HTMLElement);
    const last = () => screen.getByRole("button", { name: /^Retirer le filtre Avancement/ });
    await vi.waitFor(() => expect(last()).toBe(document.activeElement));
    await userEvent.click(last());
    await vi.waitFor(() => expect(screen.getByRole("searchbox")).toBe(document.activeElement));
    vi.useRealTimers();
  });

  test("a filter needs both its dates; an empty result says so and is cleared in one press", async () => {
    show(<SentPage />, { status: "sent" });
    await pressFound("Filtrer");
    await userEvent.selectOptions(await screen.findByLabelText("Création"), "Entre deux dates…");
    await press("Voir");
    expect(screen.getByText("Choisissez une date de début et une date de fin.")).toBeDefined();
    listed = [];
    await userEvent.type(screen.getByLabelText("Du"), "01/11/2026");
    await userEvent.type(screen.getByLabelText("Au"), "12/11/2026");
    await pressFound("Voir 0 enveloppe");
    await screen.findByText("Rien ne correspond à ces filtres.");
    expect(screen.getByText("du 1er nov. 2026 au 12 nov. 2026")).toBeDefined();
    await userEvent.type(screen.getByRole("searchbox"), "zzz");
    await screen.findByText(/^Rien ne correspond à «\szzz/);
    const clear = screen.getByRole("button", { name: "Effacer la recherche et les filtres" });
    listed = [bail];
    await press("Effacer les filtres");
    await vi.waitFor(() => expect(clear.isConnected).toBe(false));
    await screen.findByText("Bail commercial");
    expect(screen.getByRole("searchbox")).toMatchObject({ value: "zzz" });
    expect(document.activeElement).toBe(screen.getByRole("searchbox"));
  });
});

test("a document signed for somebody else says for whom", async () => {
  show(<CompletedPage />, {
    status: "completed",
    is_owner: false,
    signed_for: ["Hélène Guérin", "Paul Martin"],
  });
  await screen.findByText(/ · signé pour Hélène Guérin et Paul Martin$/);
});

test("below 768 px a list is made of cards, with the same actions", async () => {
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: query.includes("767"),
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  show(<CompletedPage />, { status: "completed" });
  await screen.findByRole("list", { name: "Complété(s)" });
  expect(screen.queryByRole("table")).toBeNull();
  expect(screen.getByRole("button", { name: "Actions pour Bail commercial" })).toBeDefined();
});
