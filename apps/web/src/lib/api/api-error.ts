type Details = {
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly code?: string | undefined;
  /** The server's `detail`, else its `error`. */
  readonly sentence?: string | undefined;
  readonly errors?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly body?: unknown;
  readonly retryAfterS?: number | undefined;
};

export class ApiError extends Error {
  readonly details: Details;

  constructor(details: Details, options?: ErrorOptions) {
    super(details.sentence ?? details.code ?? `HTTP ${details.status}`, options);
    this.name = "ApiError";
    this.details = details;
  }

  get status(): number {
    return this.details.status;
  }

  get code(): string | undefined {
    return this.details.code;
  }

  get fieldErrors(): Readonly<Record<string, readonly string[]>> {
    return this.details.errors ?? {};
  }

  get isUnreachable(): boolean {
    return this.details.status === 0;
  }
}

/** The server's sentence, else the call's French default (specification §8). */
export function callMessage(error: unknown, fallback: string): string {
  return serverSentence(error) ?? fallback;
}

export function serverSentence(error: unknown): string | undefined {
  return error instanceof ApiError ? error.details.sentence : undefined;
}
