import type { Envelope } from "@paraphe/contracts";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { makeEnvelope } from "../prepare/testing/make-envelope.ts";
import { FactsCard } from "./facts-card.tsx";

const HASH = "ab".repeat(32);
const envelope = makeEnvelope();
const [document] = envelope.documents;
const completed = {
  ...envelope,
  status: "completed",
  completed_at: "2026-11-22T08:14:00Z",
  documents: [{ ...document, name: "Bail.pdf", sha256: HASH }],
} as Envelope;

test("a completed envelope gives each file's SHA-256, to copy", async () => {
  const user = userEvent.setup();
  render(<FactsCard envelope={completed} />);
  expect(screen.getByText(HASH)).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Copier SHA-256 de Bail.pdf" }));
  expect(await navigator.clipboard.readText()).toBe(HASH);
});

test.each([
  ["draft", true, "Preuve seule"],
  ["draft", false, "Document visible"],
  ["completed", true, "Preuve seule"],
] as const)("a %s says what the public page shows to its sender: proof only %s", (status, proofOnly, words) => {
  render(<FactsCard envelope={{ ...completed, status, proof_only: proofOnly }} />);
  expect(screen.getByText("Page publique").nextElementSibling?.textContent).toBe(words);
});

test("nobody else is told", () => {
  render(<FactsCard envelope={completed} />);
  expect(screen.queryByText("Page publique")).toBeNull();
});

test("an envelope that is not completed gives none: its files still change", () => {
  render(<FactsCard envelope={{ ...completed, status: "pending", completed_at: null }} />);
  expect(screen.queryByText(HASH)).toBeNull();
});
