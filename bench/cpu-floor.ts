import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROUNDS = 2_000;

/**
 * CPU milliseconds of one hash of 50 KB, one raw P-256 signature and one write, measured beside the
 * service: other load affects both alike.
 */
export function measureCpuFloorMs(): number {
  const bytes = new Uint8Array(50 * 1_024).fill(7);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const path = join(tmpdir(), `paraphe-bench-floor-${process.pid}`);
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) {
    sign("sha256", createHash("sha256").update(bytes).digest(), privateKey);
    writeFileSync(path, bytes);
  }
  const { user, system } = process.cpuUsage(before);
  unlinkSync(path);
  return (user + system) / 1_000 / ROUNDS;
}
