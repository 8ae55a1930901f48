import type { QueryClient } from "@tanstack/react-query";
import { act, screen, within } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { makeDocument, makeEnvelope, makeRecipient } from "../prepare/testing/make-envelope.ts";
import { DetailPage } from "./detail-page.tsx";
import { newClient, offer, pressFound, renderPart, toasts } from "../testing/page.tsx";

const cancelled = {
  ...makeEnvelope(),
  status: "cancelled" as const,
  title: "Bail commercial",
  is_owner: true,
};
let client: QueryClient;
let answer: { status: number; body: unknown };

beforeEach(() => {
  act(clearToasts);
  client = newClient();
  answer = { status: 200, body: cancelled };
  vi.stubGlobal("fetch", async (url: string) =>
    new URL(url).pathname.includes("/events/")
      ? Response.json({
          count: 0,
          page: 1,
          page_size: 20,
          results: [],
          chain: { ok: true, count: 0, head: null, broken_at: null },
        })
      : Response.json(answer.body, { status: answer.status }),
  );
  renderPart(
    <MemoryRouter initialEntries={[`/signature/detail/${cancelled.id}`]}>
      <Routes>
        <Route path="/signature/detail/:id" element={<DetailPage />} />
      </Routes>
    </MemoryRouter>,
    client,
  );
});
afterEach(() => vi.unstubAllGlobals());

const unsent = {
  id: "m1",
  kind: "invitation",
  channel: "email",
  destination: "zoe@exemple.fr",
  state: "refused",
  created_at: "2026-11-21T10:00:00.000Z",
  ended_at: "2026-11-21T10:00:00.000Z",
  opened_at: null,
  tries: 0,
  server_answer: null,
  failure: { code: "mail_off", detail: "ce service n’envoie pas d’email" },
};
const readAgain = () => act(() => client.invalidateQueries({ queryKey: ["envelopes", "detail"] }));

test("an envelope purged elsewhere says so and offers nothing that would be refused", async () => {
  await screen.findByRole("button", { name: "Restaurer" });
  answer = { status: 404, body: { status: 404, code: "not_found" } };
  await readAgain();
  await screen.findByText("Cette enveloppe n’est plus ouverte ici.");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Bail commercial");
  expect(screen.queryByRole("button", { name: "Restaurer" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Purger" })).toBeNull();
  expect(currentToasts()).toEqual([]);
});

test("the history stands between the envelope's facts and the proof", async () => {
  await screen.findByRole("button", { name: "Restaurer" });
  answer = { status: 200, body: { ...cancelled, sent_at: "2026-11-21T10:00:00.000Z" } };
  await readAgain();
  const side = await screen.findByRole("complementary", { name: "Informations sur l’enveloppe" });
  await within(side).findByRole("heading", { name: "Preuve" });
  expect(
    within(side)
      .getAllByRole("heading", { level: 2 })
      .map(({ textContent }) => textContent),
  ).toEqual(["Enveloppe", "Historique", "Preuve"]);
});

test("without mail nothing reads as sent, and the sender gets the address to pass on", async () => {
  act(() => offer({ mail: false }));
  try {
    await screen.findByRole("button", { name: "Restaurer" });
    const recipients = [
      {
        ...makeRecipient({ status: "unreached", phone_number: "+33612345678" }),
        deliveries: [unsent],
      },
    ];
    const reminders = { every_days: 3, business_days: true, next_at: null };
    const sent_at = "2026-11-21T10:00:00.000Z";
    answer = {
      status: 200,
      body: {
        ...cancelled,
        status: "sent",
        cancelled_at: null,
        sent_at,
        reached: false,
        recipients,
        reminders,
      },
    };
    await readAgain();
    await screen.findByText(/^Ouvert à la signature le 21 novembre 2026/);
    expect(screen.getByText("Pas encore prévenu")).toBeDefined();
    expect(screen.getAllByText("Échec d’envoi : ce service n’envoie pas d’email")).not.toEqual([]);
    expect(screen.getByText("Adresse à transmettre")).toBeDefined();
    expect(
      screen.getByText(`${window.location.origin}/signature/sign/${cancelled.id}`),
    ).toBeDefined();
    expect(
      screen.getByText("Ce service n’envoie pas d’email : aucun rappel ne part."),
    ).toBeDefined();
    // This service sends texts, not mail.
    expect(screen.getByRole("button", { name: /^Envoyer l’invitation par SMS/ })).toBeDefined();
    expect(screen.queryByRole("button", { name: /^(Envoyer un rappel|Renvoyer)/ })).toBeNull();
    expect(document.body.textContent).not.toMatch(
      /(messages|lien) envoyés?|Envoyé le|Enveloppe envoyée|Réponse du serveur|Prochain rappel/i,
    );
  } finally {
    act(() => offer({ mail: true }));
  }
});

test("a question about an envelope restored elsewhere closes and says why", async () => {
  await pressFound("Purger");
  expect(screen.getByRole("alertdialog")).toBeDefined();
  answer = { status: 200, body: { ...cancelled, status: "sent" } };
  await readAgain();
  await vi.waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(toasts()).toEqual([
    "Cette enveloppe vient de changer ailleurs\u00a0: rien n’a été fait d’ici.",
  ]);
});

const BACK = {
  status: 409,
  body: {
    code: "not_your_turn",
    detail: "Vous pourrez répondre une fois le document corrigé par Inès Bollore.",
    sent_back: "Renvoyé à Inès Bollore",
    document_title: "Bail commercial",
    reason: "Il manque l’année",
  },
};

test("a refused download of a returned document shows that it was sent back", async () => {
  await screen.findByRole("heading", { name: "Bail commercial" });
  const documents = [makeDocument()];
  answer = { status: 200, body: { ...cancelled, status: "sent", is_owner: false, documents } };
  await readAgain();
  const press = await screen.findByRole("button", { name: "Télécharger" });
  answer = BACK;
  act(() => press.click());
  expect(await screen.findByText("Renvoyé à Inès Bollore")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Télécharger" })).toBeNull();
});

test("whoever was asked reads that the sender corrects the document, and why", async () => {
  await screen.findByRole("heading", { name: "Bail commercial" });
  act(clearToasts);
  answer = BACK;
  await readAgain();
  expect(await screen.findByText("Renvoyé à Inès Bollore")).toBeDefined();
  expect(screen.getByText("« Il manque l’année »")).toBeDefined();
  expect(screen.getByRole("link", { name: "Tableau de bord" })).toBeDefined();
  expect(screen.getByText(/corrigé par Inès Bollore/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Restaurer" })).toBeNull();
  expect(toasts()).toEqual([]);
});
