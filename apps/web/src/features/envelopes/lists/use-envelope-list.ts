import { type ListEnvelopesQuery, PAGE_SIZE, type Progress } from "@paraphe/contracts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation, useSearchParams } from "react-router";
import { plural } from "../../../lib/format/format-numbers.ts";
import {
  chosenOf,
  type Filter,
  type FilterValues,
  type Order,
  periodFilter,
  periodOf,
  useListAddress,
} from "../../../ui/filter-bar/filters.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { teamQuery, useTeamFilter } from "../../accounts/team-field.tsx";
import { type ListedStatus, envelopeCalls } from "../envelope-calls.ts";
import { rememberListAddress } from "../use-row-action.ts";

const CREATED = periodFilter("Création");
/** `late`: the deadline has passed, and the envelope waits for more time. */
const PROGRESS = {
  name: "avancement",
  label: "Avancement",
  takesSeveral: true,
  choices: [
    { slug: "non-signees", label: "Personne n’a signé" },
    { slug: "partielles", label: "Partiellement signée" },
    { slug: "en-retard", label: "En retard" },
    { slug: "refusees", label: "Refusée" },
  ],
} as const satisfies Filter;
const STATUSES: Readonly<Record<string, Progress>> = {
  "non-signees": "unsigned",
  partielles: "pending",
  "en-retard": "expired",
  refusees: "declined",
};

const TEAM = { label: "De", all: "Tout le monde", mine: "Moi" };

function useFilters(list: ListedStatus): readonly Filter[] {
  const ofTeams = useTeamFilter(TEAM);
  return [CREATED, ...ofTeams, ...(list === "sent" ? [PROGRESS] : [])];
}

type ListOrder = Order & { readonly ordering: NonNullable<ListEnvelopesQuery["ordering"]> };

const LIST_ORDERS: readonly [ListOrder, ...ListOrder[]] = [
  { slug: "recentes", ordering: "-created_at", label: "Plus récentes" },
  { slug: "anciennes", ordering: "created_at", label: "Plus anciennes" },
  { slug: "titre", ordering: "title", label: "Titre, de A à Z" },
  { slug: "titre-z-a", ordering: "-title", label: "Titre, de Z à A" },
  { slug: "echeance", ordering: "deadline_at", label: "Échéance proche" },
];

type Options = {
  readonly status: ListedStatus;
  readonly failure: string;
  readonly noun?: "document" | "enveloppe";
};

/** The service's greatest page number. */
const LAST_PAGE_ASKED = 1_000_000;

export function useEnvelopeList({ status, failure, noun = "enveloppe" }: Options) {
  const filters = useFilters(status);
  const address = useListAddress(useSearchParams(), { orders: LIST_ORDERS, filters });
  const { search, order, values, goTo } = address;
  const { pathname, search: query } = useLocation();
  const page = Math.min(LAST_PAGE_ASKED, address.page);
  const ordering = order === LIST_ORDERS[0] ? undefined : order.ordering;
  const filtered = (chosen: FilterValues) => ({
    status:
      chosenOf(PROGRESS, chosen)
        .map(({ slug }) => STATUSES[slug])
        .join(",") || status,
    ...periodOf(chosen, new Date()),
    ...teamQuery(filters, chosen),
  });
  const asked = { ...filtered(values), search };
  const list = useQuery({
    queryKey: ["envelopes", "list", asked.status, { ...asked, page, ordering }],
    queryFn: ({ signal }) =>
      envelopeCalls.list({ ...asked, page, page_size: PAGE_SIZE, ordering }, signal),
    placeholderData: keepPreviousData,
  });
  const { error, data, isPlaceholderData } = list;

  useEffect(() => {
    if (error) showToast("err", failure);
  }, [error, failure]);
  useEffect(() => rememberListAddress(pathname, query), [pathname, query]);

  // An address past the end is replaced by that of the last page.
  const lastPage =
    data && !isPlaceholderData ? Math.max(1, Math.ceil(data.count / data.page_size)) : page;
  useEffect(() => {
    if (page > lastPage) goTo(lastPage, { replace: true });
  });

  const words = (found: { readonly count: number; readonly count_capped?: boolean | undefined }) =>
    `${found.count_capped === true ? "plus de " : ""}${plural(found.count, noun)}`;
  const preview = async (chosen: FilterValues, signal: AbortSignal) =>
    words(await envelopeCalls.list({ ...filtered(chosen), search, page: 1, page_size: 1 }, signal));
  return {
    status,
    noun,
    list,
    address,
    found: data && !isPlaceholderData ? words(data) : undefined,
    preview,
  };
}
