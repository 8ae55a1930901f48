import { screen } from "@testing-library/react";
import { beforeAll, beforeEach, expect, it, vi } from "vitest";
import { HASH } from "./testing/sample-proof.ts";
import { placeNear, showProof, words } from "./testing/show-proof.tsx";

// Loaded and compiled here: within a test it takes longer than a query waits.
beforeAll(async () => {
  await import("@paraphe/proof");
}, 60_000);
beforeEach(() => placeNear());

it("says that the log does not cover the envelope yet", async () => {
  showProof();
  await screen.findByText(/Le journal public ne couvre pas encore cette enveloppe/);
});
it("shows an invalid inclusion proof in red", async () => {
  const checkpoint = {
    size: 2,
    root: HASH,
    at: "2026-11-22T08:59:00Z",
    key_id: "ab",
    signature: "a.b.c",
    timestamp: "AA==",
  };
  const entry = { envelope_id: "019aa000-0000-7000-8000-00000000abcd", sequence: 9, head: HASH };
  showProof({ inclusion: { leaf_index: 0, size: 2, path: [HASH], entry, checkpoint } });
  await screen.findByText("La preuve d’inclusion ne tient pas");
  expect(words()).not.toContain("Inclus ");
  await screen.findByText("Signature non valide");
  expect(words()).not.toContain("Signature valide");
});
it("says when the log covers only the beginning of the journal", async () => {
  const checkpoint = {
    size: 2,
    root: HASH,
    at: "2026-11-22T08:59:00Z",
    key_id: "ab",
    signature: "a.b.c",
    timestamp: "AA==",
  };
  const entry = { envelope_id: "019aa000-0000-7000-8000-00000000abcd", sequence: 3, head: HASH };
  const inclusion = { leaf_index: 0, size: 2, path: [HASH], entry, checkpoint };
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
