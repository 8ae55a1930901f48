import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { PdfString } from "@libpdf/core";
import { trusting } from "../../testing/test-pki.ts";
import { parseSignedData } from "../cms/signed-data.ts";
import { signedFields } from "../pdf/form-fields.ts";
import { openPdf } from "../pdf/open-pdf.ts";
import type { ValidationReport } from "./types.ts";
import { validate } from "./validate.ts";

const TRIALS = fileURLToPath(new URL("../../../../../shared/corpus/trials/", import.meta.url));
const missing = existsSync(TRIALS) ? "" : " (../shared/corpus is not there)";
const read = (name: string): Uint8Array => new Uint8Array(readFileSync(`${TRIALS}${name}`));

describe.skipIf(missing !== "")(
  `sound signatures of others are not called invalid${missing}`,
  () => {
    const changesOf = ({ signatures }: ValidationReport): readonly string[] =>
      signatures.map(({ laterChanges }) => laterChanges);

    const summaryOf = ({ signatures }: ValidationReport): readonly string[] =>
      signatures.map(({ indication }) => indication);

    /**
     * Trusts every certificate in the file, at a time when they were good: what remains is wrong
     * with the file.
     */
    async function validated(name: string, now: string): Promise<ValidationReport> {
      const bytes = read(name);
      const certificates = signedFields(await openPdf(bytes)).flatMap(({ value }) => {
        const contents = value.get("Contents");
        return contents instanceof PdfString
          ? [...parseSignedData(contents.bytes, "allowed").certificates]
          : [];
      });
      return validate(bytes, { evidence: trusting(certificates), now: new Date(now) });
    }

    test("iText's signature passes: a comment before startxref, a time-stamp's empty appearance", async () => {
      const report = await validated("cmp_padesSignatureLevelLTATest1.pdf", "2023-12-05T00:00:00Z");
      expect(summaryOf(report)).toEqual(["TOTAL_PASSED", "TOTAL_PASSED"]);
      expect(changesOf(report)).toEqual(["lta", "none"]);
    });

    test("PDFBox's signatures pass: cross-reference as stream and table, new form defaults, 25 signatures", async () => {
      const report = await validated("25sigs.pdf", "2022-01-01T00:00:00Z");
      expect(new Set(changesOf(report))).toEqual(new Set(["signing", "lta"]));
      // The certificate of the first was out of date by then.
      expect(summaryOf(report)).toEqual([
        "INDETERMINATE",
        ...Array.from({ length: 24 }, () => "TOTAL_PASSED"),
      ]);
    });

    test("our sealed file stays valid after pyHanko's countersignature, which rewrites its UTF-16 title", async () => {
      const evidence = trusting([read("countersigned-by-pyhanko-utf16-title.root.der")]);
      const report = await validate(read("countersigned-by-pyhanko-utf16-title.pdf"), {
        evidence,
        now: new Date("2026-11-23T12:00:00Z"),
      });
      expect(summaryOf(report)).toEqual([
        "TOTAL_PASSED",
        "TOTAL_PASSED",
        "TOTAL_PASSED",
        "INDETERMINATE",
      ]);
      expect(changesOf(report)).toEqual(["form_filling", "signing", "signing", "none"]);
    });
  },
);
