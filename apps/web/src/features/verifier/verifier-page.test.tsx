import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { VerifierPage } from "./verifier-page.tsx";

test("a PDF alone lacks its proof, and one without a signature is no signed file: both are said", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => {}, removeEventListener: () => {} }));
  render(<VerifierPage fragment="" isFile={false} />);
  const drop = screen.getByLabelText(/^Déposez preuve\.json/);
  await userEvent.upload(drop, new File(["%PDF-1.7 /ByteRange[0 1 2 3]"], "contrat.pdf"));
  await screen.findByText("Il manque la preuve (preuve.json)");
  expect(screen.queryByText("Sans signature électronique")).toBeNull();
  await userEvent.upload(drop, new File(["%PDF-1.7 copie"], "copie.pdf"));
  await screen.findByText("Sans signature électronique");
  expect(document.body.textContent).toContain("copie.pdf\u00a0: une copie à imprimer");
  vi.unstubAllGlobals();
});
