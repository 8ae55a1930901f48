import { collectDefaultMetrics, Gauge, Registry, register } from "prom-client";

/** One figure that is read when it is asked for. */
export type Reading = {
  readonly name: string;
  readonly help: string;
  readonly values: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
};

/** What the service says of itself, in Prometheus' text format. */
export type Metrics = {
  readonly contentType: string;
  /** Adds figures that are read anew each time; where they cannot be, the others are given without them. */
  watch(read: () => Promise<readonly Reading[]>): void;
  text(): Promise<string>;
};

/** Gives the figures of this process (`counts.ts`, Node's own) and those that are watched. */
export function createMetrics(): Metrics {
  const watched: (() => Promise<readonly Reading[]>)[] = [];
  return {
    contentType: register.contentType,
    watch: (read) => void watched.push(read),
    async text() {
      // From the first question on: to measure the delay of the event loop costs a timer.
      if (register.getSingleMetric("process_cpu_seconds_total") === undefined) collectDefaultMetrics();
      const read = await Promise.allSettled(watched.map((one) => one()));
      const own = new Registry();
      for (const reading of read.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []))) addTo(own, reading);
      return Registry.merge([register, own]).metrics();
    },
  };
}

function addTo(registry: Registry, { name, help, values }: Reading): void {
  // A gauge without labels is 0 until it is set: one that has no value yet is named, and says nothing.
  const labelNames = values.length === 0 ? ["none"] : [...new Set(values.flatMap(({ labels = {} }) => Object.keys(labels)))];
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  for (const { labels = {}, value } of values) gauge.set(labels, value);
}
