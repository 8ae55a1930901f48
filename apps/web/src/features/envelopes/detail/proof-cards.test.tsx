import type { Envelope, Signature } from "@paraphe/contracts";
import { act, cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { makeEnvelope } from "../prepare/testing/make-envelope.ts";
import { SignaturesCard } from "./signatures-card.tsx";
import { PrintsCard, ProofCard } from "./proof-card.tsx";
import { newClient, press, renderPart, toasts } from "../testing/page.tsx";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const envelope = { ...makeEnvelope({ id: "e1" }), status: "completed", is_owner: true } as Envelope;
const SIGNATURE: Signature = {
  id: "s1",
  envelope: "e1",
  document: "d1",
  document_name: "Bail.pdf",
  recipient: "r1",
  signer_name: "Paul Morel",
  level: "B-LTA",
  signed_at: "2026-11-21T14:16:04.000Z",
  certificate: {
    subject: "Paul Morel",
    serial_number: "0a",
    valid_from: "2026-11-21T14:00:00.000Z",
    valid_to: "2026-11-22T14:00:00.000Z",
  },
  timestamp: { time: "2026-11-21T14:16:04.000Z", tsa: "Paraphe Horodatage" },
  verdict: "valid",
  reason: "La signature est valide.",
};

function show(card: ReactNode, answer: () => { readonly status: number; readonly body: unknown }) {
  vi.stubGlobal("fetch", async () => {
    const { status, body } = answer();
    return Response.json(body, { status });
  });
  const client = newClient();
  renderPart(card, client);
}
const listOf = (results: readonly unknown[]) => ({
  status: 200,
  body: { count: results.length, page: 1, page_size: 10, results },
});

test("the details of a completed envelope have each file's SHA-256 to copy; an open one's files still change", async () => {
  const hash = "ab".repeat(32);
  const [document] = envelope.documents;
  const documents = [{ ...document, name: "Bail.pdf", sha256: hash }] as Envelope["documents"];
  show(<SignaturesCard envelope={{ ...envelope, documents }} />, () => listOf([SIGNATURE]));
  const user = userEvent.setup();
  await user.click(await screen.findByText("Détails techniques"));
  await user.click(screen.getByRole("button", { name: "Copier SHA-256 de Bail.pdf" }));
  expect(await navigator.clipboard.readText()).toBe(hash);
  cleanup();
  show(<SignaturesCard envelope={{ ...envelope, documents, status: "pending" }} />, () =>
    listOf([SIGNATURE]),
  );
  await screen.findByText("Détails techniques");
  expect(screen.queryByText(hash)).toBeNull();
});

test("« Signatures » shows each verdict, and folds the level, certificate and time-stamp", async () => {
  show(<SignaturesCard envelope={envelope} />, () => listOf([SIGNATURE]));
  const shown = await screen.findByRole("listitem");
  expect(within(shown).getByText("Valide")).toBeDefined();
  expect(shown.textContent).toBe("Paul MorelValide");
  const folded = screen.getByText("Détails techniques").closest("details");
  expect(folded?.open).toBe(false);
  const item = within(folded as HTMLElement);
  expect(item.getByText("PAdES B-LTA")).toBeDefined();
  const once =
    "Paul Morel\u00a0: ce certificat a servi une seule fois, le 21\u00a0novembre 2026. Sa validité se juge à cet instant (du 21\u00a0nov. 2026 au 22\u00a0nov. 2026).";
  expect(item.getByText(once, { normalizer: (text) => text })).toBeDefined();
  expect(
    item.getByText(/^21 novembre 2026 à 15 h 16 min 04 s, par Paraphe Horodatage$/),
  ).toBeDefined();
});

test("« Signatures » says why a signature is invalid and what is not established", async () => {
  const lost = {
    ...SIGNATURE,
    verdict: "invalid",
    level: null,
    timestamp: null,
    reason: "Le fichier conservé n’est pas celui qui a été signé.",
  };
  show(<SignaturesCard envelope={envelope} />, () => listOf([lost]));
  await screen.findByText("Non valide");
  expect(screen.getByText("Le fichier conservé n’est pas celui qui a été signé.")).toBeDefined();
  expect([screen.getByText("Non établi"), screen.getByText("Aucun")]).toHaveLength(2);
});

test("« Signatures » says when it cannot load and offers a retry", async () => {
  let answer: ReturnType<typeof listOf> = {
    status: 503,
    body: { detail: "Service occupé.", code: "service_unavailable" } as never,
  };
  show(<SignaturesCard envelope={envelope} />, () => answer);
  await screen.findByText("Service occupé.");
  answer = listOf([SIGNATURE]);
  await press("Réessayer");
  await screen.findByRole("listitem");
});

test("« Impressions » gives each print's code place, page and copy", async () => {
  const made = {
    id: "p1",
    qr_type: "certificate",
    created_at: "2026-11-21T14:16:04.000Z",
    verify_url: "https://localhost:8443/verify/p1?sig=s1",
    printable_url: "/api/signature/prints/p1/printable/?sig=s1",
  };
  show(<PrintsCard envelope={envelope} />, () => listOf([made]));
  const card = within(await screen.findByRole("region", { name: "Impressions" }));
  expect(card.getByText("Sur une page de preuve ajoutée")).toBeDefined();
  expect(card.getByRole("link", { name: /^Page de vérification/ }).getAttribute("href")).toBe(
    made.verify_url,
  );
  expect(card.getByRole("link", { name: /^Copie à imprimer/ }).getAttribute("href")).toBe(
    made.printable_url,
  );
});

test.each([
  ["a cancelled envelope", { status: "cancelled" }],
  ["an earlier version", { sent_at: "2026-11-22T08:00:00.000Z" }],
  ["a returned draft", { status: "draft" }],
] as const)("« Impressions » offers no copy of %s", async (_what, change) => {
  const made = {
    id: "p1",
    qr_type: "page",
    created_at: "2026-11-21T14:16:04.000Z",
    verify_url: "https://localhost:8443/verify/p1?sig=s1",
    printable_url: "x",
  };
  show(<PrintsCard envelope={{ ...envelope, ...change }} />, () => listOf([made]));
  await screen.findByText("Sur chaque page");
  expect(screen.queryByRole("link", { name: /^Copie à imprimer/ })).toBeNull();
  expect(screen.queryAllByText(/version renvoyée/)).toHaveLength(
    "sent_at" in change || change.status === "draft" ? 1 : 0,
  );
});

test("« Dossier de preuve » saves the file under the envelope's title and says so", async () => {
  const asked: string[] = [];
  const saved: string[] = [];
  show(<ProofCard envelope={{ ...envelope, title: "Bail d’habitation" }} />, () => listOf([]));
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(new URL(url).pathname);
    return new Response("%PDF-", { headers: { "content-type": "application/pdf" } });
  });
  vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:dossier");
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push(this.download);
  });
  await press("Dossier de preuve");
  await vi.waitFor(() => expect(saved).toEqual(["bail-dhabitation_dossier_de_preuve.pdf"]));
  expect(asked).toEqual(["/api/signature/envelopes/e1/evidence/"]);
  expect(toasts()).toEqual(["Dossier de preuve téléchargé"]);
  act(clearToasts);
});

test("« Dossier de preuve » is provisional before the last signature, and says why it failed", async () => {
  const refused = {
    detail: "Le service est momentanément indisponible.",
    code: "service_unavailable",
  };
  show(<ProofCard envelope={{ ...envelope, status: "pending" }} />, () => ({
    status: 503,
    body: refused,
  }));
  expect(screen.getByText(/le dossier établi maintenant est provisoire/)).toBeDefined();
  await press("Dossier de preuve");
  await vi.waitFor(() =>
    expect(currentToasts()).toMatchObject([
      { message: "Le dossier de preuve n’a pas pu être établi", detail: refused.detail },
    ]),
  );
  act(clearToasts);
});
