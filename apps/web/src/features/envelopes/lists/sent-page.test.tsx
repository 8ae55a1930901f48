import type { Envelope } from "@paraphe/contracts";
import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { SentPage } from "./sent-page.tsx";
import { newClient, press, pressFound, renderPart, toasts } from "../testing/page.tsx";

const bail = {
  id: "e1",
  title: "Bail commercial",
  status: "pending",
  created_at: "2026-11-20T09:00:00Z",
  sent_at: "2026-11-21T09:00:00Z",
  recipients: [{ email: "come@exemple.fr" }, { email: "maelys@exemple.fr" }],
  progress: { signed: 1, total: 2, percent: 50 },
} as unknown as Envelope;

let envelopes: readonly Envelope[];
let asked: string[];
let teams: (string | null)[];
let cancelAnswer: { status: number; body: unknown };

beforeEach(() => {
  act(clearToasts);
  envelopes = [bail];
  asked = [];
  teams = [];
  cancelAnswer = { status: 200, body: bail };
  vi.stubGlobal("fetch", async (url: string, { method }: { method: string }) => {
    const status = new URL(url).searchParams.get("status");
    if (method === "GET" && status !== null) {
      asked.push(status);
      teams.push(new URL(url).searchParams.get("team"));
    }
    if (method === "GET")
      return Response.json({ count: envelopes.length, page: 1, page_size: 10, results: envelopes });
    if (cancelAnswer.status === 200) envelopes = [];
    return Response.json(url.endsWith("/cancel/") ? cancelAnswer.body : {}, {
      status: url.endsWith("/cancel/") ? cancelAnswer.status : 200,
    });
  });
});
afterEach(() => vi.unstubAllGlobals());

function open(client = newClient()) {
  renderPart(
    <MemoryRouter>
      <SentPage />
    </MemoryRouter>,
    client,
  );
}

test("a row says how many recipients no message reached", async () => {
  envelopes = [
    {
      ...bail,
      recipients: [
        { email: "come@exemple.fr", status: "unreached" },
        { email: "maelys@exemple.fr", status: "viewed" },
      ],
    } as Envelope,
  ];
  open();
  await screen.findByText("1 pas encore prévenu · come@exemple.fr, maelys@exemple.fr");
});

test("a row shows the document, its recipients, progress, date and status", async () => {
  open();
  const row = (await screen.findByRole("link", { name: "Bail commercial" })).closest(
    "tr",
  ) as HTMLElement;
  expect(within(row).getByText("come@exemple.fr, maelys@exemple.fr")).toBeDefined();
  expect(within(row).getByText("1/2")).toBeDefined();
  expect(within(row).getByText("21 nov. 2026")).toBeDefined();
  expect(within(row).getByText("En cours")).toBeDefined();
  expect(screen.getByRole("link", { name: /Détails/ }).getAttribute("href")).toBe(
    "/signature/detail/e1",
  );
});

test("a cancellation asks first, then removes the row and says 'Enveloppe annulée'", async () => {
  open();
  await pressFound(/Annuler l’enveloppe/);
  const dialog = screen.getByRole("alertdialog");
  expect(document.activeElement).toBe(
    within(dialog).getByRole("button", { name: "Garder l’enveloppe" }),
  );
  await userEvent.click(within(dialog).getByRole("button", { name: "Annuler l’enveloppe" }));
  await screen.findByText("Aucune enveloppe en attente de signature");
  expect(toasts()).toEqual(["Enveloppe annulée"]);
});

test("an empty list leads to what everybody signed, where there is some", async () => {
  vi.stubGlobal("fetch", async (input: Request | string | URL) =>
    Response.json(
      new URL(input instanceof Request ? input.url : input, window.location.href).pathname.endsWith(
        "/counts/",
      )
        ? { completed: 1 }
        : { count: 0, page: 1, page_size: 20, results: [] },
    ),
  );
  open();
  await screen.findByText("Aucune enveloppe en attente de signature");
  expect((await screen.findByRole("link", { name: "Complété(s)" })).getAttribute("href")).toBe(
    "/signature/envelopes/completed",
  );
  expect(screen.queryByText(/^Déposez un PDF/)).toBeNull();
});

test("a refused cancellation says 'Échec de l'annulation' with the server's reason and keeps the row", async () => {
  cancelAnswer = { status: 409, body: { detail: "Action impossible." } };
  open();
  await pressFound(/Annuler l’enveloppe/);
  await userEvent.click(
    within(screen.getByRole("alertdialog")).getByRole("button", { name: "Annuler l’enveloppe" }),
  );
  await vi.waitFor(() =>
    expect(currentToasts()[0]).toMatchObject({
      kind: "err",
      message: "Échec de l'annulation",
      detail: "Action impossible.",
    }),
  );
  expect(screen.getByRole("link", { name: "Bail commercial" })).toBeDefined();
});

test("a failed load says so in its place, with a retry", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.stubGlobal("fetch", async () => Response.json({}, { status: 500 }));
  open();
  expect((await screen.findByRole("alert")).textContent).toContain(
    "Impossible de charger les enveloppes envoyées",
  );
  expect(screen.getByRole("button", { name: "Réessayer" })).toBeDefined();
  expect(currentToasts()[0]?.message).toBe("Impossible de charger les enveloppes envoyées");
});

test("the progress filter shows unsigned, partly signed, refused and late envelopes", async () => {
  open();
  await screen.findByRole("link", { name: "Bail commercial" });
  const show = async (...choices: string[]) => {
    await press(/^Filtrer/);
    const boxes = within(await screen.findByRole("group", { name: "Avancement" }));
    for (const box of boxes.getAllByRole<HTMLInputElement>("checkbox"))
      if (box.checked !== choices.includes(box.labels?.[0]?.textContent ?? ""))
        await userEvent.click(box);
    await press(/^Voir/);
  };
  envelopes = [{ ...bail, status: "expired" }];
  await show("En retard");
  await screen.findByText("Expirée");
  expect(screen.getByRole("button", { name: "Supprimer Bail commercial" })).toBeDefined();
  envelopes = [];
  await show("Refusée");
  await screen.findByText("Rien ne correspond à ces filtres.");
  await show("Partiellement signée");
  await show("Personne n’a signé");
  await show("En retard", "Personne n’a signé");
  expect(screen.getByText("personne n’a signé ou en retard")).toBeDefined();
  for (const status of ["sent", "expired", "declined", "pending", "unsigned"])
    expect(asked).toContain(status);
  expect(asked.at(-1)).toBe("unsigned,expired");
  await press("Retirer le filtre Avancement\u00a0: personne n’a signé ou en retard");
  await vi.waitFor(() => expect(asked.at(-1)).toBe("sent"));
});

test("rows name the team, and the bar narrows to one, or to what is one's own alone", async () => {
  const urbanisme = { id: "0192f0c1-0000-7000-8000-00000000000a", name: "Urbanisme" };
  envelopes = [{ ...bail, team: urbanisme, created_by_name: "Léo Marchand" } as Envelope];
  const client = newClient();
  client.setQueryData(["session"], { id: "p1", teams: [urbanisme] });
  open(client);
  await screen.findByText("Service Urbanisme, Léo Marchand · come@exemple.fr, maelys@exemple.fr");
  const narrow = async (choice: string) => {
    await press(/^Filtrer/);
    await userEvent.selectOptions(await screen.findByLabelText("De"), choice);
    await press(/^Voir/);
  };
  await narrow("Service Urbanisme");
  await vi.waitFor(() => expect(teams.at(-1)).toBe(urbanisme.id));
  expect(
    screen.getByRole("button", { name: "Retirer le filtre De\u00a0: service Urbanisme" }),
  ).toBeDefined();
  await narrow("Moi");
  await vi.waitFor(() => expect(teams.at(-1)).toBe("mine"));
  await narrow("Tout le monde");
  await vi.waitFor(() => expect(teams.at(-1)).toBeNull());
});

test("a question about an envelope cancelled elsewhere closes and says why", async () => {
  const client = newClient();
  open(client);
  await pressFound("Annuler l’enveloppe Bail commercial");
  expect(screen.getByRole("alertdialog")).toBeDefined();
  envelopes = [];
  await act(() => client.invalidateQueries({ queryKey: ["envelopes"] }));
  await vi.waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(toasts()).toEqual([
    "Cette enveloppe vient de changer ailleurs\u00a0: rien n’a été fait d’ici.",
  ]);
});
