import type { ApiClient } from "../tests/support/api-client.ts";
import type { RunningServer } from "../tests/support/start-server.ts";
import { percentile } from "./percentile.ts";
import { readCpuShares, type Share } from "./process-tree.ts";
import type { BenchRow } from "./row.ts";

const WARM_UP = 40;
const DOCUMENTS = 60;
const MARK = { kind: "typed", text: "Basile Étalon", font: "caveat" };
const PLACE = { page: -1, x: 0.55, y: 0.8, width: 0.35, height: 0.08 };
const SHARES: readonly (readonly [Share, string])[] = [
  ["server", "the server process"],
  ["database", "PostgreSQL"],
  ["sandbox", "the PDF sandbox"],
];

/** Self-signed files of 50 KB over HTTP, one by one, each a B-LTA answer. */
export async function benchSelfSign(
  server: RunningServer,
  client: ApiClient,
  pdf: Uint8Array,
): Promise<BenchRow[]> {
  const sign = async (number: number): Promise<number> => {
    const form = new FormData();
    form.append("title", `Document ${number}`);
    form.append("placement", JSON.stringify(PLACE));
    form.append("signature", JSON.stringify(MARK));
    form.append(
      "file",
      new Blob([new Uint8Array(pdf)], { type: "application/pdf" }),
      "document.pdf",
    );
    const started = performance.now();
    const answer = await client.post("/api/signature/self-sign/", {
      form,
      headers: { accept: "application/pdf" },
    });
    if (answer.status !== 200) throw new Error(`self-sign answered ${answer.status}`);
    return performance.now() - started;
  };
  for (let number = 0; number < WARM_UP; number += 1) await sign(number);
  const before = await readCpuShares(server.pid, server.dataDir);
  const times: number[] = [];
  for (let number = 0; number < DOCUMENTS; number += 1) times.push(await sign(number));
  const after = await readCpuShares(server.pid, server.dataDir);
  const spent = (share: Share): number => ((after[share] - before[share]) * 1_000) / DOCUMENTS;
  const total = SHARES.reduce((sum, [share]) => sum + spent(share), 0);
  return [
    {
      part: "http",
      what: "B-LTA self-sign of 50 KB, whole service, CPU",
      value: total,
      unit: "ms",
      goal: { atMost: 25 },
    },
    ...SHARES.map(
      ([share, whose]): BenchRow => ({
        part: "http",
        what: `of which ${whose}`,
        value: spent(share),
        unit: "ms",
        goal: null,
      }),
    ),
    {
      part: "http",
      what: "the same, wall time, 1 client (p50)",
      value: percentile(times, 0.5),
      unit: "ms",
      goal: null,
    },
  ];
}
