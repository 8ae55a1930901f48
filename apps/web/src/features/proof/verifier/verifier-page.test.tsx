import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { OfflineReport } from "@paraphe/proof";
import { sampleProof } from "../prints/testing/sample-proof.ts";
import { ResultView } from "./result-view.tsx";
import { MAX_FILE_BYTES, VerifierPage, takeFiles } from "./verifier-page.tsx";

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test("names an unsupported file, and lists the trust files with a way to remove them", async () => {
  render(<VerifierPage fragment="" isFile={false} />);
  const drop = screen.getByLabelText("Déposez votre fichier ici");
  await userEvent.upload(drop, new File(["PK"], "devis.docx"), { applyAccept: false });
  const said = await screen.findByRole("alert");
  expect(said.textContent).toContain("Fichier non reconnu");
  expect(said.textContent?.replaceAll("\u00a0", " ")).toContain(
    "« devis.docx » n’est ni un PDF, ni un preuve.json, ni une photo. Rien n’a été vérifié.",
  );
  await userEvent.click(screen.getByText("Aller plus loin"));
  await userEvent.upload(
    screen.getByLabelText(/^Racine/),
    new File(["-----BEGIN CERTIFICATE-----"], "ca.pem"),
  );
  const given = await screen.findByRole("list", { name: "Fichiers donnés" });
  expect(screen.queryByRole("alert")).toBeNull();
  // No file is checked yet, and the box is still there.
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(
    "Vérifier une preuve sur votre appareil",
  );
  await userEvent.click(within(given).getByRole("button", { name: "Retirer ca.pem" }));
  expect(screen.queryByRole("list", { name: "Fichiers donnés" })).toBeNull();
});

test("says that this device cannot verify, and shows the box still", async () => {
  // The page has no worker in this test.
  render(<VerifierPage fragment="" isFile />);
  await userEvent.upload(
    screen.getByLabelText("Déposez votre fichier ici"),
    new File(["%PDF-1.7"], "contrat.pdf"),
  );
  await screen.findByText("La vérification n’a pas pu se faire sur cet appareil.");
  expect(screen.getByRole("button", { name: "Choisir un fichier" })).toBeDefined();
});

test.each([
  ["indeterminate", "", "Choisir un fichier"],
  ["indeterminate", "https://paraphe.exemple.fr/verify/1#a", "Voir l’original"],
  ["valid", "", "Vérifier un autre fichier"],
  ["invalid", "https://paraphe.exemple.fr/verify/1#a", "Vérifier un autre fichier"],
] as const)(
  "a result that is %s (address: %s) has one primary action, %s",
  (verdict, address, name) => {
    const { container } = render(
      <ResultView
        words={{ verdict, reason: "Une raison.", blocks: [] }}
        report={{
          verdict,
          summary: "",
          checks: [],
          roots: [],
          limits: [],
          proof: null,
          stated: [],
        }}
        files={[]}
        address={address}
        onFiles={() => {}}
        onAgain={() => {}}
      />,
    );
    const primary = [...container.querySelectorAll("[class*='primary']")];
    expect(primary.map(({ textContent }) => textContent)).toEqual([name]);
  },
);

test("an unknown or annulled file is not said to be signed by the proof's signers", () => {
  const shown = (state: "ok" | "failed") => {
    const checks = (["root", "file"] as const).map((name) => ({
      name,
      state: name === "file" ? state : ("ok" as const),
      subject: "ancien.pdf",
      sentence: "Une phrase.",
    }));
    const verdict = state === "ok" ? "valid" : "invalid";
    const { container, unmount } = render(
      <ResultView
        words={{ verdict, reason: "Une raison.", blocks: [] }}
        report={{
          verdict,
          summary: "",
          checks,
          roots: [],
          limits: [],
          proof: sampleProof() as unknown as NonNullable<OfflineReport["proof"]>,
          stated: [],
        }}
        files={[{ kind: "pdf", name: "ancien.pdf", bytes: new Uint8Array() }]}
        address=""
        onFiles={() => {}}
        onAgain={() => {}}
      />,
    );
    const text = container.querySelector("dl")?.textContent ?? "";
    unmount();
    return text;
  };
  const [{ title }, name] = [sampleProof(), sampleProof().signers[0]?.full_name ?? ""];
  expect(name).not.toBe("");
  for (const word of [name, title, "igné par"]) {
    expect(shown("ok")).toContain(word);
    expect(shown("failed")).not.toContain(word);
  }
  expect(shown("failed")).toContain("ancien.pdf");
});

test("names unreadable and oversized files, and takes the others", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const gone = new File(["%PDF-1.7"], "parti.pdf");
  vi.spyOn(gone, "arrayBuffer").mockRejectedValue(new DOMException("gone", "NotFoundError"));
  const large = new File(["%PDF-1.7"], "énorme.pdf");
  vi.spyOn(large, "size", "get").mockReturnValue(MAX_FILE_BYTES + 1);
  const photo = (name: string) => new File([Uint8Array.of(0xff, 0xd8, 0xff), name], name);
  const given = [
    gone,
    large,
    new File(["%PDF-1.7"], "contrat.pdf"),
    new File(["%PDF-1.7 preuve.json"], "dossier.pdf"),
    new File(["GIF89a"], "logo.gif"),
    photo("nette.jpg"),
    photo("floue.jpg"),
  ];
  const has = (bytes: Uint8Array, word: string) => new TextDecoder().decode(bytes).includes(word);
  const taken = await takeFiles(given, {
    readCode: async (bytes) => (has(bytes, "nette") ? "https://exemple.fr/#a" : null),
    isEvidence: async (bytes) => has(bytes, "preuve.json"),
  });
  expect(taken.files.map(({ kind, name }) => [kind, name])).toEqual([
    ["pdf", "contrat.pdf"],
    ["evidence", "dossier.pdf"],
    ["photo", "nette.jpg"],
  ]);
  expect(taken.unknown).toEqual(["logo.gif"]);
  expect([taken.code, taken.blurred]).toEqual(["https://exemple.fr/#a", ["floue.jpg"]]);
  expect(taken.unread).toEqual(["parti.pdf", "énorme.pdf"]);
});
