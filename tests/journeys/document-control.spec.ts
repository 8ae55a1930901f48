import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { makePdf } from "../../apps/server/testing/pdf.ts";
import { liveWithMany } from "../../packages/pades/interop/signing-rounds.ts";
import { smallPdf } from "../../packages/pades/testing/small-pdf.ts";
import { createTestPki } from "../../packages/pades/testing/test-pki.ts";
import { pdfFile } from "../support/make-contract.ts";
import { expectNoSidewaysScroll, lookAt, lookTwice } from "../support/look-at.ts";
import { person } from "../support/of-this-worker.ts";
import { hasTool } from "../support/run-tool.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { button, expectVisible } from "../support/controls.ts";

const SENDER = person("solene.control", "Solène Guérin");

const stage = useSenderStage(SENDER);

/** A stamp without an appearance: the copy has one. */
const NOTE = "<</Type/Annot/Subtype/Stamp/F 4/Rect[60 300 300 360]/Name/NotApproved>>";

/** The same file encrypted: `user` opens it, `owner` changes it. */
function encrypted(user: string, owner: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-control-"));
  try {
    writeFileSync(join(folder, "in.pdf"), makePdf({ pages: 2 }));
    const paths = [join(folder, "in.pdf"), join(folder, "out.pdf")];
    execFileSync("qpdf", ["--encrypt", user, owner, "256", "--", ...paths]);
    return new Uint8Array(readFileSync(join(folder, "out.pdf")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("each document shows its control: signed elsewhere, to be corrected, refused @touch", async ({
  page,
}, info) => {
  test.skip(!hasTool("qpdf") && !process.env["CI"], "qpdf is not installed");
  const others = await createTestPki("Autre Service");
  const { archived } = await liveWithMany(others, smallPdf(), 2);
  await stage.signIn(page);
  await page.goto("/signature/upload");
  await page
    .getByLabel("Déposez vos PDF ici")
    .setInputFiles([
      pdfFile("Bail.pdf", makePdf({ pages: 2 })),
      pdfFile("Déjà signé.pdf", archived),
      pdfFile("Protégé contre la modification.pdf", encrypted("", "proprietaire")),
      pdfFile(
        "Actif.pdf",
        smallPdf({ catalogExtra: "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>" }),
      ),
      pdfFile("Annoté.pdf", makePdf({ pages: 2, pageExtra: `/Annots[${NOTE}]` })),
      pdfFile("Secret.pdf", encrypted("ouvrir", "proprietaire")),
      pdfFile("Coupé.pdf", makePdf().subarray(0, 300)),
    ]);
  await expectVisible(
    page.getByText(
      "Ce PDF porte déjà 2 signatures, qui n’ont pas été altérées. Elles sont conservées.",
      { exact: false },
    ),
    page.getByText("Ce PDF est protégé contre la modification.", { exact: false }),
    page.getByText("Ce PDF contient du code JavaScript. Il est retiré de la copie à signer."),
    page.getByText("Ce PDF est protégé par un mot de passe.", { exact: false }),
    page.getByText("Ce PDF est endommagé et ne peut pas être signé.", { exact: false }),
  );
  await lookAt(page, "40-document-control");
  await expectNoSidewaysScroll(page);
  await page.screenshot({
    path: join("test-results/screens", info.project.name, "40-document-control-full.png"),
    fullPage: true,
  });

  const consents = page.getByRole("checkbox");
  await expect(consents).toHaveCount(3);
  // Changed pages are shown before the copy can be accepted.
  await expectVisible(
    page.getByText("Les pages 1 et 2 changent d’aspect dans la copie corrigée", { exact: false }),
  );
  await expect(consents.last()).toBeDisabled();
  await button(page, "Comparer les pages").press("Enter");
  await expectVisible(page.getByRole("img", { name: "Copie corrigée, page 2" }));
  await lookTwice(page, "41-copy-compared");
  await page.getByRole("switch", { name: "Grandeur réelle" }).press("Space");
  await lookAt(page, "42-copy-compared-large");
  await button(page, "J’ai comparé").press("Enter");
  await expect(consents.last()).toBeEnabled();

  await consents.first().click();
  await expect(consents.first()).toBeDisabled();
  await expect(consents.first()).toBeChecked();
});
