import { startServer } from "../tests/support/start-server.ts";
import { type BenchRow, readMemoryMb } from "./figures.ts";

/** Times a start up to the ready line, as by `npm start` with dependencies. */
export async function benchStart(): Promise<BenchRow[]> {
  const first = await startServer({ entry: "start" });
  await first.stop();
  const second = await startServer({ entry: "start", dataDir: first.dataDir });
  const memoryMb = await readMemoryMb(second.pid, second.dataDir);
  await second.close();
  return [
    {
      part: "start",
      what: "first start on an empty folder (dependencies installed)",
      value: first.startMs / 1_000,
      unit: "s",
      goal: { atMost: 60 },
    },
    {
      part: "start",
      what: "second start",
      value: second.startMs / 1_000,
      unit: "s",
      goal: { atMost: 3 },
    },
    {
      part: "start",
      what: "memory at the ready line, database included",
      value: memoryMb,
      unit: "MB",
      goal: { atMost: 250 },
    },
  ];
}
