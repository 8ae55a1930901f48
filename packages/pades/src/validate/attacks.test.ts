import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { archiveWith } from "../../testing/archive.ts";
import { type AttackStage, createAttackStage, sealed, STAGE_LATER } from "../../testing/attack-stage.ts";
import { ATTACKS } from "../../testing/attacks.ts";
import { HONEST_DIGESTS } from "../../testing/attacks-digests.ts";
import { HONEST_DISGUISES } from "../../testing/attacks-disguise.ts";
import { HONEST_FILLED } from "../../testing/attacks-filling.ts";
import { HONEST_FILLING, HONEST_STAMP } from "../../testing/attacks-form.ts";
import { HONEST_KEPT } from "../../testing/attacks-kept.ts";
import { HONEST_LOOKS } from "../../testing/attacks-looks.ts";
import { HONEST_MAKERS } from "../../testing/attacks-makers.ts";
import { HONEST_FIELDS, HONEST_METADATA, HONEST_SEEDS, HONEST_STORE } from "../../testing/attacks-meaning.ts";
import { HONEST_NAMES } from "../../testing/attacks-names.ts";
import { HONEST_NUMBERS } from "../../testing/attacks-numbers.ts";
import { HONEST_PARENTS } from "../../testing/attacks-parents.ts";
import { HONEST_PLACES } from "../../testing/attacks-places.ts";
import { HONEST_ROLES } from "../../testing/attacks-roles.ts";
import { HONEST_SHAPES } from "../../testing/attacks-shapes.ts";
import { distantTsa, HONEST_CERTIFICATES, sealedBy, sealedUnder } from "../../testing/attacks-trust.ts";
import { HONEST_UNSIGNED } from "../../testing/attacks-unlisted.ts";
import { lastObject } from "../../testing/forge.ts";
import { forgedUpdate, tableRow } from "../../testing/forge-update.ts";
import { signFreely } from "../../testing/sign-freely.ts";
import { trusting } from "../../testing/trusting.ts";
import { PdfString } from "@libpdf/core";
import { parseSignedData } from "../cms/signed-data.ts";
import { signedFields } from "../pdf/form-fields.ts";
import { follow, openPdf } from "../pdf/open-pdf.ts";
import type { ValidationReport } from "./types.ts";
import { validate } from "./validate.ts";

let stage: AttackStage;
beforeAll(async () => {
  stage = await createAttackStage();
});
const judge = (bytes: Uint8Array): Promise<ValidationReport> =>
  validate(bytes, { evidence: trusting(stage.pki.root.certificates), now: STAGE_LATER });

describe("an attack is never valid", () => {
  test.each(Object.entries(ATTACKS))("%s", async (_name, attack) => {
    const report = await judge(await attack(stage));
    expect(report.indication, JSON.stringify(report, null, 1)).not.toBe("TOTAL_PASSED");
  });
});

describe("honest life of a file is always valid", () => {
  const honest: Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>> = {
    "a first signature": () => stage.first,
    "a second signer": () => stage.second,
    "a document time-stamp": () => stage.archived,
    "its renewal": () => archiveWith(stage.pki, stage.archived, STAGE_LATER),
    "a certified file": () => stage.certified,
    "an invisible signature after a certification": () =>
      signFreely(stage.certified, { fieldName: "second", cms: (covered) => sealed({ signer: stage.bob, tsa: stage.pki.tsa }, covered) }),
    "what shadow attacks work on, left alone": () => stage.shadow,
    "a document time-stamp by another writer": () => HONEST_STAMP(stage),
    "a field filled by somebody who signs that it is theirs": () => HONEST_FILLING(stage),
    "a further signature that is seen, by another writer": () =>
      signFreely(stage.archived, {
        rect: "50 50 250 110",
        cms: (covered) => sealed({ signer: stage.bob, tsa: stage.pki.tsaAt(STAGE_LATER) }, covered),
      }),
    ...Object.fromEntries(
      Object.entries({
        ...HONEST_DISGUISES,
        ...HONEST_CERTIFICATES,
        ...HONEST_METADATA,
        ...HONEST_SEEDS,
        ...HONEST_FIELDS,
        ...HONEST_STORE,
        ...HONEST_ROLES,
        ...HONEST_PLACES,
        ...HONEST_DIGESTS,
        ...HONEST_UNSIGNED,
        ...HONEST_PARENTS,
        ...HONEST_SHAPES,
        ...HONEST_FILLED,
        ...HONEST_NAMES,
        ...HONEST_NUMBERS,
        ...HONEST_LOOKS,
        ...HONEST_KEPT,
        ...HONEST_MAKERS,
      }).map(([name, make]) => [name, () => make(stage)]),
    ),
    "a time-stamp whose authority's own authority is in its token alone": async () =>
      sealedBy(stage.second, await distantTsa(stage, "chain")),
    "a signature time-stamp whose authority's own authority is in its token alone": async () => {
      const tsa = await distantTsa(stage, "chain");
      return signFreely(stage.prepared, { cms: (covered) => sealed({ signer: stage.alice, tsa }, covered) });
    },
    "a document time-stamp over a digest of 384 bits": () => sealedUnder(stage, "SHA-384"),
    "a document time-stamp over a digest of 512 bits": () => sealedUnder(stage, "SHA-512"),
    "what a writer notes of itself": () => {
      const { number, syntax } = lastObject(stage.archived, "/Type /Catalog");
      const xmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>';
      const extension = "<</Type/DeveloperExtensions/BaseVersion/2.0/ExtensionLevel 32002>>";
      return forgedUpdate(stage.archived, {
        parts: {
          c: `${number} 0 obj\n${syntax.slice(0, -2)}/Version/2.0/Extensions<</Type/Extensions/ESIC ${extension}/ISO_[${extension}]>>/Metadata 996 0 R>>\nendobj\n`,
          m: `996 0 obj\n<</Type/Metadata/Subtype/XML/Length ${xmp.length}>>\nstream\n${xmp}\nendstream\nendobj\n`,
          i: "997 0 obj\n<</ModDate(D:20261121141604Z)/Producer(x)>>\nendobj\n",
        },
        rows: ({ c = 0, m = 0, i = 0 }) => tableRow(number, c) + tableRow(996, m) + tableRow(997, i),
        trailer: (text) => `${text}/Info 997 0 R`,
      });
    },
  };
  test.each(Object.entries(honest))("%s", async (_name, make) => {
    const report = await judge(await make());
    expect(report.indication, JSON.stringify(report, null, 1)).toBe("TOTAL_PASSED");
  });
});

const CORPUS = fileURLToPath(new URL("../../../../../shared/corpus/public/", import.meta.url));
const missing = existsSync(CORPUS) ? "" : " (../shared/corpus is not there)";

describe.skipIf(missing !== "")(`files of others' attack collections${missing}`, () => {
  /** Trusts everything that the file carries, at a time when its certificates were good: what remains is what is wrong with the signature. */
  async function judgeTrusting(name: string): Promise<ValidationReport> {
    const bytes = new Uint8Array(readFileSync(`${CORPUS}ph_${name}.pdf`));
    const open = await openPdf(bytes);
    const roots = signedFields(open).flatMap(({ value }) => {
      const contents = follow(open, value.get("Contents"));
      return contents instanceof PdfString ? [...parseSignedData(contents.bytes, "allowed").certificates] : [];
    });
    return validate(bytes, { evidence: trusting(roots), now: new Date("2021-06-01T00:00:00Z") });
  }

  test.each([
    ["ed448-disallowed-hash", "CRYPTO_CONSTRAINTS_FAILURE"],
    ["sig-no-signed-attrs", "SIG_CONSTRAINTS_FAILURE"],
    ["pades-with-old-style-signing-cert-attr", "CRYPTO_CONSTRAINTS_FAILURE"],
    ["one-byterange", "FORMAT_FAILURE"],
    ["signature-gap-too-big", "FORMAT_FAILURE"],
  ])("%s is never valid (%s)", async (name, sub) => {
    const report = await judgeTrusting(name);
    expect(report.indication).not.toBe("TOTAL_PASSED");
    expect(report.signatures[0]).toMatchObject({ subIndication: sub });
  });

  test.each(["extensions-direct", "extensions-update-indirect", "minimal-signed-twice-no-sig-type"])(
    "%s: a second signer of another producer changes nothing that is not allowed",
    async (name) => {
      const { signatures } = await judgeTrusting(name);
      expect(signatures.map(({ laterChanges, coverage }) => [laterChanges, coverage])).toEqual([
        ["signing", "whole_revision"],
        ["none", "whole_file"],
      ]);
    },
  );
});
