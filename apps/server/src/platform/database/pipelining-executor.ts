import {
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type QueryResult,
} from "kysely";
import { inSpan, type SpanStart } from "../traces/spans.ts";
import { isStalePlan } from "../error-code.ts";

/** More than a pool holds connections: each try takes one out of it. */
const STALE_TRIES = 100;
/** Units: characters. */
const LONGEST_TEXT = 2_000;

/**
 * Lets the queries of one transaction be sent without waiting for the answers before them: `inParallel([insertRows(trx), updateRow(trx)])` costs one
 * journey. They run in the order in which they were begun, which is that of the calls; awaited one by one, they are sent one by one.
 * The connection must be in pipeline mode. When one fails, those after it fail too: the transaction is aborted.
 * Outside a transaction, a query whose plan no longer holds did nothing: it is asked again on another connection.
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

/** Its text as it is prepared: values stand in its parameters, which are nobody's business. Source: OpenTelemetry's conventions for databases. */
function statementSpan(text: string): SpanStart {
  const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? "SQL";
  const attributes = {
    "db.system.name": "postgresql",
    "db.operation.name": operation,
    "db.query.text": text.slice(0, LONGEST_TEXT),
  };
  return { name: operation, kind: "client", attributes };
}

/** The provider of a transaction hands out its one connection to one query at a time; this keeps it, and hands it out at once. */
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
