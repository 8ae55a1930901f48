import type { Envelope, Signature } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { makeEnvelope } from "../prepare/testing/make-envelope.ts";
import { SignaturesCard } from "./signatures-card.tsx";
import { PrintsCard, ProofCard } from "./proof-card.tsx";

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
  // The network alone is replaced.
  vi.stubGlobal("fetch", async () => {
    const { status, body } = answer();
    return Response.json(body, { status });
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(<QueryClientProvider client={client}>{card}</QueryClientProvider>);
}
const listOf = (results: readonly unknown[]) => ({
  status: 200,
  body: { count: results.length, page: 1, page_size: 10, results },
});

test("« Signatures »: the validity of each; its level, certificate and time-stamp are folded", async () => {
  show(<SignaturesCard envelope={envelope} />, () => listOf([SIGNATURE]));
  const shown = await screen.findByRole("listitem");
  expect(within(shown).getByText("Valide")).toBeDefined();
  expect(shown.textContent).toBe("Paul MorelValide");
  const folded = screen.getByText("Détails techniques").closest("details");
  expect(folded?.open).toBe(false);
  const item = within(folded as HTMLElement);
  expect(item.getByText("PAdES B-LTA")).toBeDefined();
  const once =
    "Paul Morel\u00a0: ce certificat a servi une seule fois, le 21 novembre 2026. Sa validité se juge à cet instant (du 21 nov. 2026 au 22 nov. 2026).";
  expect(item.getByText(once, { normalizer: (text) => text })).toBeDefined();
  expect(
    item.getByText(/^21 novembre 2026 à 15 h 16 min 04 s, par Paraphe Horodatage$/),
  ).toBeDefined();
});

test("« Signatures »: one that does not hold says why, and what is not established", async () => {
  const lost = {
    ...SIGNATURE,
    verdict: "invalid",
    level: null,
    timestamp: null,
    reason: "Le fichier conservé n’est pas celui qui a été signé.",
  };
  show(<SignaturesCard envelope={envelope} />, () => listOf([lost]));
  expect(await screen.findByText("Non valide")).toBeDefined();
  expect(screen.getByText("Le fichier conservé n’est pas celui qui a été signé.")).toBeDefined();
  expect([screen.getByText("Non établi"), screen.getByText("Aucun")]).toHaveLength(2);
});

test("« Signatures »: a failure is said, and asked again", async () => {
  let answer: ReturnType<typeof listOf> = {
    status: 503,
    body: { detail: "Service occupé.", code: "service_unavailable" } as never,
  };
  show(<SignaturesCard envelope={envelope} />, () => answer);
  expect(await screen.findByText("Service occupé.")).toBeDefined();
  answer = listOf([SIGNATURE]);
  await userEvent.click(screen.getByRole("button", { name: "Réessayer" }));
  expect(await screen.findByRole("listitem")).toBeDefined();
});

test("« Impressions »: each print with where its code stands, its page and its copy", async () => {
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

test("« Impressions » is not there without any, and offers no copy of a cancelled envelope", async () => {
  const made = {
    id: "p1",
    qr_type: "page",
    created_at: "2026-11-21T14:16:04.000Z",
    verify_url: "https://localhost:8443/verify/p1?sig=s1",
    printable_url: "x",
  };
  show(<PrintsCard envelope={{ ...envelope, status: "cancelled" }} />, () => listOf([made]));
  await screen.findByText("Sur chaque page");
  expect(screen.queryByRole("link", { name: /^Copie à imprimer/ })).toBeNull();
});

test("« Dossier de preuve » saves the file under the title's name, and says so", async () => {
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
  await userEvent.click(screen.getByRole("button", { name: "Dossier de preuve" }));
  await vi.waitFor(() => expect(saved).toEqual(["bail-dhabitation_dossier_de_preuve.pdf"]));
  expect(asked).toEqual(["/api/signature/envelopes/e1/evidence/"]);
  expect(currentToasts().map(({ message }) => message)).toEqual(["Dossier de preuve téléchargé"]);
  act(clearToasts);
});

test("« Dossier de preuve » that cannot be made says why, and is provisional while signatures are awaited", async () => {
  const refused = {
    detail: "Le service est momentanément indisponible.",
    code: "service_unavailable",
  };
  show(<ProofCard envelope={{ ...envelope, status: "pending" }} />, () => ({
    status: 503,
    body: refused,
  }));
  expect(screen.getByText(/le dossier établi maintenant est provisoire/)).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Dossier de preuve" }));
  await vi.waitFor(() =>
    expect(currentToasts()).toMatchObject([
      { message: "Le dossier de preuve n’a pas pu être établi", detail: refused.detail },
    ]),
  );
  act(clearToasts);
});
