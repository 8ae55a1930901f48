import { createHash } from "node:crypto";
import pg from "pg";
import { isStalePlan } from "../error-code.ts";

/** Names kept on one connection: lists of varying length make many texts of one query, and each name costs the server memory. */
const MAX_NAMES = 400;
/** With more values a text is a list of rows: one of many lengths, seldom asked again, that would take the name of one asked always. */
const MAX_NAMED_VALUES = 60;

/**
 * A connection that lies idle is asked this often whether its server is still there, and still the one that takes writes; one that says nothing for so long
 * is ended, before anybody's statement waits on it. What is asked of a silent server before then fails by `query_timeout`.
 */
const ASK_MS = 5_000;
const SILENT_MS = 3_000;

/** A server that does not let in by then is away. */
const CONNECT_MS = 5_000;

/** connection_failure, which whoever waits on the connection is told. */
const CONNECTION_FAILURE = "08006";

/**
 * Grows when a plan no longer holds. A pooler knows a prepared statement by its text and keeps it on its own connections, whichever of ours asks: what is
 * prepared anew is a text of its own there.
 */
let edition = 0;

/** read_only_sql_transaction: the server follows another one, or is being stopped. */
const isReadOnly = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === "25006";

/**
 * A connection that names its statements, so that PostgreSQL parses and plans each text once for a connection: half of its work here was planning.
 * It also finds out that its server fell silent, or follows another one.
 * Behind a pooler that shares connections between clients, the pooler must follow prepared statements (PgBouncer from 1.21 on, `max_prepared_statements`).
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

  /**
   * Whether it is to be replaced: a table was changed under one of its statements, and others may have been too; or its server takes no writes any more,
   * and another one may.
   */
  isStale(): boolean {
    return this.#stale;
  }

  /** Whether it was given up, or is about to be, because something asked of it was not answered in the time that statements are given. */
  isSilent(): boolean {
    return this.#isAsked && performance.now() - this.#askedAt >= this.#answerMs;
  }

  // The eight overloads of `query` differ in what follows its first argument only.
  override query(...given: unknown[]): never {
    this.#holdUntilTickEnds();
    if (!this.#isAsked) this.#askedAt = performance.now();
    this.#isAsked = true;
    const [text, values, ...rest] = given;
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
      // An answer that came while this process itself was held up is read first.
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
      // In a transaction that failed.
      .catch(answered);
  }

  /** What is asked in one go is written in one go: each write wakes the server. */
  #holdUntilTickEnds(): void {
    const { stream } = this.connection;
    if (this.#held || !stream) return;
    this.#held = true;
    stream.cork();
    process.nextTick(() => {
      this.#held = false;
      stream.uncork();
    });
  }

  /** Only a read or a write of rows gains from a plan, and only a single statement can be named. */
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
