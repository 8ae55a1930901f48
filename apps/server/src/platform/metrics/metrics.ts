import { collectDefaultMetrics, Counter, Gauge, Histogram, register, Registry } from "prom-client";

export type Reading = {
  readonly name: string;
  readonly help: string;
  readonly values: readonly {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
};

export type Metrics = {
  readonly contentType: string;
  /** A reader that fails leaves out its figures alone. */
  watch(read: () => Promise<readonly Reading[]>): void;
  text(): Promise<string>;
};

export function createMetrics(): Metrics {
  const watched: (() => Promise<readonly Reading[]>)[] = [];
  return {
    contentType: register.contentType,
    watch: (read) => void watched.push(read),
    async text() {
      // The event loop's delay costs a timer.
      if (register.getSingleMetric("process_cpu_seconds_total") === undefined)
        collectDefaultMetrics();
      const read = await Promise.allSettled(watched.map((one) => one()));
      const own = new Registry();
      for (const reading of read.flatMap((outcome) =>
        outcome.status === "fulfilled" ? outcome.value : [],
      ))
        addTo(own, reading);
      return Registry.merge([register, own]).metrics();
    },
  };
}

function addTo(registry: Registry, { name, help, values }: Reading): void {
  // A gauge would read 0 before its first value.
  const labelNames =
    values.length === 0
      ? ["none"]
      : [...new Set(values.flatMap(({ labels = {} }) => Object.keys(labels)))];
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  for (const { labels = {}, value } of values) gauge.set(labels, value);
}

/** Prometheus' names (docs/operations/watching.md); labels are patterns and codes, never ids. */

export const requestSeconds = new Histogram({
  name: "paraphe_http_request_duration_seconds",
  help: "Time to answer, by route.",
  labelNames: ["method", "route", "status"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

export const refusals = new Counter({
  name: "paraphe_refusals_total",
  help: "Calls that were refused, by the problem's code.",
  labelNames: ["reason"],
});

export const jobs = new Counter({
  name: "paraphe_jobs_total",
  help: "Jobs that were run, by how they ended: completed or failed.",
  labelNames: ["job", "outcome"],
});

export const sandboxStarts = new Counter({
  name: "paraphe_sandbox_starts_total",
  help: "Processes started to read PDFs and pictures.",
});

export const sandboxWaitSeconds = new Histogram({
  name: "paraphe_sandbox_wait_seconds",
  help: "Time that a task waited for a process which reads PDFs.",
  buckets: [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10],
});

export const timestampSeconds = new Histogram({
  name: "paraphe_timestamp_duration_seconds",
  help: "Time that an external time-stamping authority took to answer.",
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});
