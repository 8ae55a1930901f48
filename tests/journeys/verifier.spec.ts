import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, type Page } from "@playwright/test";
import { missingRenderer, renderPage } from "../../apps/server/testing/render-pdf.ts";
import { scanPicture } from "../../apps/server/testing/scan-picture.ts";
import { makePng, tinyPng } from "../../packages/pades/testing/tiny-images.ts";
import { takeFile, waitForInclusion } from "../support/make-print.ts";
import { expectReadingColumn, lookTwice } from "../support/look-at.ts";
import { createApiClient } from "../support/api-client.ts";
import { press } from "../support/keyboard.ts";
import { person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import * as story from "../support/story.ts";
import {
  button,
  exactText,
  expectText,
  expectVisible,
  heading,
  link,
  modal,
  title,
} from "../support/controls.ts";

const OWNER = person("zelie", "Zélie Aubin");
/** A photograph of eight megapixels. */
const PRINTED_DPI = 300;
const SEEN_DPI = 200;
type Dropped = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };

const stage = useSenderStage(OWNER);

function photograph(printable: Buffer, degrees: number): Dropped {
  const page = renderPage(new Uint8Array(printable), 1, PRINTED_DPI);
  const side = Math.ceil(page.height * 1.2);
  const table = { width: side, height: side, pixels: new Uint8Array(side * side * 3).fill(120) };
  for (let row = 0; row < page.height; row += 1)
    table.pixels.set(
      page.pixels.subarray(row * page.width * 3, (row + 1) * page.width * 3),
      ((row + Math.floor((side - page.height) / 2)) * side + Math.floor((side - page.width) / 2)) *
        3,
    );
  const { width, height, pixels } = scanPicture(table, PRINTED_DPI, {
    dpi: SEEN_DPI,
    degrees,
    blur: 0.6,
    noise: 12,
  });
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let row = 0; row < height; row += 1)
    rows.set(pixels.subarray(row * width * 3, (row + 1) * width * 3), row * (width * 3 + 1) + 1);
  const picture = makePng({ width, height, depth: 8, colorType: 2, raw: rows });
  return { name: `page-${degrees}.png`, mimeType: "image/png", buffer: Buffer.from(picture) };
}

type Signed = {
  readonly files: readonly Dropped[];
  readonly printable: Buffer;
  readonly evidence: Dropped;
  readonly address: string;
};

async function signed(): Promise<Signed> {
  const [owner, anyone] = [stage.sender, createApiClient(stage.server.url)];
  try {
    const envelope = await story.selfSign(owner, "Zélie Aubin");
    const made = await story.makePrintOf(owner, envelope, "page");
    await waitForInclusion(anyone, made);
    return {
      files: [
        await takeFile(anyone, "preuve.json", made.proof_url),
        await takeFile(anyone, "contrat.pdf", made.document_url),
        await takeFile(anyone, "root.crt", "/pki/root.crt"),
      ],
      evidence: await takeFile(
        owner,
        "dossier.pdf",
        `/api/signature/envelopes/${envelope}/evidence/`,
      ),
      printable: Buffer.from((await owner.get(made.printable_url)).bytes),
      address: made.verify_url,
    };
  } finally {
    anyone.close();
  }
}

const given = (files: readonly (Dropped | undefined)[]) =>
  files.filter((file) => file !== undefined);
const drop = (page: Page, ...files: (Dropped | undefined)[]) =>
  page.getByLabel("Déposez votre fichier ici").setInputFiles(given(files));
const add = (page: Page, ...files: (Dropped | undefined)[]) =>
  page.getByLabel("Ajoutez ce qui manque").setInputFiles(given(files));
const more = (page: Page) => press(page.locator("summary", { hasText: "Aller plus loin" }));
const again = (page: Page) => press(button(page, "Vérifier un autre fichier"));
const expectGlossary = async (page: Page) => {
  await press(button(page, "Les mots de cette page"));
  await expectVisible(exactText(modal(page, "Les mots de cette page"), "Horodatage"));
  await page.keyboard.press("Escape");
  await expect(button(page, "Les mots de cette page")).toBeFocused();
};
const verdict = async (page: Page, words: string) => {
  await expect(page.getByRole("status").filter({ hasText: words })).toHaveCount(1);
  await expect(heading(page, words)).toBeFocused();
};

test("anybody verifies a received file on the service's page, then offline with a saved copy of it @touch", async ({
  page,
}, info) => {
  const lacking = missingRenderer();
  test.skip(lacking !== false, String(lacking));
  const { files, printable, evidence, address } = await signed();
  const [proof, document, root] = files;
  const turned = photograph(printable, 12);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/verifier");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.emulateMedia({ colorScheme: "light" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await expectVisible(
    page.getByRole("heading", { name: "Vérifier une preuve sur votre appareil" }),
  );
  await lookTwice(page, "verifier-1-empty");
  await expectReadingColumn(page);
  await expectGlossary(page);
  const saving = page.waitForEvent("download");
  await link(page, "Garder cette page").click();
  const kept = join(info.outputDir, "verifier.html");
  await (await saving).saveAs(kept);

  await drop(page, {
    name: "devis.docx",
    mimeType: "application/octet-stream",
    buffer: Buffer.from("PK"),
  });
  await expect(page.getByRole("alert")).toContainText("Fichier non reconnu");
  await lookTwice(page, "verifier-2-unknown");

  const service = page.getByText(/^La confiance vient de ce service \(«\s.+\s»\)/);
  await test.step("a PDF alone, under the authorities of the service that serves the page", async () => {
    await drop(page, document);
    await verdict(page, "Signature du PDF valide");
    await expectVisible(
      page.getByText(/^Zélie Aubin, le/),
      page.getByText(/ajoutez preuve\.json ci-dessous/),
      service,
    );
    await lookTwice(page, "verifier-3-alone");
  });
  await test.step("with its proof, then under a root of the reader's own", async () => {
    await add(page, proof);
    await verdict(page, "Signature valide");
    await expectVisible(service);
    await lookTwice(page, "verifier-4-service-root");
    await more(page);
    await page.getByLabel(/^Racine/).setInputFiles(given([root]));
    await expect(service).toHaveCount(0);
    await verdict(page, "Signature valide");
    await more(page);
    await lookTwice(page, "verifier-5-valid");
    await press(page.locator("summary", { hasText: "Détails techniques" }));
    await expectText(page, "Horodatage du cachet", "Ce qu’aucun contrôle hors ligne ne dit");
    await lookTwice(page, "verifier-6-details");
  });
  await test.step("an evidence PDF in place of the proof, in any order", async () => {
    const unchecked = page.getByText(/^Les pages du dossier de preuve\s:/);
    await again(page);
    await drop(page, evidence);
    await verdict(page, "Résultat indéterminé");
    await expectText(page, /Le PDF signé, «\s.+\s»/);
    await expect(unchecked.first()).toBeVisible();
    await lookTwice(page, "verifier-13-evidence-alone");
    await add(page, document);
    await verdict(page, "Signature valide");
    await again(page);
    await drop(page, root, document, evidence);
    await verdict(page, "Signature valide");
    await expect(unchecked.first()).toBeVisible();
    await lookTwice(page, "verifier-14-evidence");
  });
  await test.step("altered", async () => {
    await more(page);
    await press(button(page, "Retirer contrat.pdf"));
    await verdict(page, "Résultat indéterminé");
    const altered = Buffer.from(document?.buffer ?? "");
    altered[500] = (altered[500] ?? 0) ^ 1;
    await add(page, { name: "contrat.pdf", mimeType: "application/pdf", buffer: altered });
    await verdict(page, "Signature non valide");
    await expectVisible(
      page.getByText("Ce fichier n’est pas celui qui a été signé, ou il a été modifié depuis.", {
        exact: true,
      }),
    );
    await lookTwice(page, "verifier-7-altered");
    await again(page);
    await drop(page, { name: "contrat.pdf", mimeType: "application/pdf", buffer: altered });
    await verdict(page, "Signature non valide");
    await again(page);
  });
  await test.step("an address by hand: who types stays where they type", async () => {
    const field = page.getByLabel("Adresse lue dans le QR code");
    await field.fill("https://exemple.fr/verify/");
    await expectVisible(
      page
        .getByText("Cette adresse est incomplète, ou n’est pas celle d’un QR code de ce service")
        .first(),
    );
    await expect(field).toBeFocused();
    await field.fill("");
    await expectText(page, "Déposez votre fichier ici");
    await expect(field).toBeFocused();
  });
  await test.step("a photograph of the page, whichever way it lies", async () => {
    await title(page).focus();
    for (const [degrees, photo] of [
      [12, turned] as const,
      [45, photograph(printable, 45)] as const,
    ]) {
      await drop(page, photo);
      await verdict(page, "QR code lu");
      const original = link(page, "Voir l’original");
      expect(await original.getAttribute("href")).toMatch(new RegExp(`^${escaped(address)}#`));
      if (degrees === 12) await lookTwice(page, "verifier-8-photo");
      await again(page);
    }
    await drop(page, turned, proof);
    await verdict(page, "Le QR code est authentique");
    await lookTwice(page, "verifier-9-authentic");
    await again(page);
    await drop(page, {
      name: "vide.png",
      mimeType: "image/png",
      buffer: Buffer.from(tinyPng("rgb")),
    });
    await expectText(page, "Photo illisible");
    await lookTwice(page, "verifier-10-unreadable");
  });

  await page.context().setOffline(true);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(pathToFileURL(kept).href);
  await expectGlossary(page);
  await drop(page, document);
  await verdict(page, "Résultat indéterminé");
  await add(page, proof);
  await expectText(page, "Un fichier de confiance, que le service publie");
  const fingerprint = page.getByText(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  await expect(fingerprint).toBeHidden();
  await more(page);
  await expectVisible(fingerprint);
  await add(page, root, turned);
  await verdict(page, "Signature valide");
  await expectText(page, "Le QR code a bien été signé par le service, et parle de ce fichier.");
  expect(asked.filter((url) => !/^(file|blob|data):/.test(url))).toEqual([]);
  await lookTwice(page, "verifier-11-kept");
  await page.emulateMedia({ media: "print" });
  await expect(button(page, "Imprimer le résultat")).toBeHidden();
  await page.screenshot({
    path: `test-results/screens/${info.project.name}/verifier-12-print.png`,
    fullPage: true,
  });
});

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
