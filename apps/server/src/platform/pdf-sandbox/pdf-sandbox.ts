import type { PdfTasks } from "./tasks.ts";

/**
 * Works on foreign PDFs in child processes with memory, processor and time limits.
 * Errors: `SandboxLimitError`; the core's `PadesError` with its code.
 */
export type PdfSandbox = PdfCalls & {
  /** The same for one caller: one task at a time. Errors: also `SandboxBusyError`. */
  askedBy(caller: SandboxCaller): PdfCalls;
  /** Errors: `SandboxAwayError` when no child can be started. */
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

/** `urgent`: a sender's files; `patient`: what may be refused under load. */
export type SandboxCaller = {
  readonly key: string;
  readonly haste: "urgent" | "patient";
  /** Yields its processor to all others. */
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

/**
 * The child was killed from outside (out of memory, say) or could not start: no verdict on the
 * bytes.
 */
export class SandboxAwayError extends Error {
  override readonly name = "SandboxAwayError";
  readonly statusCode = 503;
}

/** The bytes exceed a limit, or ended the process. */
export class SandboxLimitError extends Error {
  override readonly name = "SandboxLimitError";
  readonly reason: "memory" | "time" | "crash";

  constructor(reason: "memory" | "time" | "crash", options?: ErrorOptions) {
    super(`The PDF sandbox was ended: ${reason}`, options);
    this.reason = reason;
  }
}
