import { type Envelope, type ListEnvelopesQuery } from "@paraphe/contracts";
import { addDays } from "@paraphe/kernel/paris-days";
import { startOfParisDay } from "@paraphe/kernel/paris-time";
import type { Platform } from "../../platform/platform.ts";
import { loadDocumentsOf } from "../documents/public.ts";
import { holdersOf, isPermitted } from "../organisations/public.ts";
import { containsPattern, nearText, searchText, teamsNamed } from "./domain/search-text.ts";
import { type Actor, behalfIn, namesSignedFor, viewerOf } from "./domain/viewer.ts";
import {
  type ListFilter,
  type ListWindow,
  type Person,
  selectCounts,
  selectEnvelopeList,
  selectTexts,
} from "./lists/store.ts";
import type { EnvelopeAggregate } from "./store.ts";
import { loadUnreached, presentListed } from "./present-envelope.ts";

export function listPersonOf(user: Actor["user"]): Person {
  const { email_key, recipient_key, delegations = [] } = user;
  return {
    holders: holdersOf(user),
    emailKey: email_key,
    isConfirmed: recipient_key !== null,
    delegations: delegations.filter(({ overAt }) => overAt === null),
  };
}

type EnvelopeCounts = {
  readonly draft: number;
  readonly sent: number;
  readonly completed: number;
  readonly action_required: number;
  readonly cancelled: number;
};

/** `sent` includes pending, declined and expired; `completed` includes received. */
export async function countEnvelopes(
  platform: Pick<Platform, "db">,
  { user }: Pick<Actor, "user">,
): Promise<EnvelopeCounts> {
  const counts = await selectCounts(platform.db, listPersonOf(user));
  const sum = (...statuses: string[]) =>
    statuses.reduce((total, status) => total + (counts.get(status) ?? 0), 0);
  return {
    draft: sum("draft"),
    sent: sum("sent", "pending", "declined", "expired"),
    completed: sum("completed", "received"),
    action_required: sum("action_required"),
    cancelled: sum("cancelled"),
  };
}

type EnvelopeList = {
  readonly count: number;
  readonly count_capped?: boolean;
  readonly page: number;
  readonly page_size: number;
  readonly results: Envelope[];
  readonly near?: string;
};

/**
 * Lists what awaits the user (`action_required`), is completed (also received), or was sent. Days
 * are of Paris, both ends included.
 */
export async function listEnvelopes(
  platform: Pick<Platform, "db" | "clock">,
  { user }: Pick<Actor, "user">,
  query: ListEnvelopesQuery,
): Promise<EnvelopeList> {
  const { page, page_size } = query;
  const sought = searchText(query.search ?? "");
  const filter = filterOf(user, query, sought);
  const list = await selectEnvelopeList(platform.db, filter, {
    ...ordering(query.ordering),
    limit: page_size,
    offset: (page - 1) * page_size,
  });
  const results = await presentRows(platform, list.envelopes, { user, status: query.status });
  const near =
    list.count > 0 || filter.search === null
      ? null
      : nearText(sought, await selectTexts(platform.db, filter, filter.search));
  return {
    count: list.count,
    ...(list.capped ? { count_capped: true } : {}),
    page,
    page_size,
    results,
    ...(near === null ? {} : { near }),
  };
}

function filterOf(user: Actor["user"], query: ListEnvelopesQuery, sought: string): ListFilter {
  const inTitles = query.search_in === "title";
  const { team } = query;
  return {
    ...listPersonOf(user),
    status: statusOf(query.status),
    team: team === undefined || team === "mine" ? (team ?? null) : { id: team },
    search:
      sought === ""
        ? null
        : {
            text: sought,
            pattern: containsPattern(sought),
            inTitles,
            teams: inTitles ? [] : teamsNamed(user, sought),
          },
    from: query.from === undefined ? null : startOfParisDay(query.from),
    before: query.to === undefined ? null : startOfParisDay(addDays(query.to, 1)),
  };
}

type ListRows = Awaited<ReturnType<typeof selectEnvelopeList>>["envelopes"];

async function presentRows(
  platform: Pick<Platform, "db" | "clock">,
  rows: ListRows,
  { user, status }: Pick<Actor, "user"> & Pick<ListEnvelopesQuery, "status">,
): Promise<Envelope[]> {
  const ids = rows.map(({ envelope }) => envelope.id);
  const documents = await loadDocumentsOf(platform.db, ids);
  // A sender needs them only before any later action.
  const unreached = await loadUnreached(
    platform.db,
    rows.filter(({ recipients }) => recipients.some((one) => one.status === "notified")),
  );
  // The sender counts as a signer only in what awaits them.
  const emailKey = status === "action_required" ? user.email_key : null;
  const isReadOnly = !isPermitted(user.role, "do_work");
  return rows.flatMap(({ fieldCount, ...parts }) => {
    const aggregate: EnvelopeAggregate = {
      ...parts,
      fields: [],
      documents: documents.get(parts.envelope.id) ?? [],
    };
    const viewer = viewerOf(aggregate, user);
    if (!viewer.ok) return [];
    const looking = {
      viewer: viewer.value,
      emailKey,
      behalf: emailKey === null ? undefined : behalfIn(aggregate, user),
      signedFor: namesSignedFor(aggregate.recipients, user),
      isReadOnly,
      unreached,
      now: platform.clock(),
    };
    return [presentListed({ aggregate, fieldCount }, looking)];
  });
}

function statusOf(asked: ListEnvelopesQuery["status"]): ListFilter["status"] {
  if (asked === undefined || typeof asked === "string") return asked ?? null;
  return [...new Set(asked)].map((status) => (status === "unsigned" ? "sent" : status));
}

function ordering(text: ListEnvelopesQuery["ordering"]): Pick<ListWindow, "orderBy" | "direction"> {
  const descending = text.startsWith("-");
  return {
    orderBy: (descending ? text.slice(1) : text) as ListWindow["orderBy"],
    direction: descending ? "desc" : "asc",
  };
}
