import { createHash } from "node:crypto";
import pg from "pg";
import { isStalePlan } from "../error-code.ts";

/** Lists make many texts of one query, and names cost the server memory. */
const MAX_NAMES = 400;
/** A statement with more values has rows, whose number seldom recurs. */
const MAX_NAMED_VALUES = 60;

/**
 * Idle connections are probed, so that a silent server, or a new replica, is left before a
 * statement waits.
 */
const ASK_MS = 5_000;
const SILENT_MS = 3_000;

const CONNECT_MS = 5_000;

const CONNECTION_FAILURE = "08006";

/** Grows with a stale plan, as a pooler shares statements by text. */
let edition = 0;

/** read_only_sql_transaction: the server is now a replica, or is stopping. */
const isReadOnly = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === "25006";

/**
 * Names its statements: PostgreSQL then plans each text once per connection, half of its work here.
 * Detects a server that fell silent or became a replica. A shared pooler must support prepared
 * statements (PgBouncer from 1.21, `max_prepared_statements`).
 */
export class PreparingClient extends pg.Client {
  readonly #names = new Map<string, string>();
  readonly #edition = edition;
  readonly #answerMs: number;
  readonly #mayFollow: boolean;
  #held = false;
  #stale = false;
  #isAsked = false;
  #askedAt = 0;

  constructor(config?: pg.ClientConfig & { readonly mayFollow?: boolean }) {
    super({
      ...config,
      connectionTimeoutMillis: Math.min(config?.connectionTimeoutMillis ?? CONNECT_MS, CONNECT_MS),
    });
    this.#mayFollow = config?.mayFollow ?? false;
    this.#answerMs = config?.query_timeout ?? Number.POSITIVE_INFINITY;
    this.connection.on("errorMessage", (error: unknown) => {
      const isOfBefore = isStalePlan(error);
      if (isOfBefore) edition = Math.max(edition, this.#edition + 1);
      this.#stale ||= isOfBefore || isReadOnly(error);
    });
    this.on("drain", () => {
      this.#isAsked = false;
    });
    this.once("connect", () => {
      const timer = setInterval(() => this.#askWhileIdle(), ASK_MS).unref();
      this.once("end", () => clearInterval(timer));
    });
  }

  isStale(): boolean {
    return this.#stale;
  }

  isSilent(): boolean {
    return this.#isAsked && performance.now() - this.#askedAt >= this.#answerMs;
  }

  override query(...given: unknown[]): never {
    this.#corkUntilTickEnds();
    if (!this.#isAsked) this.#askedAt = performance.now();
    this.#isAsked = true;
    const [text, values, ...rest] = given;
    if (text === "begin") return this.#begin(given) as never;
    const name = typeof text === "string" ? this.#nameOf(text, values) : null;
    if (name === null) return Reflect.apply(super.query, this, given) as never;
    const isValues = Array.isArray(values);
    const config = {
      name,
      text: this.#edition === 0 ? text : `${String(text)} /* ${this.#edition} */`,
      ...(isValues ? { values } : {}),
    };
    return Reflect.apply(super.query, this, [
      config,
      ...(isValues ? rest : given.slice(1)),
    ]) as never;
  }

  /** Not awaited: later statements would each commit alone otherwise. */
  #begin(given: readonly unknown[]): Promise<unknown> {
    const begun = Reflect.apply(super.query, this, given) as Promise<unknown>;
    begun.catch((error: Error) => this.connection.stream.destroy(error));
    return begun;
  }

  #askWhileIdle(): void {
    if (this.#isAsked) return;
    let isAnswered = false;
    const giveUp = (why: string) =>
      this.connection.stream.destroy(Object.assign(new Error(why), { code: CONNECTION_FAILURE }));
    const answered = () => {
      isAnswered = true;
      clearTimeout(timer);
    };
    const timer = setTimeout(() => {
      // An answer may have come while this process was busy.
      setImmediate(() => {
        if (!isAnswered) giveUp("The database server fell silent");
      });
    }, SILENT_MS).unref();
    super
      .query<{ follows: boolean }>("select pg_is_in_recovery() as follows")
      .then(({ rows }) => {
        answered();
        if (rows[0]?.follows && !this.#mayFollow) giveUp("The database server follows another one");
      })
      .catch(answered);
  }

  /** Joins statements into one write, as each wakes the server. */
  #corkUntilTickEnds(): void {
    const { stream } = this.connection;
    if (this.#held || !stream) return;
    this.#held = true;
    stream.cork();
    process.nextTick(() => {
      this.#held = false;
      stream.uncork();
    });
  }

  /** Only a single statement on rows gains from a name. */
  #nameOf(text: string, values: unknown): string | null {
    if (this.#stale || (Array.isArray(values) && values.length > MAX_NAMED_VALUES)) return null;
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES || !/^\s*(select|insert|update|delete|with)\b/i.test(text))
      return null;
    if (!Array.isArray(values) && text.trim().slice(0, -1).includes(";")) return null;
    const name = createHash("sha256").update(text).digest("base64url").slice(0, 22);
    this.#names.set(text, name);
    return name;
  }
}
