import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { completeSignature } from "../src/sign/create-signature.ts";
import { prepareDocumentTimestamp } from "../src/sign/long-term.ts";
import { prepareAll, signAs } from "../testing/sign-flow.ts";
import { createTestPki, type TestPki } from "../testing/test-pki.ts";
import { corpusFile, missingCorpus, SIGNABLE } from "./corpus.ts";
import { type Folder, missingTool, run, temporaryFolder } from "./tool.ts";

const missing = missingCorpus || missingTool("qpdf") || missingTool("pdfsig");
const isPrefix = (head: Uint8Array, whole: Uint8Array): boolean =>
  Buffer.from(whole.subarray(0, head.length)).equals(Buffer.from(head));

describe.skipIf(missing)(`qpdf and pdfsig on signed files${missing ? ` (${missing})` : ""}`, () => {
  let folder: Folder;
  let pki: TestPki;
  beforeAll(async () => {
    folder = temporaryFolder();
    pki = await createTestPki();
  });
  afterAll(() => folder.remove());

  test.each(SIGNABLE)(
    "qpdf and pdfsig accept two signatures on %s, each revision an exact prefix of the next",
    async (name) => {
      const original = corpusFile(name);
      const [alice, bob] = await Promise.all([
        pki.issue({ commonName: "Alice" }),
        pki.issue({ commonName: "Bob" }),
      ]);
      const prepared = await prepareAll(original);
      const first = await signAs(prepared, { signer: alice, tsa: pki.tsa, ownerKey: "alice" });
      const second = await signAs(first, { signer: bob, tsa: pki.tsa, ownerKey: "bob" });
      const revision = await prepareDocumentTimestamp(second, {
        longTermData: { certificates: alice.certificates, ocsps: [], crls: [] },
      });
      const archived = completeSignature(revision, await pki.tsa.timestamp(revision.digestSha256));
      for (const [before, after] of [
        [second, archived],
        [original, prepared],
        [prepared, first],
        [first, second],
      ] as const)
        expect(isPrefix(before, after)).toBe(true);
      for (const [step, bytes] of Object.entries({ prepared, first, second, archived })) {
        const checked = run("qpdf", ["--check", folder.write(`${name}-${step}.pdf`, bytes)]);
        expect(checked.code, `${step}: ${checked.output}`).toBe(0);
      }
      const shown = run("pdfsig", ["-nocert", `${folder.path}/${name}-second.pdf`]).output;
      expect(shown.match(/Signature Validation: Signature is Valid/g) ?? [], shown).toHaveLength(2);
      expect(shown).toContain("Total document signed");
      if (process.env.PADES_KEEP) writeFileSync(`${process.env.PADES_KEEP}/${name}.pdf`, second);
    },
  );
});
