import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { formatSerial, revocationWord } from "./card-parts.tsx";
import { HASH, PURGED, WAITING, sampleProof } from "./testing/sample-proof.ts";
import { placeNear, showProof, stubViewport, words } from "./testing/show-proof.tsx";
import { VerifyPage } from "./verify-page.tsx";

const OPEN = /^Ouvrir (le document )?dans un nouvel onglet$/;
const CHECKPOINT = {
  size: 2,
  root: HASH,
  at: "2026-11-22T08:59:00Z",
  key_id: "ab",
  signature: "a.b.c",
  timestamp: "AA==",
};
const inclusionOf = (sequence: number) => ({
  leaf_index: 0,
  size: 2,
  path: [HASH],
  entry: { envelope_id: "019aa000-0000-7000-8000-00000000abcd", sequence, head: HASH },
  checkpoint: CHECKPOINT,
});
let asked: string[];

// Loaded and compiled here: within a test it takes longer than a query waits.
beforeAll(async () => {
  await import("@paraphe/proof");
}, 60_000);
beforeEach(() => {
  placeNear();
  asked = [];
});
afterEach(() => vi.unstubAllGlobals());

it("shows the verdict, who signed and when, and who is awaited", () => {
  const { unmount } = showProof();
  expect(words()).toContain("Signature valideToutes les signatures sont valides.");
  expect(words()).toContain("Complété le 22 novembre 2026 à 09 h 14");
  expect(words()).toContain("21 novembre 2026 à 12 h 38");
  expect(words()).not.toContain("En attente de signature");
  unmount();
  showProof(WAITING);
  expect(words()).toContain(
    "Signature en coursLes signatures apposées sont valides, mais une signature est encore attendue.",
  );
  expect(words()).toContain("1 signature sur 2");
  expect(words()).toContain("En attente de signature");
});
it("draws a delegate’s initials, not the words about the delegation", () => {
  const full_name = "Karim Benali, pour Hélène Guérin, par délégation";
  showProof({ signers: [{ full_name, signed: true, signed_at: "2026-11-22T08:14:00Z" }] });
  const letters = [...document.querySelectorAll("[data-letters]")];
  expect(letters.map((one) => one.getAttribute("data-letters"))).toContain("KB");
});
it("says how each signer was reached, and whether the address was confirmed", () => {
  const sent = { channel: "sms", destination: "•• •• •• 56 78" } as const;
  showProof({
    signers: [
      {
        full_name: "Théo Lenoir",
        signed: true,
        signed_at: "2026-11-22T08:14:00Z",
        reach: {
          by: "link",
          link: sent,
          code: { channel: "email", destination: "t•••@exemple.fr" },
          confirmed: ["email", "phone"],
        },
      },
      {
        full_name: "Zoé Petit",
        signed: true,
        signed_at: "2026-11-22T08:14:00Z",
        reach: { by: "account", link: null, code: null, confirmed: [] },
      },
    ],
  });
  expect(words()).toContain(
    "Lien reçu par SMS au •• •• •• 56 78, code reçu par email à t•••@exemple.fr et saisi.",
  );
  expect(words()).toContain("Adresse email et numéro confirmés : ce qui y a été envoyé a servi.");
  expect(words()).toContain(
    "Adresse email non confirmée : rien de ce qui y a été envoyé n’a servi.",
  );
});
it("shows the notes on a valid signature", () => {
  showProof({ warnings: ["Une signature porte une date."] });
  expect(words()).toContain(
    "Signature valideToutes les signatures sont valides.À noter. Une signature porte une date.",
  );
});
it("labels MD5 as history, without security value", async () => {
  showProof();
  await screen.findByText("Empreinte historique, sans valeur de sécurité.");
});
it("opens the signed file in a new tab and offers the proof", async () => {
  showProof();
  expect((await screen.findByRole("link", { name: OPEN })).getAttribute("href")).toBe(
    "https://localhost/doc",
  );
  expect(screen.getByRole("button", { name: "Télécharger la preuve" })).toBeTruthy();
});
it("prints the page once all its parts are loaded", async () => {
  placeNear(false);
  stubViewport();
  let printed = "";
  vi.stubGlobal("print", () => (printed = words()));
  showProof();
  expect(words()).not.toContain("Numéro de série");
  await userEvent.click(screen.getByRole("button", { name: "Imprimer cette page" }));
  await vi.waitFor(() => expect(printed).toContain("Numéro de série"));
  expect(printed).toContain("Adresse de cette page : http");
  expect(printed).toContain("/verify/p1?sig=s");
  expect(screen.getByRole("img", { name: "QR code de cette page de vérification" })).toBeTruthy();
  expect(printed).toContain("événements recalculés à l’instant");
});
it("explains the verdict, and opens the folds on paper alone", async () => {
  showProof();
  expect(words()).toContain(
    "Ce que cela signifieLe fichier est exactement celui que les 2 signataires ont signé.",
  );
  const chain = await screen.findByText("Chaîne de certification");
  const folds = [screen.getByText("Détails techniques"), chain].map((part) =>
    part.closest("details"),
  );
  const open = () => folds.map((fold) => fold?.open);
  expect(open()).toEqual([false, false]);
  window.dispatchEvent(new Event("beforeprint"));
  expect(open()).toEqual([true, true]);
  window.dispatchEvent(new Event("afterprint"));
  expect(open()).toEqual([false, false]);
});
it("puts plain words before the terms, and validates an act's certificate at its moment", async () => {
  const { certificate } = sampleProof();
  const timestamp = { time: "2026-11-22T08:14:27Z", tsa: "Paraphe Horodatage" };
  const days = { valid_from: "2026-11-22T08:00:00Z", valid_to: "2026-11-23T08:00:00Z" };
  showProof({
    level: "B-LTA",
    certificate: certificate && { ...certificate, ...days, timestamp },
  });
  await vi.waitFor(() => expect(words()).toContain("Conservation longue duréeOui (PAdES B-LTA)"));
  expect(words()).toContain(
    "Ce certificat a servi une seule fois, le 22 novembre 2026. Sa validité se juge à cet instant.",
  );
  expect(words()).toContain("Non révoquéOui (OCSP et liste CRL)");
  expect(words().indexOf("Conservation longue durée")).toBeLessThan(words().indexOf("Nom (CN)"));
});
it("shows the time zone once, and links to the glossary", async () => {
  showProof();
  expect(words().match(/heure de Paris/g)).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "Les mots de cette page" }));
  const dialog = await screen.findByRole("dialog", { name: "Les mots de cette page" });
  expect(dialog.querySelectorAll("dt")).toHaveLength(10);
});
it("offers three actions on a phone, the rest further down", () => {
  stubViewport();
  showProof();
  const head = within(screen.getByRole("region", { name: "Résultat" }));
  expect(head.getAllByRole("button").map(({ textContent }) => textContent)).toEqual([
    "Comparer avec mon fichier",
    "Télécharger la preuve",
    "Voir le document",
  ]);
  expect(head.queryByRole("link")).toBeNull();
  expect(screen.getByRole("link", { name: OPEN }).getAttribute("href")).toBe(
    "https://localhost/doc",
  );
  const comparison = screen.getByText("Comparer avec ma page imprimée").closest("details");
  expect(comparison?.open).toBe(false);
});
it("builds the file's address from the QR code when the proof has none", async () => {
  showProof({ document_url: null, documents: [] });
  expect((await screen.findByRole("link", { name: OPEN })).getAttribute("href")).toMatch(
    /\/api\/signature\/prints\/p1\/document\/\?sig=s$/,
  );
});
it("shows « Non communiqué » for absent data", async () => {
  showProof();
  await vi.waitFor(() => expect(words()).toContain("Organisation (O)Non communiqué"));
});
it("shows the headings of all cards before their content loads", () => {
  placeNear(false);
  stubViewport();
  showProof();
  expect(
    screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent),
  ).toEqual([
    "Ce que cela signifie",
    "Signataires",
    "Détails techniques",
    "Comparer avec ma page imprimée",
  ]);
  expect(
    screen
      .getAllByRole("heading", { level: 3, hidden: true })
      .map(({ textContent }) => textContent),
  ).toEqual(["Certificat du signataire", "Empreintes du document", "Journal de transparence"]);
});
it("shows the fingerprints of a purged document, without its names or file", async () => {
  showProof(PURGED);
  expect(words()).toContain("Le propriétaire a supprimé ce document.");
  await vi.waitFor(() => expect(words()).toContain(HASH));
  expect(screen.queryByRole("link", { name: OPEN })).toBeNull();
});

it("draws this page's code on a wide screen", async () => {
  stubViewport("wide");
  // On a wide screen a document opens by itself, which a purged one cannot.
  showProof(PURGED);
  const image = await screen.findByRole<HTMLImageElement>("img", {
    name: "QR code de cette page de vérification",
  });
  expect(image.src).toMatch(/^data:image\/svg\+xml,/);
  // Its first module stands four from each side (ISO/IEC 18004 §5.3.8).
  expect(decodeURIComponent(image.src)).toContain('d="M4 4h');
});

it("says when a document was deleted", () => {
  showProof({ ...PURGED, purged_at: "2026-11-22T08:14:00Z" });
  expect(words()).toContain("Le propriétaire a supprimé ce document le 22 novembre 2026.");
  expect(words().match(/a supprimé ce document/g)).toHaveLength(1);
});
it("says whether a deleted document had been completed, and what that means", () => {
  const { unmount } = showProof(PURGED);
  expect(words()).toContain("Complété le 22 novembre 2026");
  expect(words()).toContain("Ce document avait été signé par tous");
  expect(words()).not.toMatch(/[Jj]amais/);
  unmount();
  showProof({
    ...PURGED,
    completed: false,
    completed_at: null,
    purged_at: "2026-11-22T08:14:00Z",
  });
  expect(words()).toContain("Jamais complété");
  expect(words()).toContain(
    "le 22 novembre 2026. Il n’avait jamais été complété : il manquait au moins une signature.",
  );
  expect(words()).toContain("il ne vaut pas accord entre les parties");
  expect(words()).not.toMatch(/signé par tous ;|Revenez plus tard/);
});
it("says of a deleted document both that its journal was changed and that it was deleted", () => {
  showProof({
    ...PURGED,
    verdict: "invalid",
    reason: "L’historique de cette enveloppe a été modifié après coup.",
  });
  expect(words()).toContain(
    "Signature non valideL’historique de cette enveloppe a été modifié après coup.",
  );
  expect(words()).toContain("Le propriétaire a supprimé ce document.");
});
it("shows no file of a cancelled envelope", async () => {
  showProof({ ...WAITING, cancelled: true, document_url: null });
  expect(words()).toContain("Annulé");
  expect(words()).toContain("Théo LenoirN’a pas signé");
  expect(words()).not.toContain("En attente");
  await screen.findByText(/elle ne sera pas complétée/);
  expect(words()).not.toContain("Revenez plus tard");
  expect(screen.queryByRole("button", { name: "Voir le document" })).toBeNull();
  expect(screen.queryByRole("link", { name: OPEN })).toBeNull();
});
it("awaits nobody after a refusal", async () => {
  showProof({ ...WAITING, declined: true });
  expect(words()).toContain("Refusé1 signature sur 2");
  expect(words()).toContain("Théo LenoirN’a pas signé");
  await screen.findByText(/l’a refusée/);
  expect(words()).not.toMatch(/En attente|En cours|Revenez plus tard/);
});
it("awaits nobody after the deadline, and says that it may reopen", async () => {
  showProof({ ...WAITING, expired: true });
  expect(words()).toContain("Expirée1 signature sur 2");
  expect(words()).toContain("Théo LenoirN’a pas signé");
  await screen.findByText(/L’échéance est passée avant que tous aient signé/);
  expect(words()).toContain("s’il prolonge l’échéance");
  expect(words()).not.toMatch(/En attente|En cours|Revenez plus tard/);
});
it("has no signed file before the first signature", () => {
  const signers = sampleProof().signers.map((signer) => ({
    ...signer,
    signed: false,
    signed_at: null,
  }));
  showProof({ ...WAITING, signers, certificate: null, document_url: null, documents: [] });
  expect(screen.queryByRole("button", { name: "Voir le document" })).toBeNull();
  expect(screen.queryByRole("link", { name: OPEN })).toBeNull();
});
it("awaits nobody and is never valid where the stored file is not the signed one", () => {
  const [document] = sampleProof().documents;
  const { container } = showProof({
    verdict: "invalid",
    integrity: false,
    reason: "Le fichier conservé n’est pas celui qui a été signé. Ne vous fiez pas à ce document.",
    signers: [{ full_name: "Théo Lenoir", signed: false, signed_at: null }],
    certificate: null,
    document_url: null,
    documents: document === undefined ? [] : [{ ...document, document_url: null, hash_md5: null }],
  });
  expect(words()).toContain(
    "Signature non valideLe fichier conservé n’est pas celui qui a été signé.",
  );
  expect(words()).toContain("Théo LenoirSignature introuvable");
  expect(words()).not.toMatch(/Signature valide|En attente/);
  expect(container.querySelector('[class*="seal"]')?.className).not.toMatch(/valid/);
});
it.each(["revoked", "unknown"] as const)(
  "shows no green seal for a certificate that is %s",
  async (ocsp_status) => {
    const { certificate } = sampleProof();
    const { container } = showProof({
      certificate: certificate && {
        ...certificate,
        revocation: { ...certificate.revocation, ocsp_status },
      },
    });
    expect(container.querySelector('[class*="seal"]')?.className).not.toMatch(/valid/);
    await screen.findAllByText(ocsp_status === "revoked" ? "Révoqué" : "Inconnu");
  },
);
it("shows a changed journal in red", async () => {
  showProof({ verdict: "invalid", chain: { intact: false, count: 4 } });
  expect((await screen.findByText("Historique modifié")).closest("[role=alert]")).not.toBeNull();
});

it("shows the proof without the document when its sender chose so", () => {
  showProof({
    proof_only: true,
    document_url: null,
    documents: [
      { name: "bail.pdf", hash_sha256: HASH, hash_md5: null, document_url: null, page_count: 2 },
    ],
  });
  expect(words()).toContain("L’expéditeur a choisi de ne pas montrer le document ici.");
  expect(screen.queryByRole("link", { name: OPEN })).toBeNull();
  expect(screen.queryByRole("button", { name: "Voir le document" })).toBeNull();
});

it("dates the revocation data, and says that the time-stamp is not qualified", async () => {
  const { certificate } = sampleProof();
  showProof({
    certificate: certificate && {
      ...certificate,
      timestamp: { time: "2026-11-21T11:38:00Z", tsa: "Paraphe Horodatage" },
    },
  });
  await screen.findByText("Chaîne de certification");
  expect(words()).toContain("Données du 22 novembre 2026 à 09 h 59 min 00 s");
  expect(words()).toContain("Paraphe Horodatage (non qualifié)");
  expect(words()).toContain("Clémence Aubry-Lefèvre ← Paraphe Signature ← Paraphe Racine");
  expect(words()).toContain("Algorithme de hachageSHA-256");
});

it("shows a revocation answer as good only when it is known to be good", () => {
  expect(revocationWord("good", "ocsp")).toEqual({ tone: "good", word: "Valide" });
  expect(revocationWord("good", "crl")).toEqual({ tone: "good", word: "Absent de la liste" });
  expect(revocationWord("revoked", "crl")).toEqual({ tone: "bad", word: "Révoqué" });
  expect(revocationWord("surprise", "ocsp")).toEqual({ tone: "unsure", word: "Inconnu" });
  expect(revocationWord(null, "ocsp")).toEqual({ tone: "unsure", word: "Non communiqué" });
});
it("formats a serial number in pairs of digits", () => {
  expect(formatSerial("a19e07")).toBe("A1:9E:07");
  expect(formatSerial("19e07")).toBe("01:9E:07");
});

it.each(["/verify/p1", "/verify/p1?sig=", "/verify/?sig=s", "/verify/%E0%A4%A?sig=s"])(
  "refuses %s without a proof's two parameters",
  (address) => {
    render(<VerifyPage address={new URL(address, "https://localhost")} />);
    expect(screen.getByRole("alert").textContent).toBe("Lien invalide : paramètres manquants.");
  },
);

const signature = (signer_name: string, serial_number: string) => ({
  signer_name,
  serial_number,
  verdict: "valid",
  reason: "La signature est valide.",
  level: "B-T",
  timestamp: { time: "2026-11-21T11:38:00Z", tsa: "Paraphe Horodatage" },
});
/** The network alone is replaced. */
function answer(response: () => Response): void {
  stubViewport();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.stubGlobal("fetch", async (address: string) => {
    asked.push(new URL(address).pathname);
    return response();
  });
}

it("shows every signer's certificate on request, once per act", async () => {
  const signatures = [
    signature("Clémence Aubry-Lefèvre", "0a"),
    signature("Clémence Aubry-Lefèvre", "0a"),
    signature("Théo Lenoir", "0b"),
  ];
  answer(() => Response.json({ proof: { signatures } }));
  showProof();
  await screen.findByText("Ce certificat est celui de la dernière signature.");
  expect(asked).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Voir tous les certificats" }));
  await vi.waitFor(() => expect(words()).toContain("Numéro de série0B"));
  expect(words().match(/Numéro de série0A/g)).toHaveLength(1);
  expect(asked).toEqual(["/api/signature/prints/p1/proof/"]);
});

it("says why the service refuses the certificates, and asks again", async () => {
  answer(() =>
    Response.json({ detail: "Trop de demandes. Réessayez dans 30 s." }, { status: 429 }),
  );
  showProof();
  await userEvent.click(await screen.findByRole("button", { name: "Voir tous les certificats" }));
  await screen.findByText("Trop de demandes. Réessayez dans 30 s.");
  expect(screen.getByRole("button", { name: "Voir tous les certificats" })).toBeTruthy();
});

it("offers no list of certificates for one signer", async () => {
  stubViewport();
  showProof({ signers: sampleProof().signers.slice(0, 1) });
  await screen.findByText("Chaîne de certification");
  expect(screen.queryByRole("button", { name: "Voir tous les certificats" })).toBeNull();
});

it("says that the log does not cover the envelope yet", async () => {
  showProof();
  await screen.findByText(/Le journal public ne couvre pas encore cette enveloppe/);
});
it("shows an invalid inclusion proof in red", async () => {
  showProof({ inclusion: inclusionOf(9) });
  await screen.findByText("La preuve d’inclusion ne tient pas");
  expect(words()).not.toContain("Inclus ");
  await screen.findByText("Signature non valide");
  expect(words()).not.toContain("Signature valide");
});
it("says when the log covers only the beginning of the journal", async () => {
  const inclusion = inclusionOf(3);
  const { unmount } = showProof({ inclusion, completion_logged: false });
  await screen.findByText(/Le journal public ne couvre pas encore la fin de cette enveloppe/);
  unmount();
  showProof({ inclusion, completion_logged: true });
  await screen.findByText("Place");
  expect(words()).not.toContain("la fin de cette enveloppe");
});
it.each<[number, string]>([
  [1, "1 événement recalculé à l’instant par le service."],
  [9, "9 événements recalculés à l’instant par le service."],
])("says of a journal of %i events that it was computed anew", async (count, said) => {
  showProof({ chain: { intact: true, count } });
  await vi.waitFor(() => expect(words()).toContain(said));
});
