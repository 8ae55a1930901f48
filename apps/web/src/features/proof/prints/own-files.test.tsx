import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { hashFile } from "../../../lib/browser/hash-file.ts";
import { HASH } from "./testing/sample-proof.ts";
import { placeNear, showProof } from "./testing/show-proof.tsx";

beforeEach(() => placeNear());

const bytes = new TextEncoder().encode("%PDF-1.7 signé");
const open = async () =>
  userEvent.click(await screen.findByRole("button", { name: /^Comparer avec m/ }));
const bring = async (label: string, files: readonly File[]) =>
  userEvent.upload(await screen.findByLabelText(label), [...files]);
it("compares the reader's files with each document, in the browser", async () => {
  const hash = await hashFile(new Blob([bytes]));
  const asked = vi.spyOn(globalThis, "fetch");
  showProof({
    documents: [
      { name: "bail.pdf", hash_sha256: hash, hash_md5: null, document_url: null, page_count: 2 },
      {
        name: "annexe.pdf",
        hash_sha256: HASH,
        hash_md5: null,
        document_url: null,
        page_count: 1,
      },
    ],
  });
  await open();
  await bring("Comparer avec mes fichiers", [
    new File([bytes], "mon bail.pdf"),
    new File(["%PDF /ByteRange"], "autre.pdf"),
  ]);
  await screen.findByText(
    "Empreinte identique : votre fichier est « bail.pdf », tel qu’il a été signé.",
  );
  await screen.findByText("Empreinte différente : votre fichier n’est pas celui qui a été signé.");
  // The rest of the page may call the service, but no request carries a file.
  expect(asked.mock.calls.filter(([, request]) => request?.body)).toEqual([]);
});
it("announces the comparison in a region that was there before, without moving the focus", async () => {
  showProof();
  await open();
  const region = await screen.findByRole("status", { name: "Comparaison" });
  const control = screen.getByRole("button", { name: "Choisir un fichier" });
  control.focus();
  await bring("Comparer avec mon fichier", [new File(["%PDF /ByteRange"], "autre.pdf")]);
  await vi.waitFor(() => expect(region.textContent).toContain("Empreinte différente"));
  expect(within(region).queryByRole("alert")).toBeNull();
});
it("says that a file without signature is unsigned, like a copy to print", async () => {
  showProof();
  await open();
  await bring("Comparer avec mon fichier", [new File(["%PDF-1.7 <</Title(Copie)>>"], "copie.pdf")]);
  await screen.findByText(/Il ne porte aucune signature électronique : une copie à imprimer/);
  await bring("Comparer avec mon fichier", [
    new File(["%PDF-1.7 /ByteRange[0 1 2 3]"], "autre.pdf"),
  ]);
  await screen.findByText("Empreinte différente : votre fichier n’est pas celui qui a été signé.");
});
it("says that a file cannot be read", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const gone = new File(["%PDF"], "parti.pdf");
  vi.spyOn(gone, "arrayBuffer").mockRejectedValue(new DOMException("gone", "NotFoundError"));
  showProof();
  await open();
  await bring("Comparer avec mon fichier", [gone]);
  await screen.findByText(/Ce fichier n’a pas pu être lu/);
});
it("shows the result of the last files given, however long the first take", async () => {
  const slow = new File(["%PDF lent"], "lent.pdf");
  let finish: (bytes: ArrayBuffer) => void = () => undefined;
  vi.spyOn(slow, "arrayBuffer").mockReturnValue(new Promise((resolve) => (finish = resolve)));
  showProof({
    documents: [
      {
        name: "bail.pdf",
        hash_sha256: await hashFile(new Blob([bytes])),
        hash_md5: null,
        document_url: null,
        page_count: 2,
      },
    ],
  });
  await open();
  await bring("Comparer avec mon fichier", [slow]);
  await bring("Comparer avec mon fichier", [new File([bytes], "mon bail.pdf")]);
  await screen.findByText(/Empreinte identique/);
  finish(new ArrayBuffer(4));
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect(screen.queryByText(/Empreinte différente/)).toBeNull();
});
