import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallPdf } from "../testing/small-pdf.ts";
import { PREFIX } from "../testing/sign-flow.ts";
import { createTestPki, type TestPki } from "../testing/test-pki.ts";
import { askOpenssl, type OpensslAnswer } from "./complaints.ts";
import { LIFE, liveWithMany } from "./signing-rounds.ts";
import { type Folder, missingTool, temporaryFolder } from "./tool.ts";

const missing = missingTool("openssl");
/** The signers' certificates are in force then, and the revocation data fresh. */
const AT = new Date(LIFE.archived.getTime() + 60_000);

describe.skipIf(missing)(
  `openssl on what a signed file carries${missing ? ` (${missing})` : ""}`,
  () => {
    let folder: Folder;
    let pki: TestPki;
    let renewed: Uint8Array;
    beforeAll(async () => {
      folder = temporaryFolder();
      pki = await createTestPki();
      ({ renewed } = await liveWithMany(pki, smallPdf(), { count: 3 }));
    });
    afterAll(() => folder.remove());

    const ask = (name: string, pdf: Uint8Array): Promise<OpensslAnswer> =>
      askOpenssl(pdf, {
        folder: folder.path,
        name,
        anchors: pki.root.certificates,
        at: AT,
        prefix: PREFIX,
      });

    test("openssl verifies every signature as CAdES, document time-stamp, certificate, CRL and OCSP answer of a file", async () => {
      const { complaints, ...counts } = await ask("renewed", renewed);
      expect(complaints).toEqual([]);
      expect(counts).toMatchObject({ signatures: 3, timestamps: 2 });
      // They are three people's, the time-stamping authority's, the responder's, and the signing
      // authority's, which the root's list is about.
      expect([counts.certificates >= 6, counts.crls >= 1, counts.ocsps >= 4]).toEqual([
        true,
        true,
        true,
      ]);
    });

    test("openssl complains of what was altered", async () => {
      const altered = renewed.slice();
      altered.set(
        new TextEncoder().encode("Contrad"),
        new TextDecoder("latin1").decode(altered).indexOf("Contrat"),
      );
      const { complaints } = await ask("altered", altered);
      expect(complaints).toHaveLength(5);
    });
  },
);
