import type { PdfTasks } from "./tasks.ts";
import type { Outage } from "../error-code.ts";

/**
 * Reads foreign PDFs in child processes with limits.
 * Errors: `SandboxLimitError`; the core's `PadesError`.
 */
export type PdfSandbox = PdfCalls & {
  /** Runs one task at a time. Errors: also `SandboxBusyError`. */
  askedBy(caller: SandboxCaller): PdfCalls;
  /** Errors: `SandboxAwayError` when none can start. */
  check(): Promise<void>;
  close(): Promise<void>;
};

export type PdfCalls = {
  call<K extends keyof PdfTasks>(
    task: K,
    ...args: Parameters<PdfTasks[K]>
  ): ReturnType<PdfTasks[K]>;
};

export type PdfAccess = { readonly sandbox: PdfCalls };

/** `urgent`: a sender's files; `patient`: refused under load. */
export type SandboxCaller = {
  readonly key: string;
  readonly haste: "urgent" | "patient";
  readonly background?: true;
  readonly signal?: AbortSignal;
};

export class SandboxBusyError extends Error {
  override readonly name = "SandboxBusyError";
  readonly statusCode = 503;

  constructor() {
    super("Too many tasks wait for the PDF sandbox");
  }
}

/** The child was killed from outside (out of memory), or not started: no verdict on the bytes. */
export class SandboxAwayError extends Error {
  override readonly name = "SandboxAwayError";
  readonly outage = "service_unavailable" satisfies Outage;
  readonly statusCode = 503;
}

/** The bytes take too much, or end the child. */
export class SandboxLimitError extends Error {
  override readonly name = "SandboxLimitError";
  readonly reason: "memory" | "time" | "crash";

  constructor(reason: "memory" | "time" | "crash", options?: ErrorOptions) {
    super(`The PDF sandbox was ended: ${reason}`, options);
    this.reason = reason;
  }
}
