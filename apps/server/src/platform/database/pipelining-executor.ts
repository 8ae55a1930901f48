import {
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type QueryResult,
} from "kysely";
import { inSpan, type SpanStart } from "../traces/spans.ts";
import { STALE_TRIES, isStalePlan } from "../error-code.ts";

/** Units: characters. */
const LONGEST_TEXT = 2_000;

/**
 * Sends the queries of a transaction without waiting for earlier answers:
 * `inParallel([lockRow(trx), updateRow(trx)])` costs one round trip, in the order of the calls.
 * Needs a connection in pipeline mode. A failure fails the later ones: the transaction is aborted.
 * Outside a transaction, a stale statement runs again on another connection.
 */
export class PipeliningExecutor extends DefaultQueryExecutor {
  override async executeQuery<R>(
    ...given: Parameters<DefaultQueryExecutor["executeQuery"]>
  ): Promise<QueryResult<R>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await inSpan(
          () => statementSpan(given[0].sql),
          () => super.executeQuery<R>(...given),
        );
      } catch (error) {
        if (attempt === STALE_TRIES || !isStalePlan(error)) throw error;
      }
    }
  }

  override withConnectionProvider(provider: ConnectionProvider): DefaultQueryExecutor {
    return super.withConnectionProvider(withoutWaiting(provider));
  }
}

/**
 * The prepared text, without the personal data in its parameters. Source: OpenTelemetry's database
 * conventions.
 */
function statementSpan(text: string): SpanStart {
  const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? "SQL";
  const attributes = {
    "db.system.name": "postgresql",
    "db.operation.name": operation,
    "db.query.text": text.slice(0, LONGEST_TEXT),
  };
  return { name: operation, kind: "client", attributes };
}

/**
 * A transaction's provider lends its connection to one query at a time; this lends it to all at
 * once.
 */
function withoutWaiting(provider: ConnectionProvider): ConnectionProvider {
  let connection: DatabaseConnection | null = null;
  const given = provider.provideConnection(async (one) => {
    connection = one;
    return one;
  });
  given.catch(() => {});
  return {
    provideConnection: async (consumer) => consumer(connection ?? (await given)),
  };
}
