import { screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, it } from "vitest";
import { makeEnvelope, makeRecipient } from "../prepare/testing/make-envelope.ts";
import { renderPart } from "../testing/page.tsx";
import { CircuitCard } from "./circuit-card.tsx";

it("a step says who gave it away and to whom it was sent back; a copy says when it was received", () => {
  const at = "2026-11-28T15:00:00.000Z";
  const recipients = [
    makeRecipient({ id: "r1", full_name: "Zoé Petit", role: "visa", given_by: "Léo Marchand" }),
    makeRecipient({
      id: "r2",
      full_name: "Hélène Guérin",
      order: 2,
      sent_back: {
        to: ["Zoé Petit"],
        at,
        reason: "L’article 3 est à revoir",
        delegate_name: "Alain Roy",
      },
    }),
    makeRecipient({ id: "r3", role: "viewer", order: 3, status: "notified" }),
    makeRecipient({ id: "r4", role: "viewer", order: 4 }),
  ];
  const envelope = makeEnvelope({ status: "completed", completed_at: at, recipients });
  renderPart(
    <MemoryRouter>
      <CircuitCard envelope={envelope} />
    </MemoryRouter>,
  );
  screen.getByRole("heading", { name: "Étapes" });
  const [prepared, ...steps] = screen
    .getAllByRole("listitem")
    .map(({ textContent }) => textContent);
  expect(prepared).toBe("PréparationPaul MartinPréparée");
  expect(steps[0]).toContain("Étape confiée par Léo Marchand");
  expect(steps[1]).toMatch(
    /Renvoyé à Zoé Petit le .* par Alain Roy, par délégation\u00a0: «\u00a0L’article 3 est à revoir\u00a0»/,
  );
  expect(steps[2]).toContain("Reçue le 28\u00a0nov.");
  expect(steps[3]).toContain("Copie à l’achèvement");
});

it.each(["declined", "expired", "cancelled"] as const)("a %s envelope sends no copy", (status) => {
  const recipients = [makeRecipient({ role: "viewer" })];
  renderPart(
    <MemoryRouter>
      <CircuitCard envelope={makeEnvelope({ status, recipients })} />
    </MemoryRouter>,
  );
  expect(screen.getAllByRole("listitem").at(-1)?.textContent).toContain("Aucune copie");
});

it("names who sent the document again, not who made it", () => {
  renderPart(
    <MemoryRouter>
      <CircuitCard envelope={makeEnvelope({ resent_by: "Awa Diop" })} />
    </MemoryRouter>,
  );
  expect(screen.getByText("Préparation").nextSibling?.textContent).toBe("Awa Diop");
});

it("a returned draft quotes the reason and names who corrects it", () => {
  const back = { at: "2026-11-28T15:00:00.000Z", reason: "L’année" };
  const recipients = [
    makeRecipient({
      id: "r1",
      full_name: "Zoé Petit",
      role: "visa",
      sent_back: { ...back, to: ["Camille Roux"] },
    }),
  ];
  const returned = { ...back, by: "Zoé Petit", corrected_by: "Awa Diop" };
  renderPart(
    <MemoryRouter>
      <CircuitCard envelope={makeEnvelope({ returned, recipients })} />
    </MemoryRouter>,
  );
  screen.getByText("Revenu à la préparation");
  expect(screen.getByRole("blockquote").textContent).toBe("«\u00a0L’année\u00a0»");
  const [preparation, visa] = screen.getAllByRole("listitem");
  expect(preparation?.getAttribute("aria-current")).toBe("step");
  expect(preparation?.textContent).toBe("PréparationAwa DiopÀ corriger");
  expect(visa?.textContent).toContain("Attend la correction");
});
