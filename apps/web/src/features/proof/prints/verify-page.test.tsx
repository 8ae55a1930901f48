import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sampleProof } from "./testing/sample-proof.ts";
import { placeNear } from "./testing/show-proof.tsx";
import { VerifyPage } from "./verify-page.tsx";

const PROOF = sampleProof({ title: "Bail commercial" });
let answer: (path: string) => Promise<Response>;
let wide: boolean;

beforeEach(() => {
  wide = false;
  placeNear();
  answer = async (path) =>
    path.endsWith("/verify/") ? Response.json(PROOF) : Response.json({}, { status: 500 });
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: query.includes("min-width") ? wide : query.includes("max-width") && !wide,
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  // The network alone is replaced.
  vi.stubGlobal("fetch", (address: string) =>
    answer(new URL(address, "https://localhost").pathname),
  );
});
afterEach(() => vi.unstubAllGlobals());

function show() {
  render(<VerifyPage address={new URL("https://localhost/verify/p1?sig=s")} />);
}
const status = () => document.querySelector("main [role=status]");

test("says that the proof is loading", async () => {
  answer = () => new Promise<Response>(() => {});
  show();
  expect((await screen.findByRole("status")).textContent).toBe("Chargement de la preuve");
});

test("uses the specification's words for a proof that cannot load, and tries again", async () => {
  answer = async () => Response.json({}, { status: 404 });
  show();
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Impossible de charger la preuve (QR non trouvé ou signature invalide).",
  );
  answer = async () => Response.json(PROOF);
  await userEvent.click(screen.getByRole("button", { name: "Réessayer" }));
  expect(await screen.findByText("Bail commercial")).toBeDefined();
});

test("shows a proof with its title", async () => {
  show();
  expect(await screen.findByText("Bail commercial")).toBeDefined();
});

test("opens the document by « Voir le document » on a small screen", async () => {
  show();
  expect(await screen.findByRole("button", { name: "Voir le document" })).toBeDefined();
  expect(screen.queryByText("Le document signé n'a pas pu être chargé.")).toBeNull();
});

test("opens the document by itself on a wide screen, and shows a failure", async () => {
  wide = true;
  show();
  expect(await screen.findByText("Le document signé n'a pas pu être chargé.")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Voir le document" })).toBeNull();
});

test("announces the verdict once, in the region that announced the wait", async () => {
  let give: () => void = () => undefined;
  answer = () => new Promise((resolve) => (give = () => resolve(Response.json(PROOF))));
  show();
  await vi.waitFor(() => expect(status()?.textContent).toBe("Chargement de la preuve"));
  const region = status();
  give();
  await vi.waitFor(() =>
    expect(region?.textContent).toBe("Signature valide — Toutes les signatures sont valides."),
  );
  expect(region?.isConnected).toBe(true);
  expect(screen.getByText("Signature valide").closest("[role=status]")).toBeNull();
});

test.each<[string, () => Promise<Response>, string, RegExp]>([
  [
    "an unknown print",
    async () => Response.json({ detail: "Élément introuvable." }, { status: 404 }),
    "Impossible de charger la preuve (QR non trouvé ou signature invalide).",
    /^Scannez à nouveau/,
  ],
  [
    "a version that was returned",
    async () => Response.json({ detail: "Ce code est d’une version renvoyée." }, { status: 410 }),
    "Ce code est d’une version renvoyée.",
    /^Demandez à son expéditeur/,
  ],
  [
    "too many requests",
    async () =>
      Response.json({ detail: "Trop de demandes. Réessayez dans 30 s." }, { status: 429 }),
    "Trop de demandes. Réessayez dans 30 s.",
    /Votre code n’est pas en cause/,
  ],
  [
    "a failure of the service",
    async () => new Response("<html>", { status: 503 }),
    "Le service a rencontré une erreur.",
    /Votre code n’est pas en cause/,
  ],
  [
    "no answer",
    () => Promise.reject(new TypeError("Failed to fetch")),
    "Erreur réseau ou serveur injoignable",
    /Votre code n’est pas en cause/,
  ],
])(
  "says after %s what happened and what to do, without always blaming the code",
  async (_what, answered, text, advice) => {
    answer = answered;
    show();
    expect((await screen.findByRole("alert")).textContent).toBe(text);
    expect(screen.getByText(advice)).toBeDefined();
    expect(screen.getByRole("button", { name: "Réessayer" })).toBeDefined();
  },
);

test("follows another page of the same paper scanned into the same tab", async () => {
  show();
  await screen.findByText(/Chaque code imprimé dit quelle page vous tenez/);
  location.hash = "#AQIDBA";
  window.dispatchEvent(new Event("hashchange"));
  await screen.findByText("Le code de votre page est incomplet");
  location.hash = "";
});
