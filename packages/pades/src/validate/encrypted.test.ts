import { PDF } from "@libpdf/core";
import { beforeAll, expect, test } from "vitest";
import {
  type AttackStage,
  STAGE_LATER,
  createAttackStage,
  sealed,
  swap,
} from "../../testing/attack-stage.ts";
import { edited } from "../../testing/forge.ts";
import { signFreely } from "../../testing/sign-freely.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { trusting } from "../../testing/test-pki.ts";
import { inspectPdf } from "../inspect/inspect-pdf.ts";
import { latinText } from "../pdf/byte-reader.ts";
import type { ValidationReport } from "./types.ts";
import { validate } from "./validate.ts";

let stage: AttackStage;
beforeAll(async () => {
  stage = await createAttackStage();
});
const validated = (bytes: Uint8Array): Promise<ValidationReport> =>
  validate(bytes, { evidence: trusting(stage.pki.root.certificates), now: STAGE_LATER });

async function encrypted(passwords: {
  readonly ownerPassword: string;
  readonly userPassword?: string;
}): Promise<Uint8Array> {
  const pdf = await PDF.load(smallPdf());
  pdf.setProtection(passwords);
  return pdf.save();
}

/** Makes an encrypted file that Alice signed, which our own writer refuses. */
async function signedEncrypted(): Promise<Uint8Array> {
  const file = await encrypted({ ownerPassword: "x" });
  const reference = /\/Encrypt (\d+ 0 R)/.exec(latinText(file))?.[1] ?? "";
  const cms = (covered: Uint8Array): Promise<Uint8Array> =>
    sealed({ signer: stage.alice, tsa: stage.pki.tsa }, covered);
  return signFreely(file, {
    cms,
    // The second identifier makes room for the reference in the trailer.
    change: (text) => {
      const at = text.lastIndexOf("trailer");
      const room = (found: string): string => `<>]/Encrypt ${reference}`.padEnd(found.length);
      return text.slice(0, at) + swap(text.slice(at), /<[0-9A-Fa-f]{32}>\s*\](?=[^\]]*$)/, room);
    },
  });
}

test("an encrypted file with a sound signature is indeterminate", async () => {
  const report = await validated(await signedEncrypted());
  expect(report).toMatchObject({ indication: "INDETERMINATE", problems: ["encrypted"] });
  expect(report.signatures).toMatchObject([
    { indication: "INDETERMINATE", subIndication: null, level: null },
  ]);
});

test("an encrypted signed file is refused at upload", async () => {
  await expect(inspectPdf(await signedEncrypted())).rejects.toMatchObject({
    code: "pdf_signed_and_encrypted",
  });
});

test("a file with a user password is indeterminate", async () => {
  const report = await validated(await encrypted({ ownerPassword: "x", userPassword: "y" }));
  expect(report).toMatchObject({
    indication: "INDETERMINATE",
    problems: ["pdf_encrypted"],
    signatures: [],
  });
});

test("an encrypted file whose digest shows an alteration fails", async () => {
  const report = await validated(
    edited(await signedEncrypted(), "/MediaBox [0 0 595 842]", "/MediaBox [0 0 595 422]"),
  );
  expect(report).toMatchObject({ indication: "TOTAL_FAILED", problems: ["encrypted"] });
  expect(report.signatures).toMatchObject([{ subIndication: "HASH_FAILURE" }]);
});

test("an encrypted file with bytes after its end fails", async () => {
  const report = await validated(Uint8Array.of(...(await signedEncrypted()), 0x0a, 0x0a, 0x41));
  expect(report).toMatchObject({
    indication: "TOTAL_FAILED",
    problems: ["trailing_bytes", "encrypted"],
  });
});
