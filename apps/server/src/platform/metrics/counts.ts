import { Counter, Histogram } from "prom-client";

/** What this process counts of its own work; the names are those of Prometheus (docs/operations/watching.md). Labels hold patterns and codes, never an id. */

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

export const sandboxStarts = new Counter({ name: "paraphe_sandbox_starts_total", help: "Processes started to read PDFs and pictures." });

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
