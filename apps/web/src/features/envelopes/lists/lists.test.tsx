import type { Envelope } from "@paraphe/contracts";
import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { clemence, openPage } from "../../accounts/settings/testing/open-page.tsx";
import { bail, renderList } from "../testing/render-list.tsx";
import { ActionRequiredPage } from "./action-required-page.tsx";
import { CompletedPage } from "./completed-page.tsx";
import { DeletedPage } from "./deleted-page.tsx";
import { DraftsPage } from "./drafts-page.tsx";
import { SentPage } from "./sent-page.tsx";

type Call = { readonly method: string; readonly path: string; readonly search: string };
let calls: Call[];
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
  // The network and the browser's tabs alone are replaced.
  vi.stubGlobal("fetch", async (address: string, { method = "GET" }: { method?: string } = {}) => {
    const { pathname, search } = new URL(address);
    calls.push({ method, path: pathname, search });
    if (refusedPath !== undefined && pathname.endsWith(refusedPath))
      return Response.json({}, { status: 500 });
    if (pathname === "/api/verify-token/") return Response.json({});
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

const toasts = () => currentToasts().map(({ message }) => message);
const headers = () => screen.getAllByRole("columnheader").map((header) => header.textContent);
async function confirm(name: string) {
  await userEvent.click(within(screen.getByRole("alertdialog")).getByRole("button", { name }));
}

describe("a list that cannot be loaded", () => {
  test.each([
    [<SentPage key="s" />, "Impossible de charger les enveloppes envoyées"],
    [<CompletedPage key="c" />, "Échec du chargement des enveloppes"],
    [<ActionRequiredPage key="a" />, "Impossible de charger les actions requises"],
    [<DraftsPage key="d" />, "Échec du chargement des brouillons"],
    [<DeletedPage key="x" />, "Échec du chargement des enveloppes supprimées"],
  ])("says so in a toast and in its place: %#", async (page, sentence) => {
    refusedPath = "/envelopes/";
    show(page);
    expect((await screen.findByRole("alert")).textContent).toContain(sentence);
    expect(toasts()).toEqual([sentence]);
  });
});

test.each([
  ["Envoyé", <SentPage key="sent" />, "sent", "1 enveloppe envoyée", "1 enveloppe"],
  [
    "Action requise",
    <ActionRequiredPage key="asked" />,
    "action_required",
    "1 document attend votre signature",
    "1 document",
  ],
  ["Brouillons", <DraftsPage key="drafts" />, "draft", "1 enveloppe en préparation", "1 enveloppe"],
  [
    "Supprimé",
    <DeletedPage key="deleted" />,
    "cancelled",
    "Les enveloppes annulées sont purgées 10 jours après leur annulation.",
    "1 enveloppe",
  ],
] as const)(
  "'%s' is searched as the others are, and says what it holds meanwhile",
  async (_name, page, status, lede, found) => {
    show(page, { status: "sent" });
    await userEvent.type(await screen.findByLabelText(/^Rechercher par titre/), "bail");
    expect(await screen.findByText(found)).toBeDefined();
    await vi.waitFor(() =>
      expect(
        calls.some(
          ({ search }) => search.includes(`status=${status}`) && search.includes("search=bail"),
        ),
      ).toBe(true),
    );
    expect(screen.getByText(lede)).toBeDefined();
    listed = [];
    await userEvent.type(screen.getByLabelText(/^Rechercher par titre/), "zzz");
    expect(
      await screen.findByText(/^Aucun titre(, signataire)? ni créateur ne correspond à/),
    ).toBeDefined();
  },
);

describe("'Complété(s)'", () => {
  const completed = { status: "completed" } as const;
  const choose = async (entry: string) => {
    await userEvent.click(
      await screen.findByRole("button", { name: "Actions pour Bail commercial" }),
    );
    await userEvent.click(await screen.findByRole("menuitem", { name: entry }));
  };

  test("asks for what is completed, ten a page, with the total; a search counts its results and can be cleared", async () => {
    show(<CompletedPage />, completed);
    expect(await screen.findByText("1 document au total")).toBeDefined();
    expect(calls[0]).toMatchObject({
      path: "/api/signature/envelopes/",
      search: "?status=completed&page=1&page_size=10",
    });
    await userEvent.type(
      screen.getByLabelText("Rechercher par titre, signataire ou créateur"),
      "AUBRY",
    );
    expect(await screen.findByText("1 document")).toBeDefined();
    // What was typed so far may have been asked for before.
    await vi.waitFor(() =>
      expect(calls.some(({ search }) => search.includes("search=AUBRY"))).toBe(true),
    );
    await userEvent.click(screen.getByRole("button", { name: "Effacer la recherche" }));
    expect(document.activeElement).toBe(
      screen.getByLabelText("Rechercher par titre, signataire ou créateur"),
    );
  });

  test("a search that finds nothing says of what, and is cleared where one looks", async () => {
    show(<CompletedPage />, completed);
    await screen.findByText("1 document au total");
    listed = [];
    const box = screen.getByLabelText<HTMLInputElement>(
      "Rechercher par titre, signataire ou créateur",
    );
    await userEvent.type(box, "zzz");
    expect(
      await screen.findByText(/^Aucun titre, signataire ni créateur ne correspond à/),
    ).toBeDefined();
    listed = [bail];
    const [, clear] = screen.getAllByRole("button", { name: "Effacer la recherche" });
    await userEvent.click(clear as HTMLElement);
    expect([box.value, document.activeElement]).toEqual(["", box]);
  });

  test("a search that finds nothing offers what was probably meant", async () => {
    show(<CompletedPage />, completed);
    const box = await screen.findByLabelText<HTMLInputElement>(
      "Rechercher par titre, signataire ou créateur",
    );
    [listed, near] = [[], "aubry"];
    await userEvent.type(box, "aubri{Enter}");
    await userEvent.click(await screen.findByRole("button", { name: "«\u00a0aubry\u00a0»" }));
    expect([box.value, document.activeElement]).toEqual(["aubry", box]);
    await vi.waitFor(() => expect(calls.at(-1)?.search).toContain("search=aubry"));
  });

  test("the row's menu previews on the detail page", async () => {
    show(<CompletedPage />, completed);
    await userEvent.click(
      await screen.findByRole("button", { name: "Actions pour Bail commercial" }),
    );
    expect(
      (await screen.findByRole("menuitem", { name: "Prévisualiser" })).getAttribute("href"),
    ).toBe("/signature/detail/e1");
  });

  test("downloads the signed PDF and says 'Document téléchargé avec succès'", async () => {
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
    show(<CompletedPage />, completed);
    await choose("Télécharger le PDF");
    await vi.waitFor(() => expect(toasts()).toEqual(["Document téléchargé avec succès"]));
  });

  test("a failed download says 'Échec du téléchargement'", async () => {
    refusedPath = "/download/";
    show(<CompletedPage />, completed);
    await choose("Télécharger le PDF");
    await vi.waitFor(() => expect(toasts()).toEqual(["Échec du téléchargement"]));
  });

  test("a file without bytes is 'Fichier introuvable'", async () => {
    const network = fetch;
    vi.stubGlobal("fetch", async (address: string, options: object) =>
      String(address).endsWith("/fichier.pdf") ? new Response("") : network(address, options),
    );
    show(<CompletedPage />, completed);
    await choose("Télécharger le PDF");
    await vi.waitFor(() =>
      expect(currentToasts()[0]).toMatchObject({
        message: "Échec du téléchargement",
        detail: "Fichier introuvable",
      }),
    );
  });

  test("prints from a new tab: 'Ouverture de l'impression'", async () => {
    show(<CompletedPage />, completed);
    await choose("Imprimer");
    await vi.waitFor(() => expect(toasts()).toEqual(["Ouverture de l'impression"]));
    await vi.waitFor(() => expect(opened?.print).toHaveBeenCalled());
  });

  test("a failed print says 'Échec de l'impression' and leaves no empty tab", async () => {
    refusedPath = "/download/";
    show(<CompletedPage />, completed);
    await choose("Imprimer");
    await vi.waitFor(() => expect(toasts()).toEqual(["Échec de l'impression"]));
    expect(opened?.close).toHaveBeenCalled();
  });

  test("deleting asks first, uses the cancel action, and says 'Enveloppe supprimée avec succès'", async () => {
    show(<CompletedPage />, completed);
    await choose("Supprimer");
    await confirm("Supprimer");
    await vi.waitFor(() => expect(toasts()).toEqual(["Enveloppe supprimée avec succès"]));
    expect(
      calls.some(
        ({ method, path }) => method === "POST" && path === "/api/signature/envelopes/e1/cancel/",
      ),
    ).toBe(true);
  });

  test("a refused deletion says 'Échec de la suppression'", async () => {
    refusedPath = "/cancel/";
    show(<CompletedPage />, completed);
    await choose("Supprimer");
    await confirm("Supprimer");
    await vi.waitFor(() => expect(toasts()).toEqual(["Échec de la suppression"]));
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

  test("lists what was received, each with a 'Signer' button to its signing page", async () => {
    show(<ActionRequiredPage />, { status: "action_required" });
    const sign = await screen.findByRole("link", { name: "Signer Bail commercial" });
    expect([sign.textContent, sign.getAttribute("href")]).toEqual(["Signer", "/signature/sign/e1"]);
    expect(calls[0]?.search).toContain("status=action_required");
    expect(screen.getByText("Action requise", { selector: "span" })).toBeDefined();
  });

  test("empty, it leads to /signature/new", async () => {
    listed = [];
    show(<ActionRequiredPage />);
    expect(
      (await screen.findByRole("link", { name: "Demander signature" })).getAttribute("href"),
    ).toBe("/signature/new");
  });

  test("empty for an address that is not confirmed, it says which link confirms it", async () => {
    listed = [];
    openPage(<ActionRequiredPage />, { ...clemence, email_confirmed: false });
    expect(
      await screen.findByText(/les documents envoyés à votre adresse s’afficheront ensuite ici\.$/),
    ).toBeDefined();
    expect(screen.queryByText("Rien à signer")).toBeNull();
  });
});

describe("'Brouillons'", () => {
  test("edit goes to /signature/workflow/{id}; delete asks first and says 'Brouillon supprimé'", async () => {
    show(<DraftsPage />);
    expect(
      (await screen.findByRole("link", { name: "Modifier Bail commercial" })).getAttribute("href"),
    ).toBe("/signature/workflow/e1");
    expect(screen.getByText("Brouillon")).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: /^Supprimer/ }));
    await confirm("Supprimer");
    await vi.waitFor(() => expect(toasts()).toEqual(["Brouillon supprimé"]));
    expect(calls.some(({ path }) => path === "/api/signature/envelopes/e1/cancel/")).toBe(true);
  });
});

describe("'Supprimé'", () => {
  const cancelled = { status: "cancelled", days_remaining: 4 } as const;

  test("shows creation date, days remaining, status and the actions", async () => {
    show(<DeletedPage />, cancelled);
    expect(
      (await screen.findByRole("link", { name: "Prévisualiser Bail commercial" })).getAttribute(
        "href",
      ),
    ).toBe("/signature/detail/e1");
    expect(headers()).toEqual([
      "Document",
      "Date de création",
      "Jours restants",
      "Statut",
      "Actions",
    ]);
    expect(screen.getByText("4 jours")).toBeDefined();
    await userEvent.hover(screen.getByText("4 jours"));
    expect(await screen.findByText("Purge automatique dans 4 jour(s)")).toBeDefined();
    expect(screen.queryByText("Purge automatique imminente")).toBeNull();
  });

  test("one day or less: the row is red and says 'Purge automatique imminente'", async () => {
    show(<DeletedPage />, { ...cancelled, days_remaining: 1 });
    expect(await screen.findByText("Purge automatique imminente")).toBeDefined();
    expect(screen.getByText("Purge automatique imminente").closest("tr")?.className).toMatch(
      /danger/,
    );
    expect(screen.getByText("Supprimé", { selector: "span" }).className).toMatch(/action/);
  });

  test("restoring says 'Enveloppe restaurée avec succès'", async () => {
    show(<DeletedPage />, cancelled);
    await userEvent.click(await screen.findByRole("button", { name: "Restaurer Bail commercial" }));
    await vi.waitFor(() => expect(toasts()).toEqual(["Enveloppe restaurée avec succès"]));
    expect(
      calls.some(
        ({ method, path }) => method === "POST" && path === "/api/signature/envelopes/e1/restore/",
      ),
    ).toBe(true);
  });

  test("a refused restoration says 'Échec de la restauration de l'enveloppe'", async () => {
    refusedPath = "/restore/";
    show(<DeletedPage />, cancelled);
    await userEvent.click(await screen.findByRole("button", { name: "Restaurer Bail commercial" }));
    await vi.waitFor(() => expect(toasts()).toEqual(["Échec de la restauration de l'enveloppe"]));
  });

  test("'Purger' asks first, then says 'Enveloppe purgée définitivement'", async () => {
    show(<DeletedPage />, cancelled);
    await userEvent.click(await screen.findByRole("button", { name: "Purger Bail commercial" }));
    expect(calls.some(({ method }) => method === "DELETE")).toBe(false);
    await confirm("Purger");
    await vi.waitFor(() => expect(toasts()).toEqual(["Enveloppe purgée définitivement"]));
    expect(
      calls.some(
        ({ method, path }) => method === "DELETE" && path === "/api/signature/envelopes/e1/purge/",
      ),
    ).toBe(true);
  });

  test("a refused purge says 'Échec de la purge de l'enveloppe'", async () => {
    refusedPath = "/purge/";
    show(<DeletedPage />, cancelled);
    await userEvent.click(await screen.findByRole("button", { name: "Purger Bail commercial" }));
    await confirm("Purger");
    await vi.waitFor(() => expect(toasts()).toEqual(["Échec de la purge de l'enveloppe"]));
  });
});

describe("'Envoyé'", () => {
  test("empty, it offers to create an envelope", async () => {
    listed = [];
    show(<SentPage />);
    const links = (await screen.findAllByRole("link")).map((link) => link.getAttribute("href"));
    expect(links.filter((link) => link === "/signature/upload")).toHaveLength(1);
    expect(screen.queryByRole("search")).toBeNull();
  });

  test("is narrowed by what one chooses together, once it is asked for: Escape leaves the list as it was", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-21T12:00:00Z") });
    const asked = () =>
      calls.filter(({ path }) => path === "/api/signature/envelopes/").at(-1)?.search ?? "";
    show(<SentPage />, { status: "sent" });
    const open = await screen.findByRole("button", { name: "Filtrer" });
    await userEvent.click(open);
    const dialog = within(await screen.findByRole("dialog", { name: "Filtrer" }));
    expect(dialog.getByLabelText("Création")).toBe(document.activeElement);
    await userEvent.click(dialog.getByRole("checkbox", { name: "Refusée" }));
    await vi.waitFor(() => expect(asked()).toBe("?status=declined&page=1&page_size=1"));
    await userEvent.keyboard("{Escape}");
    expect([screen.queryByRole("dialog"), document.activeElement]).toEqual([null, open]);
    expect(screen.queryByText("Effacer les filtres")).toBeNull();

    await userEvent.click(open);
    await userEvent.selectOptions(screen.getByLabelText("Création"), "Ce mois");
    await userEvent.click(screen.getByRole("checkbox", { name: "Refusée" }));
    await userEvent.click(await screen.findByRole("button", { name: "Voir 1 enveloppe" }));
    expect([screen.queryByRole("dialog"), document.activeElement]).toEqual([null, open]);
    await vi.waitFor(() =>
      expect(asked()).toBe("?status=declined&from=2026-11-01&to=2026-11-21&page=1&page_size=10"),
    );
    expect(open.textContent).toBe("Filtrer2 filtres");
    const chips = screen.getAllByRole("button", { name: /^Retirer le filtre/ });
    expect(chips.map((chip) => chip.getAttribute("aria-label"))).toEqual([
      "Retirer le filtre Création\u00a0: ce mois",
      "Retirer le filtre Avancement\u00a0: refusée",
    ]);
    await userEvent.click(chips[0] as HTMLElement);
    await vi.waitFor(() =>
      expect(screen.getByRole("button", { name: /^Retirer le filtre Avancement/ })).toBe(
        document.activeElement,
      ),
    );
    await userEvent.click(screen.getByRole("button", { name: /^Retirer le filtre Avancement/ }));
    await vi.waitFor(() => expect(screen.getByRole("searchbox")).toBe(document.activeElement));
    vi.useRealTimers();
  });

  test("two days are asked for whole, and what they leave empty says so and is given back in one press", async () => {
    show(<SentPage />, { status: "sent" });
    await userEvent.click(await screen.findByRole("button", { name: "Filtrer" }));
    await userEvent.selectOptions(await screen.findByLabelText("Création"), "Entre deux dates…");
    await userEvent.click(screen.getByRole("button", { name: "Voir" }));
    expect(screen.getByText("Choisissez une date de début et une date de fin.")).toBeDefined();
    listed = [];
    await userEvent.type(screen.getByLabelText("Du"), "01/11/2026");
    await userEvent.type(screen.getByLabelText("Au"), "12/11/2026");
    await userEvent.click(await screen.findByRole("button", { name: "Voir 0 enveloppe" }));
    expect(await screen.findByText("Rien ne correspond à ces filtres.")).toBeDefined();
    expect(screen.getByText("du 1er nov. 2026 au 12 nov. 2026")).toBeDefined();
    listed = [bail];
    await userEvent.click(
      screen.getAllByRole("button", { name: "Effacer les filtres" })[1] as HTMLElement,
    );
    expect(document.activeElement).toBe(screen.getByRole("searchbox"));
    expect(await screen.findByText("Bail commercial")).toBeDefined();
  });
});

test("below 768 px a list is made of cards, with the same actions", async () => {
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: query.includes("767"),
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  show(<CompletedPage />, { status: "completed" });
  expect(await screen.findByRole("list", { name: "Complété(s)" })).toBeDefined();
  expect(screen.queryByRole("table")).toBeNull();
  expect(screen.getByRole("button", { name: "Actions pour Bail commercial" })).toBeDefined();
});
