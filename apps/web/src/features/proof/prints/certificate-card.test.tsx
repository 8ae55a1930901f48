import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sampleProof } from "./testing/sample-proof.ts";
import { placeNear, showProof, words } from "./testing/show-proof.tsx";

const signature = (signer_name: string, serial_number: string) => ({
  signer_name,
  serial_number,
  verdict: "valid",
  reason: "La signature est valide.",
  level: "B-T",
  timestamp: { time: "2026-11-21T11:38:00Z", tsa: "Paraphe Horodatage" },
});
let asked: string[];

beforeEach(() => {
  placeNear();
  asked = [];
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
});
afterEach(() => vi.unstubAllGlobals());

/** The network alone is replaced. */
function answer(response: () => Response): void {
  vi.stubGlobal("fetch", async (address: string) => {
    asked.push(new URL(address).pathname);
    return response();
  });
}

test("shows every signer's certificate on request, once per act", async () => {
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

test("says why the service refuses the certificates, and asks again", async () => {
  answer(() =>
    Response.json({ detail: "Trop de demandes. Réessayez dans 30 s." }, { status: 429 }),
  );
  showProof();
  await userEvent.click(await screen.findByRole("button", { name: "Voir tous les certificats" }));
  await screen.findByText("Trop de demandes. Réessayez dans 30 s.");
  expect(screen.getByRole("button", { name: "Voir tous les certificats" })).toBeTruthy();
});

test("offers no list of certificates for one signer", async () => {
  showProof({ signers: sampleProof().signers.slice(0, 1) });
  await screen.findByText("Chaîne de certification");
  expect(screen.queryByRole("button", { name: "Voir tous les certificats" })).toBeNull();
});
