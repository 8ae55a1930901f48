type Details = {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** The problem's stable code, when the server gave one. */
  readonly code?: string | undefined;
  /** The sentence the server wrote for a person: its `detail`, else its `error`. */
  readonly sentence?: string | undefined;
  readonly errors?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly body?: unknown;
  readonly retryAfterS?: number | undefined;
};

/** A call that failed: refused by the server, or left without an answer (`status` 0). */
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

  /** Field → messages of a validation error; empty otherwise. */
  get fieldErrors(): Readonly<Record<string, readonly string[]>> {
    return this.details.errors ?? {};
  }

  /** True when the service never answered: network cut, server away, time-out. */
  get isUnreachable(): boolean {
    return this.details.status === 0;
  }
}
