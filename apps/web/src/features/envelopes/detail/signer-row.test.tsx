import type { Delivery, Envelope, Recipient } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { SignersCard } from "./signers-card.tsx";
import { SigningProgress } from "../status-badge.tsx";
import { renderPart } from "../testing/page.tsx";

const invitation: Delivery = {
  id: "d1",
  kind: "invitation",
  channel: "email",
  destination: "zoe@exemple.fr",
  subject: null,
  state: "refused",
  created_at: "2026-11-21T10:00:00.000Z",
  ended_at: "2026-11-21T10:00:02.000Z",
  opened_at: null,
  tries: 1,
  server_answer: "550 5.1.1 User unknown",
  failure: { code: "unknown_address", detail: "adresse inconnue" },
};
const zoe: Recipient = {
  id: "r1",
  email: "zoe@exemple.fr",
  full_name: "Zoë Œuvrard",
  phone_number: null,
  role: "signer",
  order: 1,
  signed: false,
  signed_at: null,
  approved_at: null,
  viewed_at: null,
  status: "notified",
  decline_reason: null,
  deliveries: [invitation],
};
const envelope = (rest: Partial<Recipient> = {}, more: Partial<Envelope> = {}) =>
  ({
    id: "e1",
    status: "sent",
    is_owner: true,
    flow: "parallel",
    progress: { signed: 0, total: 1, percent: 0 },
    recipients: [{ ...zoe, ...rest }],
    ...more,
  }) as unknown as Envelope;

let calls: { method: string; url: string; body: unknown }[];
let answer: { status: number; body: unknown };

beforeEach(() => {
  act(clearToasts);
  calls = [];
  answer = { status: 200, body: envelope() };
  vi.stubGlobal(
    "fetch",
    async (url: string, { method, body }: { method: string; body?: string }) => {
      calls.push({ method, url, body: JSON.parse(body ?? "null") });
      return Response.json(answer.body, { status: answer.status });
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

function open(shown: Envelope) {
  renderPart(<SignersCard envelope={shown} />);
  return userEvent.setup();
}

test("a visa counts among the answers, on the lists and on the card", () => {
  const visa = { ...zoe, id: "r0", role: "visa", approved_at: "2026-11-21T10:00:00.000Z" } as const;
  const seen = envelope({}, { recipients: [{ ...visa, status: "approved" }, zoe] });
  renderPart(<SignersCard envelope={seen} />);
  renderPart(<SigningProgress envelope={seen} />);
  expect(screen.getByText("1 réponse sur 2")).toBeDefined();
  expect(screen.getByText("1/2")).toBeDefined();
  expect(screen.getAllByText(/^50\s%$/)).toHaveLength(2);
});

test("a refused message says why, with its remedies in plain sight", async () => {
  const user = open(envelope());
  expect(screen.getAllByText("Échec d’envoi : adresse inconnue").length).toBeGreaterThan(0);
  expect(screen.getByRole("button", { name: "Corriger l’adresse de Zoë Œuvrard" })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Renvoyer l’invitation à Zoë Œuvrard" }));
  expect(calls.at(-1)).toMatchObject({ method: "POST", body: { channel: "email" } });
  expect(calls.at(-1)?.url).toContain("/e1/recipients/r1/resend/");
  expect(currentToasts().at(-1)).toMatchObject({
    kind: "ok",
    message: "Invitation renvoyée à Zoë Œuvrard",
  });
});

test("a reminder does not replace the invitation: both times are shown", () => {
  const sent = { ...invitation, state: "sent", server_answer: null, failure: null } as const;
  const reminder = {
    ...sent,
    id: "d2",
    kind: "reminder",
    ended_at: "2026-11-21T10:14:00.000Z",
  } as const;
  open(envelope({ deliveries: [reminder, sent] }));
  expect(screen.getByText("Envoyé le 21 nov. 2026 à 11 h 00")).toBeTruthy();
  expect(screen.getByText("Rappel le 21 nov. 2026 à 11 h 14")).toBeTruthy();
});

test("the correction warns of the old link's end, keeps a refused address, and closes when saved", async () => {
  const user = open(envelope());
  await user.click(screen.getByRole("button", { name: "Corriger l’adresse de Zoë Œuvrard" }));
  await screen.findByText(/Le lien envoyé à l’ancienne adresse ne fonctionnera plus/);
  const email = await screen.findByRole<HTMLInputElement>("textbox", { name: "Email" });
  await user.clear(email);
  await user.type(email, "zoé");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await screen.findByText("Email invalide");
  expect(calls.map(({ method }) => method)).not.toContain("PATCH");

  answer = {
    status: 400,
    body: {
      code: "validation",
      detail: "x",
      errors: { email: ["Cette personne figure déjà parmi les destinataires"] },
    },
  };
  await user.clear(email);
  await user.type(email, "zoe.oeuvrard@exemple.fr");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await screen.findByText("Cette personne figure déjà parmi les destinataires");
  expect(email.value).toBe("zoe.oeuvrard@exemple.fr");

  answer = { status: 200, body: envelope() };
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(calls.at(-1)).toMatchObject({
    method: "PATCH",
    body: { email: "zoe.oeuvrard@exemple.fr" },
  });
  expect(currentToasts().at(-1)).toMatchObject({
    kind: "ok",
    message: "Adresse de Zoë Œuvrard corrigée",
  });
});

/** Shows a cached envelope, which the answer of a call changes. */
function KeptCard({ first }: { readonly first: Envelope }) {
  const { data } = useQuery({
    queryKey: ["envelopes", "detail", "e1"],
    queryFn: async () => first,
    initialData: first,
    staleTime: Infinity,
  });
  return <SignersCard envelope={data} />;
}
const onItsWay = envelope({
  email: "zoe.oeuvrard@exemple.fr",
  deliveries: [{ ...invitation, state: "queued", tries: 0, failure: null }],
});
const openKept = () => {
  renderPart(<KeptCard first={envelope()} />);
  return userEvent.setup();
};

test("a recipient whom no message reached is not shown as sent a link", () => {
  renderPart(<KeptCard first={envelope({ status: "unreached" })} />);
  expect(screen.getByText("Pas encore prévenu")).toBeTruthy();
  expect(screen.getAllByText(/^Échec d’envoi\s:\sadresse inconnue$/).length).toBeGreaterThan(0);
  expect(screen.queryByText(/^(Lien e|E)nvoyé/)).toBeNull();
});

test("the focus stays in the row when « Renvoyer l’invitation » disappears after its press", async () => {
  const user = openKept();
  answer = { status: 200, body: onItsWay };
  await user.click(screen.getByRole("button", { name: "Renvoyer l’invitation à Zoë Œuvrard" }));
  await vi.waitFor(() =>
    expect(
      screen.queryByRole("button", { name: "Renvoyer l’invitation à Zoë Œuvrard" }),
    ).toBeNull(),
  );
  await vi.waitFor(() =>
    expect(document.activeElement).toBe(screen.getByText("Zoë Œuvrard").closest("li")),
  );
});

test("the focus stays in the row when « Corriger » disappears after the correction", async () => {
  const user = openKept();
  await user.click(screen.getByRole("button", { name: "Corriger l’adresse de Zoë Œuvrard" }));
  const email = await screen.findByRole<HTMLInputElement>("textbox", { name: "Email" });
  await user.clear(email);
  await user.type(email, "zoe.oeuvrard@exemple.fr");
  answer = { status: 200, body: onItsWay };
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await vi.waitFor(() =>
    expect(document.activeElement).toBe(screen.getByText("Zoë Œuvrard").closest("li")),
  );
});

test("without a failure the actions are in a menu, with SMS only for a known number", async () => {
  const user = open(
    envelope({
      phone_number: "+33612345678",
      deliveries: [{ ...invitation, state: "sent", failure: null }],
    }),
  );
  expect(screen.queryByText(/Échec/)).toBeNull();
  expect(screen.getAllByText("Envoyé le 21 nov. 2026 à 11 h 00").length).toBeGreaterThan(0);
  await user.click(screen.getByRole("button", { name: "Actions pour Zoë Œuvrard" }));
  expect(screen.getAllByRole("menuitem").map((item) => item.textContent)).toEqual([
    "Renvoyer l’invitation par email",
    "Renvoyer l’invitation par SMS",
    "Corriger l’adresse",
  ]);
  answer = {
    status: 400,
    body: {
      code: "validation",
      detail: "x",
      errors: { channel: ["Aucun numéro de téléphone n’est connu pour cet envoi."] },
    },
  };
  await user.click(screen.getByRole("menuitem", { name: "Renvoyer l’invitation par SMS" }));
  await vi.waitFor(() =>
    expect(currentToasts().at(-1)).toMatchObject({
      kind: "err",
      message: "Aucun numéro de téléphone n’est connu pour cet envoi.",
    }),
  );
});

test.each([
  ["who has signed", envelope({ status: "signed", signed: true })],
  ["of a closed envelope", envelope({}, { status: "expired" })],
  ["of somebody else's envelope", envelope({ deliveries: undefined }, { is_owner: false })],
] as const)("a recipient %s has no action", (_, shown) => {
  open(shown as Envelope);
  expect(screen.queryByRole("button")).toBeNull();
});

test("a step fixed by the circuit offers its telephone number alone to correct", async () => {
  const circuit = { name: "Arrêtés", imposed: true, open: [2] };
  const user = open(envelope({}, { circuit }));
  expect(screen.queryByRole("button", { name: /Corriger l’adresse/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Corriger le téléphone de Zoë Œuvrard" }));
  await screen.findByText("Le circuit de l’organisation fixe le nom et l’adresse.");
  expect(screen.queryByLabelText("Email")).toBeNull();
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^Téléphone/)));
});
