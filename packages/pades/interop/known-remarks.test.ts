import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { smallPdf } from "../testing/small-pdf.ts";
import { createTestPki } from "../testing/test-pki.ts";
import { pyHankoComplaints } from "./complaints.ts";
import { missingCorpus } from "./corpus.ts";
import { unavailableValidators, PYHANKO_PYTHON, openPyHanko } from "./validators.ts";
import { KNOWN_REMARKS } from "./validate-corpus.ts";
import { LIFE, liveWithMany, liveWithTwo } from "./signing-rounds.ts";
import { runAside, temporaryFolder } from "./tool.ts";

const missing = unavailableValidators();
const CORPUS = fileURLToPath(new URL("../../../../shared/corpus/", import.meta.url));
const ITSELF = fileURLToPath(new URL("./pyhanko/itself.py", import.meta.url));
const MINUTES = 60_000;

/** Gives pyHanko's remarks on these files as it signed them itself. */
async function ofItself(files: readonly string[]): Promise<(string | null)[]> {
  const { output } = await runAside(PYHANKO_PYTHON, [
    ITSELF,
    ...files.map((file) => `${CORPUS}${file}.pdf`),
  ]);
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => (JSON.parse(line) as { complaint: string | null }).complaint);
}

describe.skipIf(missing)(
  `each remark that is known is not about what we wrote${missing ? ` (${missing})` : ""}`,
  () => {
    test.skipIf(missingCorpus)(
      "pyHanko makes each known remark on files that it signed itself",
      async () => {
        const shown = Object.entries(KNOWN_REMARKS).filter(
          ([, { ofItself: said }]) => said !== null,
        );
        const [sound, ...said] = await ofItself(["made/base50k", ...shown.map(([file]) => file)]);
        expect(sound).toBeNull();
        expect(said).toHaveLength(2);
        for (const [index, [file, remark]] of shown.entries())
          expect(said[index], file).toMatch(remark.ofItself ?? /^$/);
      },
      3 * MINUTES,
    );

    test(
      "pyHanko makes the known remark on earlier time-stamps while their authority is not trusted",
      async () => {
        const [folder, pyHanko] = [temporaryFolder(), openPyHanko()];
        try {
          const [others, pki] = [await createTestPki("Autre Service"), await createTestPki()];
          const { archived: theirs } = await liveWithMany(others, smallPdf(), {
            count: 1,
            namePrefix: "env-0190",
          });
          const pdf = folder.write("both.pdf", (await liveWithTwo(pki, theirs)).archived);
          const [ours, trusted] = [pki, others].map(({ root }, index) =>
            folder.write(`root-${index}.der`, root.certificates[0] as Uint8Array),
          ) as [string, string];
          const expected = { signatures: 2, timestamps: 2 };
          const ask = async (anchors: readonly string[]) => {
            const answer = await pyHanko.ask({ pdf, anchors, at: LIFE.archived });
            const signatures = (answer.signatures ?? []).filter(({ field }) =>
              /_(alice|bob)$|^horodatage_/.test(field),
            );
            return pyHankoComplaints({ ...answer, signatures }, expected);
          };
          const remark = KNOWN_REMARKS["public/ph_pades-lta-dss-indirect-arrs-test"]?.says;
          expect((await ask([ours])).some((complaint) => remark?.test(complaint))).toBe(true);
          expect(await ask([ours, trusted])).toEqual([]);
        } finally {
          pyHanko.close();
          folder.remove();
        }
      },
      3 * MINUTES,
    );
  },
);
