import { loadTasks } from "../apps/server/src/platform/pdf-sandbox/tasks.ts";
import { prepareFields, validate } from "../packages/pades/src/index.ts";
import { archiveWith, rootList } from "../packages/pades/testing/archive.ts";
import { signAs } from "../packages/pades/testing/sign-flow.ts";
import { TEST_NOW, createTestPki, trusting } from "../packages/pades/testing/test-pki.ts";
import { loadFonts } from "../apps/server/src/platform/fonts/load-fonts.ts";
import { DRAWN, FIELDS, PREFIX } from "./core-stage.ts";
import type { BenchRow } from "./figures.ts";
import { samplePdf } from "./sample-files.ts";

const FILES = 60;
/** Of all files; a single file gets as many checks. */
const ROUNDS = 10;
const HOUR_MS = 3_600_000;

/**
 * Checks of a document besides its signature: 50 KB with and without rehearsal, and B-LTA. All
 * files differ.
 */
export async function benchCoreChecks(): Promise<BenchRow[]> {
  const tasks = await loadTasks();
  const pdf = await samplePdf();
  const uploads = Array.from(
    { length: FILES },
    (_, index) => new Uint8Array(Buffer.concat([pdf, Buffer.from(`%${index}\n`)])),
  );
  const inspectMs = await medianOf(uploads, (bytes) => tasks.inspect(bytes));
  const controlMs = await medianOf(uploads, (bytes) => tasks.control(bytes));
  const [archived, trust] = await archivedFiles(uploads);
  const now = new Date(TEST_NOW.getTime() + 2 * HOUR_MS);
  const check = (bytes: Uint8Array) => validate(bytes, { evidence: trust, now });
  const validateMs = await medianOf(archived, check);
  const againMs = await medianOf(archived.slice(0, 1), check);
  const row = (what: string, value: number, goal: number | null): BenchRow => ({
    part: "core",
    what,
    value,
    unit: "ms",
    goal: goal === null ? null : { atMost: goal },
  });
  return [
    row("inspection of an upload of 50 KB, CPU", inspectMs, null),
    row("its control, rehearsal included", controlMs, 60),
    row("of which the rehearsal", controlMs - inspectMs, 15),
    row("check of a B-LTA file of 50 KB, one signer, its signatures new, CPU", validateMs, 3),
    row("check of the same file again", againMs, 3),
  ];
}

async function archivedFiles(uploads: readonly Uint8Array[]) {
  const [pki, fonts] = await Promise.all([createTestPki(), loadFonts()]);
  const fields = FIELDS.slice(0, 1);
  const archived: Uint8Array[] = [];
  const archivedAt = new Date(TEST_NOW.getTime() + HOUR_MS);
  // All files share the revocation list of the root.
  const list = await rootList(pki, archivedAt);
  for (const bytes of uploads) {
    const signer = await pki.issue({ commonName: "Banc d’essai" });
    const prepared = await prepareFields(bytes, { namePrefix: PREFIX, fonts, fields });
    const ownFields = fields.map(({ name, type }) => ({ name, type, value: null }));
    const options = { namePrefix: PREFIX, ownFields, fonts, mark: DRAWN };
    const signed = await signAs(prepared, { signer, tsa: pki.tsa, ownerKey: "a", options });
    archived.push(await archiveWith(pki, signed, archivedAt, list));
  }
  return [archived, trusting(pki.root.certificates)] as const;
}

/** CPU time of all threads, which other load affects least. */
async function medianOf(
  files: readonly Uint8Array[],
  work: (bytes: Uint8Array) => Promise<unknown>,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < (ROUNDS * FILES) / files.length; round += 1)
    for (const bytes of files) {
      const before = process.cpuUsage();
      await work(bytes);
      const { user, system } = process.cpuUsage(before);
      if (round > 1) times.push((user + system) / 1_000);
    }
  return times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)] ?? 0;
}
