import { createHash, generateKeyPairSync, sign as rawSign } from "node:crypto";
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadFonts } from "../apps/server/src/platform/fonts/load-fonts.ts";
import { createTimestampToken, prepareFields, type Signer } from "../packages/pades/src/index.ts";
import { benchCoreChecks } from "./core-checks.ts";
import { benchCoreMemory, benchCoreSizes } from "./core-sizes.ts";
import { benchSigner, FIELDS, fillerPdf, KB, MB, PREFIX, signOnce } from "./core-stage.ts";
import { realLargeFiles, realSmallFiles } from "./sample-files.ts";
import type { BenchRow } from "./figures.ts";

const ROUNDS = { small: 600, large: 25, token: 200 } as const;
const WARM_UP = 20;

/**
 * B-B signatures with appearance and values at two sizes, with the floor of the same run; bytes,
 * memory, one time-stamp token.
 */
export async function benchCoreSignature(): Promise<BenchRow[]> {
  const [fonts, signer] = await Promise.all([loadFonts(), benchSigner()]);
  const rows: BenchRow[] = [];
  const small = [{ name: "filler", bytes: fillerPdf(50 * KB) }, ...(await realSmallFiles())].map(
    (file) => ({
      what: `50 KB (${file.name})`,
      bytes: file.bytes,
      rounds: ROUNDS.small,
      goal: 8,
    }),
  );
  const large = [{ name: "filler", bytes: fillerPdf(10 * MB) }, ...(await realLargeFiles())].map(
    (file) => ({
      what: `10 MB (${file.name})`,
      bytes: file.bytes,
      rounds: ROUNDS.large,
      goal: 2.5,
    }),
  );
  for (const { what: name, bytes, rounds, goal } of [...small, ...large]) {
    const prepared = await prepareFields(bytes, { namePrefix: PREFIX, fonts, fields: FIELDS });
    const [floorMs, signMs] = await medians(rounds, [
      async () => floor(prepared),
      async () => writeOnce(await signOnce(prepared, { fonts, signer })),
    ]);
    rows.push(
      { part: "core", what: `B-B signature, ${name}, CPU`, value: signMs, unit: "ms", goal: null },
      {
        part: "core",
        what: `floor (SHA-256, one raw P-256 signature, one write), ${name}, CPU`,
        value: floorMs,
        unit: "ms",
        goal: null,
      },
      {
        part: "core",
        what: `B-B signature against the floor, ${name}`,
        value: signMs / floorMs,
        unit: "×",
        goal: { atMost: goal },
      },
    );
  }
  rows.push(
    await benchCoreMemory(fonts),
    ...(await benchCoreSizes(fonts)),
    ...(await benchCoreChecks()),
  );
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS.token; round += 1) await token(signer, round);
  const { user, system } = process.cpuUsage(before);
  rows.push({
    part: "core",
    what: "time-stamp token (P-256), CPU",
    value: (user + system) / 1000 / ROUNDS.token,
    unit: "ms",
    goal: { atMost: 1 },
  });
  return rows;
}

const rawKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

function floor(bytes: Uint8Array): void {
  rawSign("sha256", createHash("sha256").update(bytes).digest(), rawKey);
  writeOnce(bytes);
}

function writeOnce(bytes: Uint8Array): void {
  const path = join(tmpdir(), `paraphe-bench-${process.pid}.pdf`);
  const file = openSync(path, "w");
  writeSync(file, bytes);
  closeSync(file);
  unlinkSync(path);
}

/** CPU times by turns: other load affects both alike. */
async function medians(
  rounds: number,
  work: readonly [() => Promise<void>, () => Promise<void>],
): Promise<readonly [number, number]> {
  const times: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + WARM_UP; round += 1) {
    for (const [index, run] of work.entries()) {
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      if (round >= WARM_UP) times[index]?.push((user + system) / 1_000);
    }
  }
  const [left, right] = times.map(
    (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0,
  );
  return [left ?? 0, right ?? 0];
}

async function token(signer: Signer, serial: number): Promise<void> {
  await createTimestampToken(
    {
      hashAlgorithm: "SHA-256",
      imprint: new Uint8Array(32),
      nonce: null,
      certificateRequested: true,
    },
    {
      signer,
      policyOid: "1.3.6.1.4.1.32473.1",
      serialNumber: Uint8Array.of(1, serial >> 8, serial & 255),
      now: new Date(),
    },
  );
}
