import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { archiveWith } from "../testing/archive.ts";
import { DESCRIPTION } from "../testing/attacks-meaning.ts";
import { packedPdf } from "../testing/packed-pdf.ts";
import { prepareAll, signAs } from "../testing/sign-flow.ts";
import { smallPdf } from "../testing/small-pdf.ts";
import {
  TEST_NOW,
  type TestPki,
  createTestPki,
  generateKeys,
  rsaKeys,
  trusting,
} from "../testing/test-pki.ts";
import { latinText } from "../src/pdf/byte-reader.ts";
import { validate } from "../src/validate/validate.ts";
import { issueCertificate } from "../src/x509/certificate.ts";
import { pdfsigComplaints } from "./complaints.ts";
import { unavailableValidators, PYHANKO_PYTHON } from "./validators.ts";
import { type Folder, missingTool, run, temporaryFolder } from "./tool.ts";

const missing = unavailableValidators() || missingTool("pdfsig");
const SCRIPT = new URL("./pyhanko/sign.py", import.meta.url).pathname;
const ARCHIVED = new Date(TEST_NOW.getTime() + 3_600_000);
const CONTINUED = new Date(ARCHIVED.getTime() + 3_600_000);
const JUDGED = new Date(CONTINUED.getTime() + 60_000);
/** pyHanko notes itself in the metadata that it finds, and writes the rest of it anew. */
const described = smallPdf({
  catalogExtra: "/Version/2.0/Metadata 30 0 R",
  objects: { 30: DESCRIPTION },
});
const FILES = {
  table: smallPdf(),
  stream: packedPdf(),
  wide: packedPdf({ offsetBytes: 8 }),
  described,
} as const;

/**
 * Leaves a key and its certificate where pyHanko finds them; its own time-stamps are always RSA.
 */
async function hand(folder: Folder, pki: TestPki, profile: "signer" | "tsa"): Promise<void> {
  const keys = await (profile === "tsa" ? rsaKeys() : generateKeys());
  const certificate = await issueCertificate(pki.ca, {
    profile,
    subject: { commonName: `pyHanko ${profile}` },
    subjectPublicKey: keys.spki,
    serialNumber: crypto.getRandomValues(new Uint8Array(16)),
    notBefore: new Date(TEST_NOW.getTime() - 60_000),
    notAfter: new Date(TEST_NOW.getTime() + 365 * 86_400_000),
  });
  folder.write(`${profile}.crt`, certificate);
  folder.write(
    `${profile}.key`,
    new Uint8Array(await crypto.subtle.exportKey("pkcs8", keys.privateKey)),
  );
}

describe.skipIf(missing)(
  `what pyHanko adds to a completed file${missing ? ` (${missing})` : ""}`,
  () => {
    let folder: Folder;
    let pki: TestPki;
    beforeAll(async () => {
      if (missing) return;
      folder = temporaryFolder();
      pki = await createTestPki();
      folder.write("ca.crt", pki.ca.certificates[0] as Uint8Array);
      await Promise.all([hand(folder, pki, "signer"), hand(folder, pki, "tsa")]);
      const [alice, bob] = [
        await pki.issue({ commonName: "Alice" }),
        await pki.issue({ commonName: "Bob" }),
      ];
      for (const [name, file] of Object.entries(FILES)) {
        const first = await signAs(await prepareAll(file), {
          signer: alice,
          tsa: pki.tsa,
          ownerKey: "alice",
        });
        const second = await signAs(first, { signer: bob, tsa: pki.tsa, ownerKey: "bob" });
        folder.write(`${name}.in.pdf`, await archiveWith(pki, second, ARCHIVED));
      }
      const done = run(PYHANKO_PYTHON, [SCRIPT, folder.path, CONTINUED.toISOString()]);
      if (done.code !== 0) throw new Error(done.output);
    }, 60_000);
    afterAll(() => {
      if (!missing) folder.remove();
    });

    const ACTS = [
      ["stamped", 4, "lta"],
      ["renewed", 5, "lta"],
      ["signed", 4, "signing"],
      ["seen", 4, "signing"],
    ] as const;
    test.each(Object.keys(FILES).flatMap((name) => ACTS.map((act) => [name, ...act] as const)))(
      "a completed file stays valid after pyHanko's update: %s, %s",
      async (name, act, count, changes) => {
        const path = `${folder.path}/${name}.${act}.pdf`;
        const bytes = new Uint8Array(readFileSync(path));
        if (name === "described") expect(latinText(bytes)).toContain('x:xmptk="pyHanko');
        const report = await validate(bytes, {
          evidence: trusting(pki.root.certificates),
          now: JUDGED,
        });
        expect(report, JSON.stringify(report, null, 1)).toMatchObject({
          indication: "TOTAL_PASSED",
          problems: [],
        });
        expect(report.signatures.map(({ laterChanges }) => laterChanges).slice(0, 2)).toEqual([
          "form_filling",
          changes,
        ]);
        expect(report.signatures).toHaveLength(count);
        expect(await pdfsigComplaints(path, { signatures: 2, timestamps: 0 })).toEqual([]);
      },
    );
  },
);
