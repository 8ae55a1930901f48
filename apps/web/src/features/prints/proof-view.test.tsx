import type { Proof } from "@paraphe/contracts";
import { signStatement, type Statement } from "@paraphe/proof";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { hashFile } from "./hash-file.ts";
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
    revocation: {
      ocsp_status: "good",
      ocsp_url: "https://localhost/pki/ocsp",
      crl_status: "good",
      crl_url: null,
      ocsp_at: "2026-11-22T08:59:00Z",
      crl_at: null,
    },
    timestamp: null,
    issuers: ["Paraphe Signature", "Paraphe Racine"],
    hash_algorithm: "SHA-256",
    valid_at_signing: true,
  },
  verdict: "valid",
  reason: "Toutes les signatures sont valides.",
  warnings: [],
  integrity: true,
  level: "B-T",
  documents: [
    {
      name: "bail.pdf",
      hash_sha256: HASH,
      hash_md5: "5d41402abc4b2a76b9719d911017c592",
      document_url: "https://localhost/doc",
      page_count: 3,
    },
  ],
  checked_at: "2026-11-22T09:00:00Z",
  purged: false,
  purged_at: null,
  cancelled: false,
  proof_only: false,
  chain: { intact: true, count: 9 },
  inclusion: null,
  statement_keys: [],
  ...part,
});
const show = (part: Partial<Proof> = {}, at: { uuid?: string; fragment?: string } = {}) =>
  render(<ProofView uuid={at.uuid ?? "p1"} sig="s" proof={proof(part)} fragment={at.fragment ?? ""} />);
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
      documents: [{ name: null, hash_sha256: HASH, hash_md5: null, document_url: null, page_count: null }],
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

describe("what became of the envelope", () => {
  it("says when a document was deleted", () => {
    show({ purged: true, purged_at: "2026-11-22T08:14:00Z", verdict: "indeterminate", document_url: null });
    expect(words()).toContain("Le propriétaire a supprimé ce document le 22 novembre 2026.");
  });
  it("shows nothing of a cancelled one, whatever address could be built", () => {
    show({ cancelled: true, completed: false, verdict: "indeterminate", document_url: null });
    expect(words()).toContain("Annulé");
    expect(screen.queryByRole("button", { name: "Voir le document" })).toBeNull();
    expect(screen.queryByRole("link", { name: "Ouvrir dans un nouvel onglet" })).toBeNull();
  });
  it.each(["revoked", "unknown"])("has no green seal with a certificate that is %s", (ocsp_status) => {
    const { certificate } = proof();
    const { container } = show({ certificate: certificate && { ...certificate, revocation: { ...certificate.revocation, ocsp_status } } });
    expect(container.querySelector('[class*="seal"]')?.className).not.toMatch(/valid/);
    expect(words()).toContain(ocsp_status === "revoked" ? "Révoqué" : "Inconnu");
  });
  it("says in red that the journal was changed", async () => {
    show({ verdict: "invalid", chain: { intact: false, count: 4 } });
    expect((await screen.findByText("Journal modifié")).closest("[role=alert]")).not.toBeNull();
  });
});

describe("the transparency log", () => {
  it("says that it does not cover the envelope yet", async () => {
    show();
    await screen.findByText(/Le journal public ne couvre pas encore cette enveloppe/);
  });
  it("says in red what does not hold, as it was checked here", async () => {
    const checkpoint = { size: 2, root: HASH, at: "2026-11-22T08:59:00Z", key_id: "ab", signature: "a.b.c", timestamp: "AA==" };
    const entry = { envelope_id: "019aa000-0000-7000-8000-00000000abcd", sequence: 9, head: HASH };
    show({ inclusion: { leaf_index: 0, size: 2, path: [HASH], entry, checkpoint } });
    await screen.findByText("La preuve d’inclusion ne tient pas");
    expect(words()).not.toContain("Inclus ");
  });
});

it("shows the proof without the document when its sender chose so", () => {
  show({
    proof_only: true,
    document_url: null,
    documents: [{ name: "bail.pdf", hash_sha256: HASH, hash_md5: null, document_url: null, page_count: 2 }],
  });
  expect(words()).toContain("L’expéditeur a choisi de ne pas montrer le document ici.");
  expect(screen.queryByRole("link", { name: "Ouvrir dans un nouvel onglet" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Voir le document" })).toBeNull();
});

describe("technical facts", () => {
  it("are said with the date of the revocation data, and that the time-stamp is not a qualified one", () => {
    const { certificate } = proof();
    show({ certificate: certificate && { ...certificate, timestamp: { time: "2026-11-21T11:38:00Z", tsa: "Paraphe Horodatage" } } });
    expect(words()).toContain("Données du 22 novembre 2026 à 09 h 59 min 00 s");
    expect(words()).toContain("Paraphe Horodatage (non qualifié)");
    expect(words()).toContain("Clémence Aubry-Lefèvre ← Paraphe Signature ← Paraphe Racine");
    expect(words()).toContain("Algorithme de hachageSHA-256");
  });
});

describe("one's own files", () => {
  const bytes = new TextEncoder().encode("%PDF-1.7 signé");
  const bring = async (label: string, files: readonly File[]) => userEvent.upload(await screen.findByLabelText(label), [...files]);
  it("are held against each of the documents, in the browser", async () => {
    const hash = await hashFile(new Blob([bytes]));
    const asked = vi.spyOn(globalThis, "fetch");
    show({
      documents: [
        { name: "bail.pdf", hash_sha256: hash, hash_md5: null, document_url: null, page_count: 2 },
        { name: "annexe.pdf", hash_sha256: HASH, hash_md5: null, document_url: null, page_count: 1 },
      ],
    });
    await bring("Comparer avec mes fichiers", [new File([bytes], "mon bail.pdf"), new File(["%PDF autre"], "autre.pdf")]);
    await screen.findByText("Empreinte identique : votre fichier est « bail.pdf », tel qu’il a été signé.");
    await screen.findByText("Empreinte différente : votre fichier n’est pas celui qui a été signé.");
    // What another part of the page asks for is no matter: nothing is sent.
    expect(asked.mock.calls.filter(([, request]) => request?.body)).toEqual([]);
  });
});

describe("a printed page", () => {
  const UUID = "019aa000-0000-7000-8000-00000000abcd";
  const hashPrefix = Uint8Array.from((HASH.slice(0, 32).match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
  const sealed = async (change: Partial<Statement> = {}) => {
    const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
    const subjectPublicKey = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
    const sign = async (data: Uint8Array) =>
      new Uint8Array(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, data as BufferSource));
    const statement = { printId: UUID, pageNumber: 2, pageCount: 3, hashPrefix, madeOn: "2026-11-22", ...change };
    return {
      fragment: await signStatement(statement, { subjectPublicKey, sign }),
      keys: [btoa(String.fromCharCode(...subjectPublicKey))],
    };
  };

  it("is named by its code, and proposed to be seen large", async () => {
    const { fragment, keys } = await sealed();
    show({ statement_keys: keys }, { uuid: UUID, fragment });
    await screen.findByText("Vous tenez la page 2 sur 3");
    expect(words()).toContain("La copie a été faite le 22 novembre 2026, et son code est signé par le service.");
    expect(screen.getByLabelText<HTMLSelectElement>("Page").value).toBe("2");
    expect(screen.getByRole("button", { name: "Voir cette page en grand" })).toBeTruthy();
  });
  it.each<[string, Partial<Statement>]>([["of another print", { printId: UUID.replace("abcd", "abce") }]])(
    "%s is said in red",
    async (_what, change) => {
      const { fragment, keys } = await sealed(change);
      show({ statement_keys: keys }, { uuid: UUID, fragment });
      await screen.findByText("Ce code n’est pas celui de ce document");
      expect(screen.queryByRole("button", { name: "Voir cette page en grand" })).toBeNull();
    },
  );
  it("whose code was changed, or signed by somebody else, is said in red", async () => {
    const [{ fragment }, { keys }] = [await sealed(), await sealed()];
    show({ statement_keys: keys }, { uuid: UUID, fragment });
    await screen.findByText("Ce code n’est pas celui de ce document");
  });
  it("of an earlier version of the file says so", async () => {
    const { fragment, keys } = await sealed({ hashPrefix: new Uint8Array(16) });
    show({ statement_keys: keys }, { uuid: UUID, fragment });
    await screen.findByText("Vous tenez la page 2 sur 3, d’une autre version");
  });
  it("without a code is chosen by hand", async () => {
    show();
    await screen.findByLabelText("Page");
    expect(words()).toContain("scannez celui de votre page, ou choisissez-la ci-dessous");
    expect(screen.getAllByRole("option").map((option) => option.textContent)).toEqual(["Page 1 sur 3", "Page 2 sur 3", "Page 3 sur 3"]);
  });
});

describe("the verification page", () => {
  it.each(["/verify/p1", "/verify/p1?sig=", "/verify/?sig=s", "/verify/%E0%A4%A?sig=s"])(
    "refuses %s: a parameter is missing",
    (address) => {
      render(<VerifyPage address={new URL(address, "https://localhost")} />);
      expect(screen.getByRole("alert").textContent).toBe("Lien invalide : paramètres manquants.");
    },
  );
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
