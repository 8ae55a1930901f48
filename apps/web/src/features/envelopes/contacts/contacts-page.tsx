import { type Contact, type ContactOrigin, teamLabel } from "@paraphe/contracts";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { callMessage } from "../../../lib/api/api-error.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { formatDay } from "../../../lib/format/format-dates.ts";
import { formatCount, plural } from "../../../lib/format/format-numbers.ts";
import { useDelayed } from "../../../lib/use-delayed.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Avatar } from "../../../ui/avatar/avatar.tsx";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { actionsColumn, type Column, DataTable } from "../../../ui/data-table/data-table.tsx";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { FilterBar, NothingFound } from "../../../ui/filter-bar/filter-bar.tsx";
import {
  chosenOf,
  type Filter,
  type FilterValues,
  type Order,
  useListAddress,
} from "../../../ui/filter-bar/filters.ts";
import { focusOnceDrawn } from "../../../ui/focus/preserve-focus.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { Menu } from "../../../ui/menu/menu.tsx";
import { Pager } from "../../../ui/pager/pager.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { Switch } from "../../../ui/switch/switch.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { SettingRow } from "../../accounts/settings/setting-row.tsx";
import { LoadFailure, PLACES, SettingsLayout } from "../../accounts/settings/settings-layout.tsx";
import { SHARING, teamQuery, useTeamFilter } from "../../accounts/team-field.tsx";
import { useMayWork } from "../../accounts/use-session.ts";
import {
  contactCalls,
  contactSettingsQuery,
  contactsKey,
  doublesQuery,
  importQuery,
  type Pair,
} from "./contact-calls.ts";
import styles from "./contacts.module.css";

const ContactDialog = lazyDialog(async () => (await import("./contact-dialog.tsx")).ContactDialog);
const ImportDialog = lazyDialog(async () => (await import("./import-dialog.tsx")).ImportDialog);
const DoublesDialog = lazyDialog(async () => (await import("./doubles-dialog.tsx")).DoublesDialog);

type ContactOrder = Order & { readonly ordering: "recent" | "name" };
const ORDERS: readonly [ContactOrder, ...ContactOrder[]] = [
  { slug: "recents", ordering: "recent", label: "Récents" },
  { slug: "nom", ordering: "name", label: "Nom, de A à Z" },
];
const ORIGIN = {
  name: "origine",
  label: "Origine",
  choices: [
    { slug: "", label: "Toutes" },
    { slug: "envois", label: "Gardés d’un envoi" },
    { slug: "imports", label: "Importés" },
    { slug: "ajouts", label: "Ajoutés à la main" },
  ],
} as const satisfies Filter;
const ORIGINS: Readonly<Record<string, ContactOrigin>> = {
  envois: "sent",
  imports: "imported",
  ajouts: "added",
};
const PAGE_SIZE = 20;

function useContacts() {
  const filters = [ORIGIN, ...useTeamFilter(SHARING)];
  const address = useListAddress(useSearchParams(), { orders: ORDERS, filters });
  const { search, page } = address;
  const ordering = address.order.ordering;
  const filtered = (values: FilterValues) => {
    const origin = ORIGINS[chosenOf(ORIGIN, values)[0]?.slug ?? ""];
    return {
      search,
      ...(origin === undefined ? {} : { origin }),
      ...teamQuery(filters, values),
    };
  };
  const asked = { ...filtered(address.values), ordering, page, page_size: PAGE_SIZE };
  const list = useQuery({
    queryKey: [...contactsKey, "list", asked],
    queryFn: ({ signal }) => contactCalls.list(asked, signal),
    placeholderData: keepPreviousData,
  });
  const preview = async (values: FilterValues, signal: AbortSignal) =>
    plural(
      (await contactCalls.list({ ...filtered(values), page: 1, page_size: 1 }, signal)).count,
      "contact",
    );
  const { data, isPlaceholderData } = list;
  const last = data && !isPlaceholderData ? Math.max(1, Math.ceil(data.count / PAGE_SIZE)) : page;
  const { goTo } = address;
  useEffect(() => {
    if (page > last) goTo(last, { replace: true });
  });
  return { address, list, preview };
}

type Asked =
  | { readonly kind: "add" | "import" }
  | { readonly kind: "doubles"; readonly pair?: Pair }
  | { readonly kind: "change" | "erase"; readonly contact: Contact };
type Ask = (asked: Asked) => void;

export function ContactsPage() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const source = useContacts();
  const { data } = source.list;
  const isNarrowed = source.address.isNarrowed || source.address.typed !== "";
  const isEmpty = data?.count === 0 && !isNarrowed;
  const mayWork = useMayWork();
  const lede =
    isEmpty || data === undefined || isNarrowed
      ? "Les personnes à qui vous envoyez des documents."
      : data.count === 1
        ? "1\u00a0contact, gardé d’un envoi ou importé."
        : `${plural(data.count, "contact")}, gardés des envois ou importés.`;
  return (
    <SettingsLayout
      title={PLACES.contacts.label}
      lede={lede}
      actions={
        mayWork && (
          <div className={styles["actions"]}>
            <Button onClick={() => setAsked({ kind: "import" })}>Importer</Button>
            <Button
              variant={isEmpty ? "secondary" : "primary"}
              onClick={() => setAsked({ kind: "add" })}
            >
              Nouveau contact
            </Button>
          </div>
        )
      }
    >
      <DoublesNote onOpen={() => setAsked({ kind: "doubles" })} />
      <ImportNote />
      <ContactList {...{ source, isEmpty }} ask={setAsked} />
      {mayWork && <HabitsCard />}
      <Dialogs asked={asked} ask={setAsked} onClose={() => setAsked(null)} />
    </SettingsLayout>
  );
}

type DialogsProps = {
  readonly asked: Asked | null;
  readonly ask: Ask;
  readonly onClose: () => void;
};

function Dialogs({ asked, ask, onClose }: DialogsProps) {
  const onCompare = (pair: Pair) => ask({ kind: "doubles", pair });
  switch (asked?.kind) {
    case "add":
      return <ContactDialog contact={null} {...{ onCompare, onClose }} />;
    case "change":
      return <ContactDialog contact={asked.contact} {...{ onCompare, onClose }} />;
    case "erase":
      return <EraseContactDialog contact={asked.contact} onClose={onClose} />;
    case "import":
      return <ImportDialog onClose={onClose} />;
    case "doubles":
      return <DoublesDialog pair={asked.pair} onClose={onClose} />;
    default:
      return null;
  }
}

type EraseProps = { readonly contact: Contact; readonly onClose: () => void };

function EraseContactDialog({ contact, onClose }: EraseProps) {
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const erase = async () => {
    setIsBusy(true);
    try {
      await contactCalls.erase(contact.id);
      showToast("ok", "Contact effacé");
    } catch (error) {
      showToast("err", callMessage(error, "Le contact n’a pas pu être effacé."));
    }
    onClose();
    void client.invalidateQueries({ queryKey: ["suggestions"] });
    await client.invalidateQueries({ queryKey: contactsKey });
    focusOnceDrawn(() => document.querySelector<HTMLElement>("main h1"));
  };
  return (
    <ConfirmDialog
      title={`Effacer ${contact.full_name}\u202f?`}
      message="Son nom et son adresse quittent vos contacts et la saisie assistée. Les enveloppes déjà envoyées et leurs preuves ne changent pas."
      confirmLabel="Effacer"
      cancelLabel="Garder le contact"
      tone="danger"
      busy={isBusy}
      onConfirm={() => void erase()}
      onCancel={onClose}
    />
  );
}

function DoublesNote({ onOpen }: { readonly onOpen: () => void }) {
  const count = useQuery(doublesQuery).data?.count ?? 0;
  if (count === 0) return null;
  return (
    <Alert tone="info">
      <div>
        {count === 1
          ? "2 contacts semblent n’en faire qu’un."
          : `${formatCount(count)} contacts semblent être en double.`}{" "}
        <LinkAction onClick={onOpen}>Les comparer</LinkAction>
      </div>
    </Alert>
  );
}

/** Follows a background import, and reads the list again when it ends. */
function ImportNote() {
  const client = useQueryClient();
  const found = useQuery(importQuery).data;
  const wasRunning = useRef(false);
  const state = found?.state;
  const written = found?.written_count ?? 0;
  useEffect(() => {
    if (state === "running") wasRunning.current = true;
    else if (wasRunning.current && state === "done") {
      wasRunning.current = false;
      showToast("ok", plural(written, "contact importé", "contacts importés"));
      void client.invalidateQueries({ queryKey: contactsKey });
    }
  }, [state, written, client]);
  if (found?.state !== "running") return null;
  const total = found.new_count + found.known_count;
  return (
    <Alert tone="info">
      <div>{`Import de ${found.file_name} en cours\u00a0: ${formatCount(written)} contacts sur ${formatCount(total)}. Vous pouvez quitter cette page.`}</div>
    </Alert>
  );
}

type ContactListProps = {
  readonly source: ReturnType<typeof useContacts>;
  readonly isEmpty: boolean;
  readonly ask: Ask;
};

function ContactList({ source, isEmpty, ask }: ContactListProps) {
  const { address, list, preview } = source;
  const { data, isPending, isPlaceholderData, error, refetch } = list;
  const box = useRef<HTMLInputElement>(null);
  const slow = useDelayed(isPending, 200);
  if (data === undefined && error !== null)
    return (
      <LoadFailure
        error={error}
        fallback="Impossible de charger vos contacts"
        onRetry={() => void refetch()}
      />
    );
  if (isEmpty) return <NoContact ask={ask} />;
  return (
    <section className="card" aria-label="Contacts" aria-busy={isPlaceholderData}>
      <FilterBar
        {...{ address, box, preview }}
        label="Rechercher un contact"
        placeholder="Nom, email, société"
        found={data && !isPlaceholderData ? plural(data.count, "contact") : undefined}
        isEmpty={data?.results.length === 0}
      />
      {isPending && slow && <SkeletonRows rows={6} label="Chargement des contacts" />}
      {data?.results.length === 0 && (
        <NothingFound
          {...{ address, box }}
          title="Aucun contact trouvé"
          what="Aucun nom, email ni société"
        />
      )}
      {data !== undefined && data.results.length > 0 && (
        <>
          <DataTable
            caption="Contacts"
            rows={data.results}
            rowKey={({ id }) => id}
            columns={columnsOf(ask)}
            renderCard={(contact) => <ContactCard {...{ contact, ask }} />}
          />
          <Pager
            page={data.page}
            pageSize={data.page_size}
            count={data.count}
            onPage={address.goTo}
          />
        </>
      )}
    </section>
  );
}

function NoContact({ ask }: { readonly ask: Ask }) {
  const mayWork = useMayWork();
  return (
    <div className="card">
      <EmptyState
        title="Aucun contact"
        action={
          mayWork && (
            <Button variant="primary" onClick={() => ask({ kind: "import" })}>
              Importer des contacts
            </Button>
          )
        }
      >
        Les personnes à qui vous envoyez un document se retrouvent ici. Vous pouvez aussi importer
        un fichier CSV ou vCard.
      </EmptyState>
    </div>
  );
}

function columnsOf(ask: Ask): readonly Column<Contact>[] {
  return [
    { key: "contact", header: "Contact", wide: true, cell: (contact) => <Who contact={contact} /> },
    {
      key: "company",
      header: "Société",
      cell: ({ company }) => <span className="ink2 break">{company ?? "–"}</span>,
    },
    {
      key: "sent",
      header: "Enveloppes",
      className: "num nowrap ink2",
      cell: ({ sent_count }) => (sent_count === 0 ? "–" : plural(sent_count, "enveloppe")),
    },
    {
      key: "last",
      header: "Dernière",
      className: "num nowrap ink2",
      cell: ({ last_sent_at }) => (last_sent_at === null ? "–" : formatDay(last_sent_at)),
    },
    actionsColumn((contact) => <RowMenu {...{ contact, ask }} />),
  ];
}

/** One of six colours, always the same for one address. */
function colorOf({ email }: Contact): number {
  return ([...email].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 6) + 1;
}

function Who({ contact }: { readonly contact: Contact }) {
  return (
    <div className={styles["who"]}>
      <Avatar name={contact.full_name} color={colorOf(contact)} />
      <div>
        <b>{contact.full_name}</b>
        <small title={contact.email}>{contact.email}</small>
        {contact.second_email !== null && <small>{contact.second_email}</small>}
        {contact.team && <small>{teamLabel(contact.team.name)}</small>}
      </div>
    </div>
  );
}

type RowProps = { readonly contact: Contact; readonly ask: Ask };

function RowMenu({ contact, ask }: RowProps) {
  const mayWork = useMayWork();
  if (!mayWork) return null;
  const label = `Actions pour ${contact.full_name}`;
  return (
    <Menu
      label={label}
      triggerLabel={label}
      triggerClassName={buttonLook({ variant: "ghost", square: true, size: "sm" })}
      trigger={<Icon name="dots" />}
      entries={[
        {
          id: "change",
          label: "Modifier",
          icon: "edit",
          onAction: () => ask({ kind: "change", contact }),
        },
        {
          id: "erase",
          label: "Effacer",
          icon: "trash",
          danger: true,
          onAction: () => ask({ kind: "erase", contact }),
        },
      ]}
    />
  );
}

function ContactCard({ contact, ask }: RowProps) {
  const { company, sent_count, last_sent_at } = contact;
  const facts = [
    company,
    sent_count > 0 &&
      last_sent_at !== null &&
      `${plural(sent_count, "enveloppe")}, la dernière le ${formatDay(last_sent_at)}`,
  ].filter(Boolean);
  return (
    <>
      <div className={styles["head"]}>
        <Who contact={contact} />
        <RowMenu {...{ contact, ask }} />
      </div>
      {facts.length > 0 && <p className="muted small num break">{facts.join(" · ")}</p>}
    </>
  );
}

function HabitsCard() {
  const id = useId();
  const client = useQueryClient();
  const settings = useQuery(contactSettingsQuery).data;
  const [isExporting, setIsExporting] = useState(false);
  const save = async (keeps_sent: boolean) => {
    const { queryKey } = contactSettingsQuery;
    client.setQueryData(queryKey, { keeps_sent });
    try {
      await contactCalls.saveSettings({ keeps_sent });
    } catch (error) {
      client.setQueryData(queryKey, { keeps_sent: !keeps_sent });
      showToast("err", callMessage(error, "Votre choix n’a pas pu être enregistré."));
    }
  };
  const download = async () => {
    setIsExporting(true);
    try {
      saveBlob(await contactCalls.export(), "contacts.csv");
    } catch (error) {
      showToast("err", callMessage(error, "Vos contacts n’ont pas pu être exportés."));
    }
    setIsExporting(false);
  };
  return (
    <section className="card" aria-label="Habitudes">
      <div className="card__body">
        <SettingRow
          title="Garder les personnes à qui j’envoie"
          titleId={`${id}-garder`}
          control={
            <Switch
              aria-labelledby={`${id}-garder`}
              aria-describedby={`${id}-garder-texte`}
              checked={settings?.keeps_sent ?? true}
              disabled={settings === undefined}
              onChange={(event) => void save(event.target.checked)}
            />
          }
        >
          <p id={`${id}-garder-texte`}>
            Leur nom, leur adresse et leur numéro vous sont proposés au prochain envoi.
          </p>
        </SettingRow>
        <SettingRow
          title="Emporter mes contacts"
          control={
            <Button size="sm" loading={isExporting} onClick={() => void download()}>
              <Icon name="download" size="sm" />
              Exporter en CSV
            </Button>
          }
        >
          <p>Un fichier que votre tableur ouvre, et que l’import relit.</p>
        </SettingRow>
      </div>
    </section>
  );
}
