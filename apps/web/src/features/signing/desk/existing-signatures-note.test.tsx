import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { ExistingSignaturesNote } from "./desk-pages.tsx";

const document = (name: string, findings: readonly { code: string; detail: string }[]) => ({
  id: name,
  name,
  size: 1,
  page_count: 1,
  sha256: "00",
  pages: [],
  order: 1,
  control: { result: "ok" as const, findings: [...findings], accepted: false },
});
const SIGNED = {
  code: "existing_signatures",
  detail: "Ce PDF porte déjà une signature, qui n’a pas été altérée. Elle est conservée.",
};
const ATTACHED = {
  code: "attachments",
  detail: "Ce PDF contient une pièce jointe, qui est conservée.",
};

it("says that the file already has a signature, and no other finding", () => {
  render(<ExistingSignaturesNote documents={[document("bail.pdf", [ATTACHED, SIGNED])]} />);
  expect(screen.getByRole("note", { name: "Documents déjà signés" }).textContent).toBe(
    SIGNED.detail,
  );
});

it("says that the file has a time-stamp alone", () => {
  const detail = "Ce PDF porte déjà un horodatage, qui n’a pas été altéré. Il est conservé.";
  render(
    <ExistingSignaturesNote
      documents={[document("bail.pdf", [{ code: "existing_timestamps", detail }])]}
    />,
  );
  expect(screen.getByRole("note", { name: "Documents déjà horodatés" }).textContent).toBe(detail);
});

it("says that existing signatures cannot be verified, not that there are none", () => {
  const detail = "Ce PDF porte déjà une signature qui ne peut pas être vérifiée ici.";
  render(
    <ExistingSignaturesNote
      documents={[document("bail.pdf", [{ code: "unverified_signatures", detail }])]}
    />,
  );
  expect(screen.getByRole("note", { name: "Documents déjà signés" }).textContent).toBe(detail);
});

it("names the document among several", () => {
  render(
    <ExistingSignaturesNote
      documents={[document("bail.pdf", []), document("avenant.pdf", [SIGNED])]}
    />,
  );
  expect(screen.getByRole("note").textContent).toBe(`avenant.pdf : ${SIGNED.detail}`);
});

it("shows no note for files that nobody signed", () => {
  render(<ExistingSignaturesNote documents={[document("bail.pdf", [ATTACHED])]} />);
  expect(screen.queryByRole("note")).toBeNull();
});
