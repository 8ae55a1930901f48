import type { Envelope } from "@paraphe/contracts";
import { type ReactNode, useRef } from "react";
import { useOutletContext } from "react-router";
import { plural } from "../../../lib/format/format-numbers.ts";
import { useDelayed } from "../../../lib/use-delayed.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { type Column, DataTable } from "../../../ui/data-table/data-table.tsx";
import { FilterBar, NothingFound } from "../../../ui/filter-bar/filter-bar.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { Pager } from "../../../ui/pager/pager.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { withTeam } from "../../accounts/team-field.tsx";
import { type ListedStatus, useCounts } from "../envelope-calls.ts";
import { unreachedCount } from "../reached-words.ts";
import type { useEnvelopeList } from "./use-envelope-list.ts";

type Source = ReturnType<typeof useEnvelopeList>;

type Props = {
  readonly title: string;
  readonly lede: string | ((count: number) => string);
  readonly failure: string;
  readonly source: Source;
  readonly columns: readonly Column<Envelope>[];
  readonly renderCard: (envelope: Envelope) => ReactNode;
  readonly rowTone?: (envelope: Envelope) => "danger" | undefined;
  readonly empty: ReactNode;
  /** The list's first action; an empty list offers it instead of rows. */
  readonly action?: ReactNode;
};

const SEARCH_WORDS = {
  label: "Rechercher par titre, signataire ou créateur",
  placeholder: "Titre, signataire, créateur",
  none: "Aucun titre, signataire ni créateur",
};
/** The search ignores the other recipients of received envelopes. */
const RECEIVED_WORDS = {
  label: "Rechercher par titre ou par créateur",
  placeholder: "Titre ou créateur",
  none: "Aucun titre ni créateur",
};

const NOTHING = { enveloppe: "Aucune enveloppe trouvée", document: "Aucun document trouvé" };

function useLede({ lede, source: { list, address, status } }: Props): string | undefined {
  // Rows shown while the list loads may be those of a narrowed list.
  const counts: Readonly<Partial<Record<ListedStatus, number>>> =
    useCounts({ isAsked: list.isPlaceholderData }).data ?? {};
  if (typeof lede === "string") return lede;
  const total = list.isPlaceholderData ? counts[status] : list.data?.count;
  return address.isNarrowed || total === undefined ? undefined : lede(total);
}

/** Rows already shown stay when they cannot be read again. */
export function ListPage(props: Props) {
  const { title, failure, source, empty, action } = props;
  const { list, address, found, preview } = source;
  const { data } = list;
  const lede = useLede(props);
  const { none, ...words } = source.status === "action_required" ? RECEIVED_WORDS : SEARCH_WORDS;
  const box = useRef<HTMLInputElement>(null);
  // The whole list's count is unknown while it loads again.
  const isAskedWhole = list.isPlaceholderData && !address.isNarrowed;
  const holdsSomething =
    address.isNarrowed || address.typed !== "" || isAskedWhole || (data?.count ?? 0) > 0;
  const slow = useDelayed(list.isPending, 200);
  return (
    <main className="main" id="contenu">
      <div className="page-head">
        <ListHeading title={title} lede={lede} />
        {(data === undefined || holdsSomething) && action}
      </div>
      {list.isError && data === undefined ? (
        <NotLoaded failure={failure} onRetry={() => void list.refetch()} />
      ) : (
        <div className="card" aria-busy={list.isPlaceholderData}>
          {holdsSomething && (
            <FilterBar
              {...{ address, box, found, preview }}
              {...words}
              isEmpty={data?.results.length === 0}
            />
          )}
          {list.isPending && slow && <SkeletonRows rows={6} label="Chargement des enveloppes" />}
          {data?.results.length === 0 &&
            (address.isNarrowed ? (
              <NothingFound
                {...{ address, box }}
                title={NOTHING[source.noun]}
                what={none}
                near={data.near}
              />
            ) : (
              empty
            ))}
          {data !== undefined && data.results.length > 0 && <ListRows {...props} data={data} />}
        </div>
      )}
    </main>
  );
}

type ListHeadingProps = { readonly title: string; readonly lede: string | undefined };

function ListHeading({ title, lede }: ListHeadingProps) {
  const area = useOutletContext<{ readonly openEnvironment: () => void } | null>();
  return (
    <div>
      <button
        type="button"
        className="crumb lt-rail"
        aria-haspopup="dialog"
        onClick={() => area?.openEnvironment()}
      >
        <Icon name="menu" size="sm" />
        Environnement
      </button>
      <PageHeading title={title}>{title}</PageHeading>
      {/* Empty or not, it has its line: the list below does not move. */}
      <p className="lede">{lede ?? "\u00a0"}</p>
    </div>
  );
}

function ListRows({
  title,
  source,
  columns,
  renderCard,
  rowTone,
  data,
}: Props & { readonly data: NonNullable<Source["list"]["data"]> }) {
  return (
    <>
      <DataTable
        caption={title}
        rows={data.results}
        rowKey={(envelope) => envelope.id}
        columns={columns}
        renderCard={renderCard}
        {...(rowTone ? { rowTone } : {})}
      />
      <Pager
        page={data.page}
        pageSize={data.page_size}
        count={data.count}
        capped={data.count_capped}
        onPage={source.address.goTo}
      />
    </>
  );
}

function NotLoaded({
  failure,
  onRetry,
}: {
  readonly failure: string;
  readonly onRetry: () => void;
}) {
  return (
    <Alert tone="danger">
      <div>{failure}</div>
      <Button size="sm" onClick={onRetry}>
        <Icon name="refresh" size="sm" />
        Réessayer
      </Button>
    </Alert>
  );
}

export function recipientsSummary(envelope: Envelope): string {
  const unreached = unreachedCount(envelope);
  const people = withSender(envelope, addresses(envelope));
  return unreached === "" ? people : `${unreached} · ${people}`;
}

function addresses(envelope: Envelope): string {
  const emails = envelope.recipients.map((recipient) => recipient.email);
  if (emails.length === 0) return "Sans destinataire";
  if (emails.length <= 3) return emails.join(", ");
  return `${emails.slice(0, 2).join(", ")} et ${emails.length - 2} autres`;
}

/** « Aucun fichier », « Sans destinataire », « 2 destinataires, champs à placer ». */
export function draftSummary(envelope: Envelope): string {
  return withSender(envelope, draftState(envelope));
}

/** « Service Urbanisme, Léo Marchand · come@exemple.fr ». */
function withSender({ team, created_by_name: sender }: Envelope, words: string): string {
  return team === undefined ? words : `${withTeam(team, sender).replace(" · ", ", ")} · ${words}`;
}

function draftState(envelope: Envelope): string {
  if (envelope.documents.length === 0) return "Aucun fichier";
  if (envelope.recipients.length === 0) return "Sans destinataire";
  const recipients = plural(envelope.recipients.length, "destinataire");
  return envelope.field_count === 0 ? `${recipients}, champs à placer` : recipients;
}
