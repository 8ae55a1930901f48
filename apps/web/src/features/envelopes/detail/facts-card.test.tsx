import type { Envelope } from "@paraphe/contracts";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { makeEnvelope, makeRecipient } from "../prepare/testing/make-envelope.ts";
import { FactsCard } from "./facts-card.tsx";
import { renderPart } from "../testing/page.tsx";

const envelope = makeEnvelope();
const completed = {
  ...envelope,
  status: "completed",
  completed_at: "2026-11-22T08:14:00Z",
} as Envelope;

test.each([
  ["draft", true, "Document non montré"],
  ["draft", false, "Document visible"],
  ["completed", true, "Document non montré"],
] as const)(
  "the sender of a %s reads what the public page shows: proof only %s",
  (status, proofOnly, words) => {
    render(<FactsCard envelope={{ ...completed, status, proof_only: proofOnly }} />);
    expect(screen.getByText("Page publique").nextElementSibling?.textContent).toBe(words);
  },
);

test("only the sender reads what the public page shows", () => {
  render(<FactsCard envelope={completed} />);
  expect(screen.queryByText("Page publique")).toBeNull();
});

test("the sheet lists the messages, newest first, with the server's answer to a failed one", async () => {
  const user = userEvent.setup();
  const delivery = {
    id: "d1",
    kind: "invitation",
    channel: "email",
    destination: "zoe@exemple.fr",
    subject: null,
    state: "refused",
    opened_at: null,
    tries: 1,
  };
  const failed = {
    ...delivery,
    subject: "Document renvoyé\u00a0: Bail",
    created_at: "2026-11-21T10:00:00Z",
    ended_at: "2026-11-21T10:00:02Z",
    server_answer: "550 5.1.1 User unknown",
  };
  const person = makeRecipient({ full_name: "Zoë Œuvrard" });
  const later = {
    ...failed,
    id: "d2",
    kind: "reminder",
    subject: null,
    state: "sent",
    created_at: "2026-11-22T10:00:00Z",
    ended_at: "2026-11-22T10:00:02Z",
  };
  const toDelegate = {
    ...later,
    id: "d3",
    kind: "invitation",
    destination: "m•••@exemple.fr",
    created_at: "2026-11-20T10:00:00Z",
  };
  render(
    <FactsCard
      envelope={
        {
          ...completed,
          recipients: [
            { ...person, role: "signer", deliveries: [failed] },
            { ...person, role: "signer", deliveries: [later], delegate_deliveries: [toDelegate] },
          ],
          former_deliveries: [
            {
              ...later,
              id: "d4",
              destination: "luc@exemple.fr",
              created_at: "2026-11-19T10:00:00Z",
            },
          ],
        } as Envelope
      }
    />,
  );
  expect(screen.queryByText(/User unknown/)).toBeNull();
  await user.click(screen.getByRole("button", { name: "Messages envoyés 4" }));
  const sheet = await screen.findByRole("dialog", { name: "Messages envoyés" });
  expect(sheet.textContent).toContain("4 messages, dont 1 non remis");
  expect(
    [...sheet.querySelectorAll("li b")].map((name) => name.textContent?.split(" ")[0]),
  ).toEqual(["Rappel", "Invitation", "Invitation", "Rappel"]);
  expect(within(sheet).getByText("Rappel à luc@exemple.fr")).toBeDefined();
  expect(within(sheet).getByText("Invitation au délégué de Zoë Œuvrard")).toBeDefined();
  expect(screen.getByText("550 5.1.1 User unknown")).toBeDefined();
  expect(screen.getByText("Non remis")).toBeDefined();
  expect(
    [...sheet.querySelectorAll("li p:first-of-type")].map((subject) => subject.textContent),
  ).toEqual([
    "zoe@exemple.fr",
    "Objet\u00a0: Document renvoyé\u00a0: Bail",
    "m•••@exemple.fr",
    "luc@exemple.fr",
  ]);
  // A completed envelope needs no reminder and no correction.
  expect(within(sheet).getAllByRole("button")).toHaveLength(1);
});

test("the sheet lets the sender correct a failed address and remind the awaited recipient", async () => {
  const user = userEvent.setup();
  const failed = {
    id: "d1",
    kind: "invitation",
    channel: "email",
    destination: "zoe@exemple.fr",
    subject: "Document renvoyé\u00a0: Bail",
    state: "refused",
    created_at: "2026-11-21T10:00:00Z",
    ended_at: "2026-11-21T10:00:02Z",
    opened_at: null,
    tries: 1,
    server_answer: "550",
    failure: { code: "unknown_address", detail: "adresse inconnue" },
  } as const;
  const zoe = makeRecipient({ full_name: "Zoë Œuvrard", status: "notified", deliveries: [failed] });
  renderPart(<FactsCard envelope={makeEnvelope({ status: "sent", recipients: [zoe] })} />);
  await user.click(screen.getByRole("button", { name: "Messages envoyés 1" }));
  await screen.findByRole("button", { name: "Envoyer un rappel à Zoë Œuvrard" });
  expect(screen.getByText(/Document renvoyé/)).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Corriger l’adresse de Zoë Œuvrard" }));
  await screen.findByRole("dialog", { name: "Corriger l’adresse" });
  expect(screen.queryByRole("dialog", { name: "Messages envoyés" })).toBeNull();
});
