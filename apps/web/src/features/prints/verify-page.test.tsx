import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { VerifyPage } from "./verify-page.tsx";

const PROOF = {
  title: "Bail commercial",
  completed: true,
  completed_at: "2026-11-22T08:14:00Z",
  document_url: "https://localhost/doc.pdf",
  hash_sha256: "9f2c41d7",
  hash_md5: "5d41402a",
  signers: [{ full_name: "Clémence Aubry", signed: true, signed_at: "2026-11-21T11:38:00Z" }],
  certificate: null,
  verdict: "valid",
  reason: "Toutes les signatures sont valides.",
  warnings: [],
  integrity: true,
  level: "B-LTA",
  documents: [
    { name: "bail.pdf", hash_sha256: "9f2c41d7", hash_md5: "5d41402a", document_url: "https://localhost/doc.pdf", page_count: 2 },
  ],
  checked_at: "2026-11-22T09:00:00Z",
  purged: false,
  purged_at: null,
  cancelled: false,
  proof_only: false,
  chain: { intact: true, count: 9 },
  inclusion: null,
  statement_keys: [],
};
let answer: (path: string) => Promise<Response>;
let wide: boolean;

beforeEach(() => {
  wide = false;
  answer = async (path) => (path.endsWith("/verify/") ? Response.json(PROOF) : Response.json({}, { status: 500 }));
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: query.includes("min-width") ? wide : query.includes("max-width") && !wide,
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  // The network alone is replaced.
  vi.stubGlobal("fetch", (address: string) => answer(new URL(address, "https://localhost").pathname));
});
afterEach(() => vi.unstubAllGlobals());

function show() {
  render(<VerifyPage address={new URL("https://localhost/verify/p1?sig=s")} />);
}

test("while the proof is read the page says so", async () => {
  answer = () => new Promise<Response>(() => {});
  show();
  expect((await screen.findByRole("status")).textContent).toBe("Chargement de la preuve");
});

test("a proof that cannot be had has the specification's words, and can be tried again", async () => {
  answer = async () => Response.json({}, { status: 404 });
  show();
  expect((await screen.findByRole("alert")).textContent).toBe("Impossible de charger la preuve (QR non trouvé ou signature invalide).");
  answer = async () => Response.json(PROOF);
  await userEvent.click(screen.getByRole("button", { name: "Réessayer" }));
  expect(await screen.findByRole("heading", { level: 1, name: "Bail commercial" })).toBeDefined();
});

test("a proof is shown with its title", async () => {
  show();
  expect(await screen.findByRole("heading", { level: 1, name: "Bail commercial" })).toBeDefined();
});

test("on a small screen the document waits behind 'Voir le document'", async () => {
  show();
  expect(await screen.findByRole("button", { name: "Voir le document" })).toBeDefined();
  expect(screen.queryByText("Le document signé n'a pas pu être chargé.")).toBeNull();
});

test("on a wide screen the document is open at once; one that cannot be loaded says so", async () => {
  wide = true;
  show();
  expect(await screen.findByText("Le document signé n'a pas pu être chargé.")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Voir le document" })).toBeNull();
});
