import type { KyselyPlugin } from "kysely";
import { loadDocumentsOf } from "../../apps/server/src/features/documents/store.ts";
import { listEnvelopes } from "../../apps/server/src/features/envelopes/list-envelopes.ts";
import { selectCounts } from "../../apps/server/src/features/envelopes/lists/store.ts";
import { selectUnreached } from "../../apps/server/src/features/notices/public.ts";
import type { Database } from "../../apps/server/src/platform/database/database.ts";

export type CapturedQuery = { readonly sql: string; readonly values: unknown[] };
/** Whose lists are read. */
export type ListReader = { readonly id: string; readonly emailKey: string };
type Asked = Partial<Parameters<typeof listEnvelopes>[2]>;

/** Every kind of question that the lists, the counts and the search ask. */
const LISTS: readonly (readonly [what: string, query: Asked])[] = [
  ["All, newest first", {}],
  ["Envoyé", { status: "sent" }],
  ["Envoyé, page 5", { status: "sent", page: 5 }],
  ["Envoyé, page 20,000", { status: "sent", page: 20_000 }],
  ["Envoyé, last page", { status: "sent", page: 40_000 }],
  ["Complété(s): one's own, and what others sent", { status: "completed" }],
  ["Action requise", { status: "action_required" }],
  ["Brouillons", { status: "draft" }],
  ["Supprimé", { status: "cancelled" }],
  ["Filter « Refusée »", { status: ["declined"] }],
  ["Filter « Expirée »", { status: ["expired"] }],
  ["Envoyé, oldest first", { status: "sent", ordering: "created_at" }],
  ["Envoyé, by title", { status: "sent", ordering: "title" }],
  ["Envoyé, by deadline", { status: "sent", ordering: "deadline_at" }],
  ["Envoyé, by title, from the end", { status: "sent", ordering: "-title" }],
  ["A period", { status: "sent", from: "2026-01-01", to: "2026-01-31" }],
  ["Search of one in a thousand", { search: "Œuvrard" }],
  ["Search of a single one", { search: "réf 9e3779b1" }],
  ["Search of a word that all titles hold", { search: "prestation" }],
  ["Search of nothing", { search: "introuvable" }],
  ["Search of two characters that nothing holds", { search: "zq" }],
  ["Search of three characters in an eighth of the titles", { search: "mar" }],
  [
    "Search of a word that another list holds, in Complété(s)",
    { status: "completed", search: "Œuvrard" },
  ],
  ["Search in Action requise", { status: "action_required", search: "avenant" }],
  ["Search, by title", { search: "Œuvrard", ordering: "title" }],
];

/** The text of a statement, however many ids it asks for. */
const shapeOf = ({ sql }: CapturedQuery) => sql.replaceAll(/\$\d+(, \$\d+)*/g, "$");

/** Gives the statements that each question sends, as they are sent. */
export async function captureListQueries(
  db: Database,
  person: ListReader,
): Promise<readonly { readonly what: string; readonly queries: readonly CapturedQuery[] }[]> {
  const seen: CapturedQuery[] = [];
  const watched = db.withPlugin(watching(db, seen));
  const asked: { what: string; queries: readonly CapturedQuery[] }[] = [];
  const capture = async (what: string, ask: () => Promise<unknown>) => {
    seen.length = 0;
    await ask();
    asked.push({ what, queries: [...seen] });
  };
  const user = {
    id: person.id,
    email: person.emailKey,
    email_key: person.emailKey,
    recipient_key: person.emailKey,
    full_name: "",
  };
  const read = (reader: Database, query: Asked) =>
    listEnvelopes(
      { db: reader, clock: () => new Date() },
      { user },
      { page: 1, page_size: 10, ordering: "-created_at", ...query },
    );
  const { results } = await read(db, {});
  await capture("The documents of a page", () =>
    loadDocumentsOf(
      watched,
      results.map(({ id }) => id),
    ),
  );
  await capture("Whom of a page no message has told", () =>
    selectUnreached(watched, { envelopeIds: results.map(({ id }) => id) }),
  );
  // What belongs to a page is read the same way whatever the list: once is enough.
  const ofPages = new Set(asked.flatMap(({ queries }) => queries.map(shapeOf)));
  const pages = asked.splice(0);
  for (const [what, query] of LISTS)
    await capture(what, async () => {
      await read(watched, query);
      seen.splice(0, seen.length, ...seen.filter((query) => !ofPages.has(shapeOf(query))));
    });
  await capture("Counts", () =>
    selectCounts(watched, { ownerId: person.id, emailKey: person.emailKey, isConfirmed: true }),
  );
  return [...asked, ...pages];
}

function watching(db: Database, seen: CapturedQuery[]): KyselyPlugin {
  return {
    transformQuery({ node, queryId }) {
      const { sql, parameters } = db.getExecutor().compileQuery(node, queryId);
      seen.push({ sql, values: [...parameters] });
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}
