import type { Proof } from "@paraphe/contracts";
import { signStatement, type Statement } from "@paraphe/proof";
import { render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { ProofView } from "./proof-view.tsx";
import { HASH, PURGED, sampleProof, WAITING } from "./testing/sample-proof.ts";
import { placeNear, showProof, words } from "./testing/show-proof.tsx";

beforeEach(() => placeNear());

const UUID = "019aa000-0000-7000-8000-00000000abcd";
const hashPrefix = Uint8Array.from(
  (HASH.slice(0, 32).match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)),
);
const sealed = async (change: Partial<Statement> = {}) => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    true,
    ["sign", "verify"],
  );
  const subjectPublicKey = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
  const sign = async (data: Uint8Array) =>
    new Uint8Array(
      await crypto.subtle.sign(
        { name: "ECDSA", hash: "SHA-256" },
        privateKey,
        data as BufferSource,
      ),
    );
  const statement = {
    printId: UUID,
    pageNumber: 2,
    pageCount: 3,
    hashPrefix,
    madeOn: "2026-11-22",
    ...change,
  };
  return {
    fragment: await signStatement(statement, { subjectPublicKey, sign }),
    keys: [btoa(String.fromCharCode(...subjectPublicKey))],
  };
};

/** Opens the proof by the code of a printed page. */
async function scan(
  change: Partial<Statement> = {},
  part: Partial<Proof> = {},
  cut = (fragment: string) => fragment,
) {
  const { fragment, keys } = await sealed(change);
  showProof({ statement_keys: keys, ...part }, { uuid: UUID, fragment: cut(fragment) });
}
const seal = () => document.querySelector('[class*="seal"]')?.className;
const verdict = () => document.querySelector("[data-verdict]");

it("names a printed page by its code, and offers it large", async () => {
  await scan();
  await screen.findByText("Vous tenez la page 2 sur 3");
  expect(words()).toContain(
    "La copie a été faite le 22 novembre 2026, et son code est signé par le service.",
  );
  expect(screen.queryByLabelText("Page")).toBeNull();
  expect(screen.getByRole("button", { name: "Voir cette page en grand" })).toBeTruthy();
});
it("shows the code of another print in red", async () => {
  await scan({ printId: UUID.replace("abcd", "abce") });
  await screen.findByText("Ce code n’est pas celui de ce document");
  expect(screen.queryByRole("button", { name: "Voir cette page en grand" })).toBeNull();
  // Somebody who scanned that paper first reads about it, and sees nothing green.
  expect(words()).not.toMatch(/Signature valide|Terminé/);
  expect(seal()).toMatch(/failed/);
  expect(verdict()?.textContent).toContain("Ne vous fiez pas à ce papier.");
});
it("refuses in red a page code that was changed or signed by another key", async () => {
  const [{ fragment }, { keys }] = [await sealed(), await sealed()];
  showProof({ statement_keys: keys }, { uuid: UUID, fragment });
  await screen.findByText("Ce code n’est pas celui de ce document");
});
it("never shows green for a code signed by a revoked key", async () => {
  const { fragment, keys } = await sealed();
  showProof({ statement_keys: [], revoked_statement_keys: keys }, { uuid: UUID, fragment });
  await screen.findByText("Ce code ne prouve rien");
  expect(words()).not.toMatch(/Signature valide|Terminé/);
  expect(words()).toContain("La clé du service qui l’a signé a été révoquée depuis.");
  expect(seal()).not.toMatch(/valid/);
  // The page still leads to the comparison with the paper.
  await screen.findByLabelText("Page");
});
it("says that a printed page is of an earlier version of the file", async () => {
  await scan({ hashPrefix: new Uint8Array(16) });
  await screen.findByText("Vous tenez la page 2 sur 3, d’une autre version");
  // This comes first, and is not green.
  expect(words()).toContain(
    "Votre page est d’une autre versionElle a été imprimée le 22 novembre 2026, d’un état du document qui n’est plus le dernier",
  );
  expect(words()).toContain("Le document signé, lui, est valide");
  expect(words()).not.toContain("Signature valide");
  expect(verdict()?.getAttribute("data-verdict")).toBe("indeterminate");
  expect(seal()).not.toMatch(/valid/);
});
it.each<[string, Partial<Proof>, string]>([
  ["is still waiting", WAITING, "une signature est encore attendue"],
  ["was deleted", PURGED, "Le propriétaire a supprimé ce document."],
  [
    "is not valid",
    { verdict: "invalid", reason: "Le document a été modifié." },
    "Signature non valideLe document a été modifié.",
  ],
])(
  "hides nothing of a file that %s, on a page of an earlier version",
  async (_what, proof, said) => {
    await scan({ hashPrefix: new Uint8Array(16) }, proof);
    if (proof.verdict !== "invalid") await screen.findByText("Votre page est d’une autre version");
    await vi.waitFor(() => expect(words()).toContain(said));
    expect(words().match(/a supprimé ce document/g) ?? []).toHaveLength(
      proof.purged === true ? 1 : 0,
    );
    expect(words()).not.toMatch(/Signature valide|lui, est valide/);
  },
);
it("lets the reader choose the page where there is no code", async () => {
  showProof();
  await screen.findByLabelText("Page");
  expect(words()).toContain("scannez celui de votre page, ou choisissez-la ci-dessous");
  expect(screen.getAllByRole("option").map((option) => option.textContent)).toEqual([
    "Page 1 sur 3",
    "Page 2 sur 3",
    "Page 3 sur 3",
  ]);
});
it("does not compare a page whose document is not shown here", async () => {
  const documents = sampleProof().documents.map((document) => ({
    ...document,
    document_url: null,
  }));
  await scan({}, { proof_only: true, document_url: null, documents });
  await screen.findByText("Vous tenez la page 2 sur 3");
  expect(words()).toContain("rien ne dit que votre papier porte les mêmes mots");
  expect(words()).not.toContain("Comparez mot à mot");
});
it.each(["toto", "AQIDBA", "cut"])(
  "treats an address ending in #%s as no whole code: neither green nor forged",
  async (end) => {
    await scan({}, {}, (fragment) => (end === "cut" ? fragment.slice(0, -20) : end));
    await screen.findByText("Le code de votre page est incomplet");
    expect(verdict()?.getAttribute("data-verdict")).toBe("indeterminate");
    expect(seal()).not.toMatch(/valid/);
    expect(words()).toContain("Scannez à nouveau le code imprimé");
    expect(words()).not.toMatch(/Signature valide|Terminé|falsifié/);
    expect(screen.queryByLabelText("Page")).toBeNull();
  },
);
it("is not green before the page's code is verified", async () => {
  const { fragment, keys } = await sealed();
  const said: string[] = [];
  render(
    <ProofView
      uuid={UUID}
      sig="s"
      proof={sampleProof({ statement_keys: keys })}
      fragment={fragment}
      onSaid={(sentence) => said.push(sentence)}
    />,
  );
  expect(words()).not.toContain("Signature valide");
  await screen.findByText("Signature valide");
  await vi.waitFor(() =>
    expect(said).toEqual([
      "Contrôle en cours — Le code de votre page est en train d’être vérifié.",
      "Signature valide — Toutes les signatures sont valides.",
    ]),
  );
});
