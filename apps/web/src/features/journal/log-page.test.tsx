import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { parseSavedCheckpoint } from "./check-continuity.ts";
import { LogPage } from "./log-page.tsx";

/** Well-formed but signed by nobody, which this page must find out itself. */
const checkpoint = (size: number) => ({
  size,
  root: String(size % 10).repeat(64),
  at: "2026-11-22T20:04:05.000Z",
  key_id: "ab",
  signature: "a.b.c",
  timestamp: "AA==",
});
let answer: (address: URL) => Response;
let asked: string[];

// Loaded and compiled here: within a test it takes longer than a query waits.
beforeAll(async () => {
  await import("@paraphe/proof");
}, 60_000);
beforeEach(() => {
  asked = [];
  answer = (address) => {
    const page = Number(address.searchParams.get("page"));
    return Response.json({
      count: 12,
      page,
      page_size: 10,
      results: page === 1 ? [1_204, 7].map(checkpoint) : [checkpoint(3)],
    });
  };
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (path: string) => {
    const address = new URL(path, "https://localhost");
    asked.push(address.pathname + address.search);
    return answer(address);
  });
});

function show(): void {
  render(<LogPage />);
}
const words = () => document.body.textContent?.replaceAll(/[\u00a0\u202f]/g, " ") ?? "";

test("describes the latest checkpoint and warns of an invalid signature", async () => {
  show();
  await screen.findByText("Ce point de contrôle ne tient pas");
  expect(words()).toContain("Empreintes enregistrées1 204");
  expect(words()).toContain("22 novembre 2026 à 21 h 04 min 05 s");
  expect(words().match(/heure de Paris/g)).toHaveLength(1);
  expect(words()).not.toContain("Valide");
  expect(words()).toContain("SignatureNe tient pas");
  expect(words()).not.toContain("en cours");
});

test("lists checkpoints by page while the latest stays the newest of all", async () => {
  show();
  const rows = () => within(screen.getByRole("table")).getAllByRole("row").slice(1);
  await screen.findByRole("table");
  expect(rows().map((row) => row.children[1]?.textContent?.replace("\u202f", " "))).toEqual([
    "1 204",
    "7",
  ]);
  await userEvent.click(screen.getByRole("button", { name: "Page 2" }));
  await vi.waitFor(() => expect(rows()).toHaveLength(1));
  expect(words()).toContain("Empreintes enregistrées1 204");
});

test("takes an unsigned checkpoint as no evidence and asks the service for nothing", async () => {
  show();
  await userEvent.click(await screen.findByRole("button", { name: /^Contrôler le point du/ }));
  await screen.findByText("Point de contrôle inexploitable");
  expect(asked.every((path) => path.includes("/checkpoints/"))).toBe(true);
});

test("says that a file is no checkpoint", async () => {
  show();
  const drop = await screen.findByLabelText("Déposez un point de contrôle gardé");
  await userEvent.upload(drop, new File(["{}"], "autre.json", { type: "application/json" }));
  await screen.findByText("Ce fichier n’est pas un point de contrôle de ce journal.");
});

test.each([
  ["a PDF alone lacks its proof", new File(["%PDF-1.7"], "contrat.pdf"), "Il manque preuve.json"],
  [
    "what is no proof of this service is said to be none",
    new File(["{}"], "preuve.json"),
    "Fichier non reconnu",
  ],
])("says of the reader's document: %s, and accepts another", async (_what, file, said) => {
  show();
  await userEvent.upload(await screen.findByLabelText("Déposez preuve.json et le PDF signé"), file);
  await screen.findByText(said);
  await userEvent.click(screen.getByRole("button", { name: "Vérifier un autre fichier" }));
  await screen.findByLabelText("Déposez preuve.json et le PDF signé");
  expect(screen.queryByText(said)).toBeNull();
  // The page sent nothing of the file.
  expect(asked.every((path) => path.includes("/checkpoints/"))).toBe(true);
});

test("does not call a log unbroken when its beginning cannot be checked", async () => {
  show();
  await screen.findByText("continuité non vérifiée");
  expect(words()).not.toContain("Aucune");
});

test("shows the result of the last checkpoint asked for, however long the first takes", async () => {
  show();
  const drop = await screen.findByLabelText("Déposez un point de contrôle gardé");
  const slow = new File(["{}"], "lent.json", { type: "application/json" });
  let finish: (text: string) => void = () => undefined;
  vi.spyOn(slow, "text").mockReturnValue(new Promise((resolve) => (finish = resolve)));
  await userEvent.upload(drop, slow);
  await screen.findByText("Vérification en cours…");
  await userEvent.click(screen.getByRole("button", { name: /^Contrôler le point du/ }));
  await screen.findByText("Point de contrôle inexploitable");
  finish("{}");
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect(screen.queryByText("Ce fichier n’est pas un point de contrôle de ce journal.")).toBeNull();
});

test("says why a page of the list failed to load", async () => {
  show();
  await screen.findByRole("table");
  answer = () =>
    Response.json({ detail: "Trop de demandes. Réessayez dans 30 s." }, { status: 429 });
  await userEvent.click(screen.getByRole("button", { name: "Page 2" }));
  await screen.findByText("Cette page de la liste n’a pas pu être chargée");
  expect(words()).toContain("Trop de demandes. Réessayez dans 30 s.");
});

test("says that there is no checkpoint yet", async () => {
  answer = () => Response.json({ count: 0, page: 1, page_size: 10, results: [] });
  show();
  await screen.findByText(/Aucun point de contrôle n’a encore été établi/);
});

test("loads the log again on request after a failure", async () => {
  const sound = answer;
  answer = () => Response.json({}, { status: 500 });
  show();
  const again = await screen.findByRole("button", { name: "Réessayer" });
  answer = sound;
  await userEvent.click(again);
  await screen.findByText("Points de contrôle");
});

test.each([
  ["a whole one", JSON.stringify({ ...checkpoint(7), more: 1 }), checkpoint(7)],
  ["one without a root", JSON.stringify({ ...checkpoint(7), root: undefined }), null],
  ["one whose size is a text", JSON.stringify({ ...checkpoint(7), size: "7" }), null],
  ["no JSON", "%PDF-1.7", null],
  ["something long", " ".repeat(200_000), null],
])("parses a saved file with %s", async (_what, text, read) => {
  expect(await parseSavedCheckpoint(new Blob([text]))).toEqual(read);
});
