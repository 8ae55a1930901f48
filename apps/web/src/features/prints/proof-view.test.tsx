import type { Proof } from "@paraphe/contracts";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { describe, expect, it, vi } from "vitest";
import { createQueryClient } from "../../lib/create-query-client.ts";
import { ProofView } from "./proof-view.tsx";
import { formatSerial, revocationWord } from "./revocation-word.ts";
import { VerifyPage } from "./verify-page.tsx";

const HASH = "9f2c41d7a8be03c65d1e7f90b42a6c38e5d7019ab3f4c86211e0d59a7b8c4f23";
const proof = (part: Partial<Proof> = {}): Proof => ({
  title: "Bail",
  completed: true,
  completed_at: "2026-11-22T08:14:00Z",
  document_url: "https://localhost/doc",
  hash_sha256: HASH,
  hash_md5: "5d41402abc4b2a76b9719d911017c592",
  signers: [
    { full_name: "Clémence Aubry-Lefèvre", signed: true, signed_at: "2026-11-21T11:38:00Z" },
    { full_name: "Théo Lenoir", signed: false, signed_at: null },
  ],
  certificate: {
    subject: { CN: "Clémence Aubry-Lefèvre", O: null, C: "FR" },
    serial_number: "4a19e07c52b308df",
    valid_from: "2026-01-02T00:00:00Z",
    valid_to: "2029-01-01T00:00:00Z",
    revocation: { ocsp_status: "good", ocsp_url: "https://localhost/pki/ocsp", crl_status: "good", crl_url: null },
    timestamp: null,
  },
  verdict: "valid",
  reason: "Toutes les signatures sont valides.",
  warnings: [],
  integrity: true,
  level: "B-T",
  documents: [{ name: "bail.pdf", hash_sha256: HASH, hash_md5: "5d41402abc4b2a76b9719d911017c592", document_url: "https://localhost/doc" }],
  checked_at: "2026-11-22T09:00:00Z",
  purged: false,
  ...part,
});
const show = (part: Partial<Proof> = {}) => render(<ProofView uuid="p1" sig="s" proof={proof(part)} />);
const words = () => document.body.textContent?.replaceAll(/[\u00a0\u202f]/g, " ") ?? "";

describe("the public proof", () => {
  it("says the verdict, who signed and when, who is awaited", () => {
    show();
    expect(words()).toContain("Signature valide — Toutes les signatures sont valides.");
    expect(words()).toContain("Complété le 22 novembre 2026 à 09 h 14");
    expect(words()).toContain("21 novembre 2026 à 12 h 38");
    expect(words()).toContain("En attente de signature");
  });
  it("says what is noted of a signature that is valid all the same", () => {
    show({ warnings: ["Une signature porte une date."] });
    expect(words()).toContain("Signature valide — Toutes les signatures sont valides.À noter. Une signature porte une date.");
  });
  it("labels MD5 as history, without security value", () => {
    show();
    expect(words()).toContain("Empreinte historique, sans valeur de sécurité.");
  });
  it("opens the signed file in a new tab and offers the proof", () => {
    show();
    expect(screen.getByRole("link", { name: "Ouvrir dans un nouvel onglet" }).getAttribute("href")).toBe("https://localhost/doc");
    expect(screen.getByRole("button", { name: "Télécharger la preuve" })).toBeTruthy();
  });
  it("builds the file's address from the QR code when the proof has none", () => {
    show({ document_url: null, documents: [] });
    expect(screen.getByRole("link", { name: "Ouvrir dans un nouvel onglet" }).getAttribute("href")).toMatch(
      /\/api\/signature\/prints\/p1\/document\/\?sig=s$/,
    );
  });
  it("says « Non communiqué » for what is absent", () => {
    show();
    expect(words()).toContain("Organisation (O)Non communiqué");
  });
  it("keeps the fingerprints of a purged document, without its names nor its file", () => {
    show({
      purged: true,
      title: null,
      signers: [],
      certificate: null,
      verdict: "indeterminate",
      document_url: null,
      documents: [{ name: null, hash_sha256: HASH, hash_md5: null, document_url: null }],
    });
    expect(words()).toContain("Le propriétaire a supprimé ce document.");
    expect(words()).toContain(HASH);
    expect(screen.queryByRole("link", { name: "Ouvrir dans un nouvel onglet" })).toBeNull();
  });
});

describe("the code on the proof's page", () => {
  it("is drawn on a wide screen, and leads to this page", async () => {
    vi.stubGlobal("matchMedia", (query: string) => ({
      matches: query.includes("min-width"),
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    // The document itself opens on a wide screen: a purged one has none.
    show({ purged: true, title: null, signers: [], certificate: null, document_url: null, documents: [] });
    const image = await screen.findByRole<HTMLImageElement>("img", { name: "QR code de cette page de vérification" });
    expect(image.src).toMatch(/^data:image\/svg\+xml,/);
    vi.unstubAllGlobals();
  });
});

describe("the verification page", () => {
  it.each(["/verify/p1", "/verify/p1?sig="])("refuses %s: a parameter is missing", (address) => {
    render(
      <QueryClientProvider client={createQueryClient()}>
        <MemoryRouter initialEntries={[address]}>
          <Routes>
            <Route path="verify/:uuid" element={<VerifyPage />} />
          </Routes>
        </MemoryRouter>
      </QueryClientProvider>,
    );
    expect(screen.getByRole("alert").textContent).toBe("Lien invalide : paramètres manquants.");
  });
});

describe("a revocation answer", () => {
  it("is good only when it is known to be", () => {
    expect(revocationWord("good", "ocsp")).toEqual({ tone: "good", word: "Valide" });
    expect(revocationWord("good", "crl")).toEqual({ tone: "good", word: "Absent de la liste" });
    expect(revocationWord("revoked", "crl")).toEqual({ tone: "bad", word: "Révoqué" });
    expect(revocationWord("surprise", "ocsp")).toEqual({ tone: "unsure", word: "Inconnu" });
    expect(revocationWord(null, "ocsp")).toEqual({ tone: "unsure", word: "Non communiqué" });
  });
  it("comes with a serial number in pairs", () => {
    expect(formatSerial("a19e07")).toBe("A1:9E:07");
    expect(formatSerial("19e07")).toBe("01:9E:07");
  });
});
