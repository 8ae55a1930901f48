import type { PdfTasks } from "./tasks.ts";

/**
 * Runs the work on foreign PDF bytes in child processes with memory, processor and time limits.
 * Errors: `SandboxLimitError` when a limit was broken; a `PadesError` of the core comes back as it was thrown, its code kept.
 */
export type PdfSandbox = PdfCalls & {
  /** The same tasks for somebody who asks: one at a time, and if patient, never all places. Errors, besides: `SandboxBusyError`. */
  askedBy(caller: SandboxCaller): PdfCalls;
  /** Resolves when a child can work; one that works does. Errors: `SandboxAwayError` when none can be started. */
  check(): Promise<void>;
  /** Ends every child. */
  close(): Promise<void>;
};

export type PdfCalls = {
  call<K extends keyof PdfTasks>(
    task: K,
    ...args: Parameters<PdfTasks[K]>
  ): ReturnType<PdfTasks[K]>;
};

/** What work on PDFs is given: the sandbox itself, or what somebody's tasks get of it. */
export type PdfAccess = { readonly sandbox: PdfCalls };

/** Who asks for a task. `urgent` is for the files of somebody who sends them, `patient` for what may be refused when too many ask. */
export type SandboxCaller = {
  /** One task at a time is run for one key. */
  readonly key: string;
  readonly haste: "urgent" | "patient";
  /** Nobody waits for the answer: its child gives the processors to whoever else wants them. */
  readonly background?: true;
  /** Aborted when nobody waits for the answer any more: a task that has not begun is dropped. */
  readonly signal?: AbortSignal;
};

/** Too many tasks wait, or nobody waits for this one any more. */
export class SandboxBusyError extends Error {
  override readonly name = "SandboxBusyError";
  readonly statusCode = 503;

  constructor() {
    super("Too many tasks wait for the PDF sandbox");
  }
}

/** Somebody else ended the child, the kernel for want of memory say, or none can be started: it says nothing of the bytes. */
export class SandboxAwayError extends Error {
  override readonly name = "SandboxAwayError";
  readonly statusCode = 503;
}

/** The bytes cost more than the sandbox gives, or ended its process. */
export class SandboxLimitError extends Error {
  override readonly name = "SandboxLimitError";
  readonly reason: "memory" | "time" | "crash";

  constructor(reason: "memory" | "time" | "crash", options?: ErrorOptions) {
    super(`The PDF sandbox was ended: ${reason}`, options);
    this.reason = reason;
  }
}
