import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { clearToasts } from "../../../../ui/toast/toast-store.ts";
import { makeDocument, makeEnvelope } from "../testing/make-envelope.ts";
import { press } from "../../testing/page.tsx";
import { goOn, openPreparePage, stepTitle } from "../testing/prepare-page.tsx";

let stored = makeEnvelope();
let leaving: Sender[] = [];

/** An upload that the test answers. */
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

// The chunk of the step is loaded beforehand.
beforeAll(async () => void (await import("../recipients/recipients-step.tsx")));
beforeEach(() => {
  stored = makeEnvelope();
  leaving = [];
  localStorage.clear();
  sessionStorage.clear();
  document.cookie = "csrftoken=jeton";
  window.scrollTo = () => undefined;
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

async function open(entry: string) {
  const page = openPreparePage(entry);
  await stepTitle("Documents");
  return page;
}

const pdf = (name: string) => new File(["%PDF-1.7"], name, { type: "application/pdf" });
const choose = (...names: string[]) =>
  fireEvent.change(document.querySelector("input[type=file]") as HTMLInputElement, {
    target: { files: names.map(pdf) },
  });
const saveWords = () => document.querySelector("small[role=status]")?.textContent;
/** The oldest upload is answered. */
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

test("the bar counts the files on their way, then says that the draft is saved", async () => {
  await open("/signature/workflow/e1");
  choose("un.pdf", "deux.pdf");
  await waitFor(() => expect(saveWords()).toBe("Envoi de 2 fichiers…"));
  await arrive();
  await waitFor(() => expect(saveWords()).toBe("Envoi de 1 fichier…"));
  await arrive();
  await waitFor(() => expect(saveWords()).toMatch(/^Brouillon enregistré à /));
});

test("« Continuer » during an upload says why it waits, and continues after the last file", async () => {
  const { address } = await open("/signature/workflow/e1");
  choose("un.pdf", "deux.pdf");
  await goOn();
  expect(saveWords()).toBe(WAITED);
  expect(screen.getAllByText(WAITED)).toHaveLength(2);
  await arrive();
  expect(address()).toBe("/signature/workflow/e1");
  expect(saveWords()).toBe(WAITED);
  await arrive();
  await stepTitle("Destinataires");
  expect(address()).toBe("/signature/workflow/e1?etape=destinataires");
});

test("the first file makes the draft, takes its address, and the next step opens", async () => {
  const { address } = await open("/signature/upload");
  choose("un.pdf");
  await goOn();
  expect(saveWords()).toBe(WAITED);
  await arrive(201);
  await stepTitle("Destinataires");
  expect(address()).toBe("/signature/workflow/e1?etape=destinataires");
});

test.each([
  ["typed", () => userEvent.type(screen.getByLabelText("Titre de l’enveloppe"), " B"), 200],
  ["pressed elsewhere", () => press("Remplacer contrat.pdf"), 200],
  ["had a file refused", async () => undefined, 415],
])("a user who has %s meanwhile stays on the step", async (_what, act, status) => {
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

test("a second press of « Continuer » still waits", async () => {
  await open("/signature/workflow/e1");
  choose("un.pdf");
  await goOn();
  await goOn();
  expect(saveWords()).toBe(WAITED);
  await arrive();
  await stepTitle("Destinataires");
});
