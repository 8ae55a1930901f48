import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { COLOUR_RULES, lookAt, lookTwice } from "../support/look-at.ts";
import { takeFile, waitForInclusion } from "../support/make-print.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { expectFullSheets } from "../support/printed-sheets.ts";
import { test, useSenderStage } from "../support/stories.ts";
import * as story from "../support/story.ts";
import { button, expectText, expectVisible, modal, region } from "../support/controls.ts";

const SENDER = person("clemence.prints", "Clémence Aubry-Lefèvre");
const COME = invitee("come", "Côme Œuvrard");
const INES = invitee("ines", "Inès Lévêque");
const TITLE = "Bail d’habitation – 12, rue Haute";
const stage = useSenderStage(SENDER);

/** Prints with the chosen code; gives the new tab's address. */
async function printWith(page: Page, choice: string): Promise<string> {
  await button(page, "Plus d’actions").click();
  await page.getByRole("menuitem", { name: "Imprimer" }).click();
  const dialog = modal(page, "Imprimer");
  await dialog.getByRole("radio", { name: choice }).check();
  const [legend, first] = await Promise.all([
    dialog.getByText("QR code de vérification", { exact: true }).boundingBox(),
    dialog.getByRole("radio").first().boundingBox(),
  ]);
  expect(first?.y).toBeGreaterThanOrEqual((legend?.y ?? 0) + (legend?.height ?? 0) + 6);
  await lookTwice(page, `printing-1-dialog-${choice.split(" ").at(-1)}`);
  const [made] = await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith("/prints/generate/")),
    page.waitForEvent("popup"),
    // The notice may be gone before a slow new tab opens.
    expect(page.getByText("Ouverture de l'impression")).toBeVisible(),
    button(dialog, "Imprimer").click(),
  ]);
  await expect(dialog).toBeHidden();
  return (await made.json()).printable_url;
}

/** On paper there are file names, hashes and journal, no viewer and no control. */
async function expectOnPaper(page: Page): Promise<void> {
  const journal = region(page, "Historique");
  const created = journal.getByText("Enveloppe créée");
  await expect(created).toBeHidden();
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  await page.emulateMedia({ media: "print" });
  await expectVisible(created);
  for (const event of await journal.getByRole("listitem").allInnerTexts())
    expect.soft(event.match(/\d\d\sh\s\d\d/g), event).toHaveLength(1);
  await expect(journal.getByText("Non modifié").filter({ visible: true })).toHaveCount(1);
  const document = page.getByRole("region", { name: "Document", exact: true });
  await expect(document.getByRole("listitem")).toHaveText(
    /^contrat de prestation\.pdf, 2 pagesSHA-256\s: [0-9a-f]{64}$/,
  );
  await expect(
    page
      .locator("button, select, input, header, nav, canvas, [aria-haspopup]")
      .filter({ visible: true }),
  ).toHaveCount(0);
  await expect(page.getByRole("toolbar")).toBeHidden();
  await lookAt(page, "printing-3-paper", COLOUR_RULES);
  await page.emulateMedia({ media: null });
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  await expect(created).toBeHidden();
  const sheets = await expectFullSheets(page, 2);
  for (const { full_name: name } of [COME, INES])
    expect
      .soft(
        sheets.some((sheet) =>
          sheet.includes(`${name} Niveau PAdES B-LTA Certificat ${name} : ce certificat a servi`),
        ),
        name,
      )
      .toBe(true);
}

/** Parts that stand beside each other in a window have one left edge on paper. */
async function expectOneEdge(page: Page): Promise<void> {
  await page.emulateMedia({ media: "print" });
  const edges = await page.evaluate<number[]>(`(() => {
    const words = document.createRange();
    words.selectNodeContents([...document.querySelectorAll("header span")].find(({ textContent }) => textContent === "Paraphe"));
    return [words, document.querySelector(".card")].map((part) => part.getBoundingClientRect().left);
  })()`);
  expect(Math.abs((edges[0] ?? 0) - (edges[1] ?? 99))).toBeLessThan(2);
  await page.emulateMedia({ media: null });
}

/** What a clerk needs of a proof by two signers stands on one sheet, its folds open. */
async function expectProofOnOneSheet(page: Page, address: string): Promise<void> {
  await page.goto(address);
  for (const late of ["Numéro de série", "MD5", "Vérifiée dans votre navigateur"])
    await expect(page.getByText(late, { exact: true })).toBeAttached();
  await expectOneEdge(page);
  const [sheet = ""] = await expectFullSheets(page, 1);
  for (const part of [
    "Page de vérification publique",
    "Signature valide",
    TITLE,
    COME.full_name,
    INES.full_name,
    /SHA-256 [0-9a-f]{64}/,
    `${INES.full_name} ← Paraphe Signature ← Paraphe Racine`,
    "Vérifiée dans votre navigateur",
    `Adresse de cette page : ${address}`,
  ])
    expect.soft(sheet).toMatch(typeof part === "string" ? RegExp(RegExp.escape(part)) : part);
}

test("a signed document shows its signatures, is printed with its codes, and lists its prints @desk", async ({
  page,
}) => {
  const id = await stage.send(TITLE, [COME, INES]);
  for (const guest of [COME, INES]) await story.signInvitation(stage.world, guest, id);
  await stage.signIn(page);
  await page.goto(`/signature/detail/${id}`);
  const signatures = page.getByRole("region", { name: "Signatures", exact: true });
  await expect(signatures.getByText("Valide")).toHaveCount(2);
  const level = page.getByText("PAdES B-LTA").first();
  await expect(level).toBeHidden();
  const details = page.locator("summary", { hasText: "Détails techniques" });
  await details.click();
  await expectVisible(level);
  await details.click();
  const copies = [
    await printWith(page, "Sur chaque page"),
    await printWith(page, "Sur une page de preuve ajoutée"),
  ];
  for (const [index, address] of copies.entries()) {
    const answer = await stage.sender.get(address);
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/pdf"]);
    expect(Buffer.from(answer.bytes).includes("/ByteRange"), `copy ${index}`).toBe(false);
  }
  const prints = region(page, "Impressions");
  await expect(prints.getByRole("listitem")).toHaveCount(2);
  await expect(prints.getByRole("listitem").first()).toContainText(
    "Sur une page de preuve ajoutée",
  );
  // The sticky bar covers controls of a scrolled page.
  await page.evaluate("window.scrollTo(0, 0)");
  await lookTwice(page, "printing-2-detail");
  await expectOnPaper(page);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    button(page, "Dossier de preuve").click(),
  ]);
  expect(file.suggestedFilename()).toBe("bail-dhabitation-12-rue-haute_dossier_de_preuve.pdf");
  expect((await readFile(await file.path())).subarray(0, 8).toString("latin1")).toBe("%PDF-1.7");
  await expectText(page, "Dossier de preuve téléchargé");
});

test("a proof, the log and a check on one's own device are printed without an empty sheet @desk", async ({
  page,
}) => {
  const id = await stage.send(TITLE, [COME, INES]);
  for (const guest of [COME, INES]) await story.signInvitation(stage.world, guest, id);
  const made = await story.makePrintOf(stage.sender, id, "page");
  await waitForInclusion(stage.sender, made);
  await expectProofOnOneSheet(page, made.verify_url);
  await page.goto("/journal-de-transparence");
  await expectVisible(region(page, "Points de contrôle"));
  await expectOneEdge(page);
  // The log grows with what the other stories sign.
  const log = await expectFullSheets(page, 2);
  expect(log.join(" ")).toContain("Racine de chaque point");
  expect(log.join(" ")).not.toContain("Déposez");
  await page.goto("/verifier");
  await page
    .getByLabel("Déposez votre fichier ici")
    .setInputFiles([
      await takeFile(stage.sender, "preuve.json", made.proof_url),
      await takeFile(stage.sender, "contrat.pdf", made.document_url),
    ]);
  await expectVisible(page.getByRole("heading", { name: /^Signature/ }));
  await page.emulateMedia({ colorScheme: "dark" });
  const checks = (await expectFullSheets(page, 2)).join(" ");
  expect(checks).toContain("Ce qu’aucun contrôle hors ligne ne dit");
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await lookAt(page, "printing-4-verifier-dark", COLOUR_RULES);
});
