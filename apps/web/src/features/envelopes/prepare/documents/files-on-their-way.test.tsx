import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Outlet, RouterProvider, createMemoryRouter } from "react-router";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { clearToasts } from "../../../../ui/toast/toast-store.ts";
import { PreparePage } from "../prepare-page.tsx";
import { makeDocument, makeEnvelope } from "../testing/make-envelope.ts";

let stored = makeEnvelope();
let leaving: Sender[] = [];

/** The browser's own sender, which answers when the test says. */
class Sender extends EventTarget {
  readonly upload = new EventTarget();
  withCredentials = false;
  status = 200;
  responseText = "";
  open() {}
  setRequestHeader() {}
  getResponseHeader() {
    return "application/json";
  }
  send() {
    leaving.push(this);
  }
  answer(status: number, body: unknown) {
    Object.assign(this, { status, responseText: JSON.stringify(body) });
    this.dispatchEvent(new Event("load"));
  }
}

// The step is fetched when it is opened; here it is there already.
beforeAll(async () => void (await import("../recipients/recipients-step.tsx")));
beforeEach(() => {
  stored = makeEnvelope();
  leaving = [];
  localStorage.clear();
  sessionStorage.clear();
  document.cookie = "csrftoken=jeton";
  window.scrollTo = () => undefined;
  // The network alone is replaced.
  vi.stubGlobal("XMLHttpRequest", Sender);
  vi.stubGlobal("fetch", async (address: string) =>
    Response.json(
      new URL(address).pathname.startsWith("/api/signature/envelopes/e1/")
        ? stored
        : { results: [] },
    ),
  );
});
afterEach(() => {
  cleanup();
  clearToasts();
  vi.unstubAllGlobals();
});

async function open(address: string) {
  const children = ["signature/upload", "signature/workflow/:id"].map((path) => ({
    path,
    element: <PreparePage />,
  }));
  const router = createMemoryRouter([{ path: "/", element: <Outlet />, children }], {
    initialEntries: [address],
  });
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { level: 1, name: "Documents" });
  return { address: () => router.state.location.pathname + router.state.location.search };
}

const pdf = (name: string) => new File(["%PDF-1.7"], name, { type: "application/pdf" });
const choose = (...names: string[]) =>
  fireEvent.change(document.querySelector("input[type=file]") as HTMLInputElement, {
    target: { files: names.map(pdf) },
  });
const goOn = () =>
  userEvent.click(screen.getAllByRole("button", { name: "Continuer" })[0] as HTMLElement);
const saveWords = () => document.querySelector("small[role=status]")?.textContent;
/** The oldest file on its way arrives, or is refused. */
async function arrive(status = 200) {
  await waitFor(() => expect(leaving).toHaveLength(1));
  const added = makeDocument({
    id: `d${stored.version + 1}`,
    name: `fichier-${stored.version}.pdf`,
  });
  if (status < 300)
    stored = { ...stored, version: stored.version + 1, documents: [...stored.documents, added] };
  const refusal = {
    status,
    code: "unsupported_media_type",
    detail: "Seuls les fichiers PDF sont autorisés",
  };
  await act(async () => leaving.shift()?.answer(status, status < 300 ? stored : refusal));
}
const WAITED = "Un envoi de fichier est en cours. L’étape suivante s’ouvrira ensuite.";

test("the bar counts the files on their way, and says that the draft is saved once they are there", async () => {
  await open("/signature/workflow/e1");
  choose("un.pdf", "deux.pdf");
  await waitFor(() => expect(saveWords()).toBe("Envoi de 2 fichiers…"));
  await arrive();
  await waitFor(() => expect(saveWords()).toBe("Envoi de 1 fichier…"));
  await arrive();
  await waitFor(() => expect(saveWords()).toMatch(/^Brouillon enregistré à /));
});

test("« Continuer » during an upload says why it waits, and goes on by itself once all the files are there", async () => {
  const { address } = await open("/signature/workflow/e1");
  choose("un.pdf", "deux.pdf");
  await goOn();
  expect(saveWords()).toBe(WAITED);
  expect(screen.getAllByText(WAITED)).toHaveLength(2);
  await arrive();
  expect(address()).toBe("/signature/workflow/e1");
  expect(saveWords()).toBe(WAITED);
  await arrive();
  await screen.findByRole("heading", { level: 1, name: "Destinataires" });
  expect(address()).toBe("/signature/workflow/e1?etape=destinataires");
});

test("the first file of all makes the draft, takes its address, and goes on", async () => {
  const { address } = await open("/signature/upload");
  choose("un.pdf");
  await goOn();
  expect(saveWords()).toBe(WAITED);
  await arrive(201);
  await screen.findByRole("heading", { level: 1, name: "Destinataires" });
  expect(address()).toBe("/signature/workflow/e1?etape=destinataires");
});

test.each([
  ["typed", () => userEvent.type(screen.getByLabelText("Titre de l’enveloppe"), " B"), 200],
  [
    "pressed elsewhere",
    () => userEvent.click(screen.getByRole("button", { name: "Retirer contrat.pdf" })),
    200,
  ],
  ["had a file refused", async () => undefined, 415],
])("who %s meanwhile stays", async (_what, act, status) => {
  const { address } = await open("/signature/workflow/e1");
  choose("un.pdf");
  await goOn();
  expect(saveWords()).toBe(WAITED);
  await act();
  await arrive(status);
  await waitFor(() => expect(saveWords()).not.toMatch(/^Envoi|^Un envoi/));
  expect(address()).toBe("/signature/workflow/e1");
  expect(screen.queryByText(WAITED)).toBeNull();
});

test("pressed again, « Continuer » still waits", async () => {
  await open("/signature/workflow/e1");
  choose("un.pdf");
  await goOn();
  await goOn();
  expect(saveWords()).toBe(WAITED);
  await arrive();
  await screen.findByRole("heading", { level: 1, name: "Destinataires" });
});
