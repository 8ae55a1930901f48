import {
  MEMBER_ROLES,
  type MemberList,
  type MemberRole,
  type OrganisationMember,
  ROLE_NAMES,
} from "@paraphe/contracts";
import { ofName, uncapitalised } from "@paraphe/kernel/french-words";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Avatar } from "../../../ui/avatar/avatar.tsx";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { type Column, DataTable, actionsColumn } from "../../../ui/data-table/data-table.tsx";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { FilterBar, NothingFound } from "../../../ui/filter-bar/filter-bar.tsx";
import { useListAddress } from "../../../ui/filter-bar/filters.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { Menu, type MenuEntry } from "../../../ui/menu/menu.tsx";
import { Pager } from "../../../ui/pager/pager.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { leads, useOrganisationRole } from "../../accounts/settings/settings-layout.tsx";
import { sessionQuery, useSession } from "../../accounts/use-session.ts";
import { changeRole, endSessions, membersQuery, resetFactors } from "./member-calls.ts";
import {
  colourOf,
  MEMBER_FILTERS,
  MEMBER_ORDERS,
  narrowMembers,
  seenWords,
  teamWords,
} from "./narrow-members.ts";
import styles from "../organisation.module.css";

const LeaveDialog = lazyDialog(async () => (await import("./leave-dialog.tsx")).LeaveDialog);
const MemberTeamsDialog = lazyDialog(
  async () => (await import("./team-dialogs.tsx")).MemberTeamsDialog,
);

const PER_PAGE = 25;
const UNDO_MS = 8_000;

type Asked = {
  readonly kind: "leave" | "own" | "more" | "factors" | "teams";
  readonly member: OrganisationMember;
  role?: MemberRole;
};
type Acts = {
  /** Undefined for whoever sees the list without controls. */
  readonly me: { readonly id: string; readonly role: MemberRole } | undefined;
  readonly setRole: (member: OrganisationMember, role: MemberRole) => void;
  readonly closeSessions: (member: OrganisationMember) => void;
  readonly resetFactors: (member: OrganisationMember) => void;
  readonly changeTeams: (member: OrganisationMember) => void;
  readonly remove: (member: OrganisationMember) => void;
};

type Props = { readonly list: MemberList; readonly onInvite: () => void };

function isLastOwner({ role }: OrganisationMember, { members }: MemberList): boolean {
  return role === "owner" && members.filter((one) => one.role === "owner").length === 1;
}

export function MembersCard({ list, onInvite }: Props) {
  const session = useSession();
  const user = session.state === "member" ? session.user : undefined;
  const role = useOrganisationRole();
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const [isRefused, setIsRefused] = useState(false);
  const change = useRoleChange(() => setIsRefused(true));
  const closeSessions = useMemberChange(endSessions, {
    done: ({ name }) => `Sessions ${ofName(name)} fermées`,
    failed: "Impossible de fermer les sessions",
  });
  if (list.members.length === 1 && leads(role))
    return <Alone {...{ onInvite }} gender={user?.gender} />;
  const acts: Acts = {
    me: user && role && leads(role) ? { id: user.id, role } : undefined,
    setRole: (member, wanted) => {
      if (isLastOwner(member, list)) setIsRefused(true);
      else if (member.id === user?.id) setAsked({ kind: "own", member, role: wanted });
      // An arrow key chooses too.
      else if (leads(wanted)) setAsked({ kind: "more", member, role: wanted });
      else change({ member, role: wanted });
    },
    closeSessions,
    resetFactors: (member) => setAsked({ kind: "factors", member }),
    changeTeams: (member) => setAsked({ kind: "teams", member }),
    remove: (member) =>
      isLastOwner(member, list) ? setIsRefused(true) : setAsked({ kind: "leave", member }),
  };
  return (
    <>
      <Members members={list.members} ownId={user?.id} acts={acts} />
      {asked?.kind === "own" && (
        <OwnRole
          role={asked.role ?? "member"}
          onChange={(role) => change({ member: asked.member, role, isOwn: true })}
          onClose={close}
        />
      )}
      {asked?.kind === "more" && (
        <NameLeader {...asked} onName={(role) => change({ ...asked, role })} onClose={close} />
      )}
      {asked?.kind === "factors" && <ResetDialog member={asked.member} onClose={close} />}
      {asked?.kind === "teams" && <MemberTeamsDialog member={asked.member} onClose={close} />}
      {asked?.kind === "leave" && (
        <LeaveDialog
          member={asked.member}
          isOwn={asked.member.id === user?.id}
          members={list.members}
          onLastOwner={() => setIsRefused(true)}
          onClose={close}
        />
      )}
      {isRefused && <LastOwner gender={user?.gender} onClose={() => setIsRefused(false)} />}
    </>
  );
}

function Alone({ onInvite, gender }: { onInvite: () => void; gender: string | undefined }) {
  const title =
    gender === "Femme"
      ? "Vous êtes seule ici"
      : gender === "Homme"
        ? "Vous êtes seul ici"
        : "Personne d’autre ici";
  return (
    <div className="card">
      <EmptyState
        title={title}
        action={
          <Button variant="primary" onClick={onInvite}>
            Inviter des membres
          </Button>
        }
      >
        Invitez vos collègues{"\u00a0"}: ils rejoindront l’organisation avec le rôle que vous leur
        donnez.
      </EmptyState>
    </div>
  );
}

function LastOwner({ gender, onClose }: { gender: string | undefined; onClose: () => void }) {
  const [title, words] =
    gender === "Homme"
      ? ["Un propriétaire au moins", "Vous êtes le seul propriétaire. Nommez-en un autre"]
      : gender === "Femme"
        ? ["Une propriétaire au moins", "Vous êtes la seule propriétaire. Nommez-en une autre"]
        : [
            "Une personne propriétaire au moins",
            "Vous êtes la seule personne propriétaire. Nommez-en une autre",
          ];
  return (
    <Dialog
      title={title}
      role="alertdialog"
      withoutClose
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          Compris
        </Button>
      }
    >
      <p>{words} avant de changer votre rôle ou de partir.</p>
    </Dialog>
  );
}

type OwnRoleProps = {
  readonly role: MemberRole;
  readonly onChange: (role: MemberRole) => void;
  readonly onClose: () => void;
};

function OwnRole({ role, onChange, onClose }: OwnRoleProps) {
  return (
    <ConfirmDialog
      title={"Changer votre propre rôle\u202f?"}
      message={`Vous serez ${uncapitalised(ROLE_NAMES[role])}. Vous ne pourrez pas revenir en arrière sans une autre personne.`}
      tone="danger"
      confirmLabel="Changer mon rôle"
      onConfirm={() => {
        onClose();
        onChange(role);
      }}
      onCancel={onClose}
    />
  );
}

const LEADERS = {
  owner: "Cette personne pourra tout changer, vous retirer compris.",
  administrator: "Cette personne pourra inviter, retirer et changer les réglages.",
} as const;

type NameProps = Pick<Asked, "member" | "role"> & {
  readonly onName: (role: MemberRole) => void;
  readonly onClose: () => void;
};

function NameLeader({ member, role: asked, onName, onClose }: NameProps) {
  const role = asked === "owner" ? asked : "administrator";
  const name = uncapitalised(ROLE_NAMES[role]);
  return (
    <ConfirmDialog
      title={`Nommer ${member.name} ${name}\u202f?`}
      message={LEADERS[role]}
      confirmLabel={`Nommer ${name}`}
      onConfirm={() => {
        onClose();
        onName(role);
      }}
      onCancel={onClose}
    />
  );
}

type ResetProps = { readonly member: OrganisationMember; readonly onClose: () => void };

function ResetDialog({ member, onClose }: ResetProps) {
  const reset = useMemberChange(resetFactors, {
    done: ({ name }) => `Second facteur ${ofName(name)} réinitialisé`,
    failed: "Impossible de réinitialiser le second facteur",
  });
  return (
    <ConfirmDialog
      title={`Réinitialiser le second facteur ${ofName(member.name)}\u202f?`}
      message="Ses clés d’accès, son application et ses codes de secours ne serviront plus. Un email l’en prévient."
      tone="danger"
      confirmLabel="Réinitialiser"
      onConfirm={() => {
        reset(member);
        onClose();
      }}
      onCancel={onClose}
    />
  );
}

type RoleMove = { member: OrganisationMember; role: MemberRole; isOwn?: boolean; isUndo?: boolean };

/** A role changes at once; the toast undoes it. */
function useRoleChange(onLastOwner: () => void) {
  const client = useQueryClient();
  const { mutate } = useMutation({
    // Arrow keys choose several roles in a row, so the calls queue.
    scope: { id: "member-role" },
    mutationFn: ({ member, role }: RoleMove) => changeRole(member.id, { role, from: member.role }),
    onMutate: ({ member, role }) => {
      client.setQueryData(membersQuery.queryKey, (list) =>
        list === undefined
          ? list
          : {
              ...list,
              members: list.members.map((one) => (one.id === member.id ? { ...one, role } : one)),
            },
      );
    },
    onSuccess: (list, { member, role, isOwn, isUndo }) => {
      client.setQueryData(membersQuery.queryKey, list);
      if (isOwn) void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      const said = `${member.name}\u00a0: ${uncapitalised(ROLE_NAMES[role])}`;
      if (isOwn || isUndo) {
        showToast("ok", said);
        return;
      }
      const undo = () => {
        close();
        mutate({ member: { ...member, role }, role: member.role, isUndo: true });
      };
      const close = showToast("ok", said, {
        durationMs: UNDO_MS,
        detail: (
          <LinkAction className={styles["undo"] ?? ""} onClick={undo}>
            Annuler le changement
          </LinkAction>
        ),
      });
    },
    onError: (error) => {
      void client.invalidateQueries({ queryKey: membersQuery.queryKey });
      if (error instanceof ApiError && error.code === "last_owner") onLastOwner();
      else showToast("err", callMessage(error, "Impossible de changer le rôle"));
    },
  });
  return (move: RoleMove) => mutate(move);
}

function useMemberChange(
  call: (id: string) => Promise<void>,
  words: { readonly done: (member: OrganisationMember) => string; readonly failed: string },
) {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (member: OrganisationMember) => call(member.id),
    onSuccess: (_, member) => {
      showToast("ok", words.done(member));
    },
    onError: (error) => {
      showToast("err", callMessage(error, words.failed));
    },
    onSettled: () => client.invalidateQueries({ queryKey: membersQuery.queryKey }),
  });
  return (member: OrganisationMember) => mutate(member);
}

type MembersProps = {
  readonly members: readonly OrganisationMember[];
  readonly ownId: string | undefined;
  readonly acts: Acts;
};

function Members({ members, ownId, acts }: MembersProps) {
  const box = useRef<HTMLInputElement>(null);
  const address = useListAddress(useSearchParams(), {
    orders: acts.me ? MEMBER_ORDERS : [MEMBER_ORDERS[0], ...MEMBER_ORDERS.slice(1, 3)],
    filters: acts.me ? MEMBER_FILTERS : MEMBER_FILTERS.slice(0, 1),
  });
  const found = narrowMembers(members, address);
  const page = Math.min(address.page, Math.max(1, Math.ceil(found.length / PER_PAGE)));
  const rows = found.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const words = (count: number) => plural(count, "membre");
  return (
    <section className="card" aria-label="Membres">
      <FilterBar
        {...{ address, box }}
        label="Rechercher un membre"
        placeholder="Nom ou email"
        found={words(found.length)}
        isEmpty={found.length === 0}
        preview={async (values) => words(narrowMembers(members, { ...address, values }).length)}
      />
      {found.length === 0 ? (
        <NothingFound {...{ address, box }} title="Aucun membre trouvé" what="Aucun nom ni email" />
      ) : (
        <>
          <DataTable
            caption="Membres de l’organisation"
            rows={rows}
            rowKey={({ id }) => id}
            columns={columnsOf(ownId, acts)}
            renderCard={(member) => <MemberCard {...{ member, ownId, acts }} />}
          />
          <Pager page={page} pageSize={PER_PAGE} count={found.length} onPage={address.goTo} />
        </>
      )}
    </section>
  );
}

function columnsOf(ownId: string | undefined, acts: Acts): readonly Column<OrganisationMember>[] {
  const shown: readonly Column<OrganisationMember>[] = [
    {
      key: "person",
      header: "Personne",
      wide: true,
      cell: (member) => <Person {...{ member }} isMe={member.id === ownId} />,
    },
    { key: "role", header: "Rôle", cell: (member) => <RoleField {...{ member, acts }} /> },
    {
      key: "teams",
      header: "Équipes",
      cell: (member) => <span className="ink2">{teamWords(member) || "–"}</span>,
    },
  ];
  if (!acts.me) return shown;
  return [
    ...shown,
    { key: "seen", header: "Vu", className: "num nowrap", cell: seenWords },
    actionsColumn((member) => <MemberMenu {...{ member, acts }} />),
  ];
}

type OneProps = { readonly member: OrganisationMember; readonly acts: Acts };

function MemberCard({ member, ownId, acts }: OneProps & { ownId: string | undefined }) {
  return (
    <>
      <div className="row row--nw">
        <Person {...{ member }} isMe={member.id === ownId} />
        {acts.me && <MemberMenu {...{ member, acts }} />}
      </div>
      <dl>
        <dt>Rôle</dt>
        <dd className={styles["cardRole"]}>
          <RoleField {...{ member, acts }} />
        </dd>
        {member.teams.length > 0 && (
          <>
            <dt>Équipes</dt>
            <dd>{teamWords(member)}</dd>
          </>
        )}
        {acts.me && (
          <>
            <dt>Vu</dt>
            <dd className="num">{seenWords(member)}</dd>
          </>
        )}
      </dl>
    </>
  );
}

function Person({ member, isMe }: { member: OrganisationMember; isMe: boolean }) {
  return (
    <div className={styles["person"]}>
      <Avatar name={member.name} color={colourOf(member.id)} />
      <div>
        <b>
          {member.name} {isMe && <span className="muted">(vous)</span>}
        </b>
        <small title={member.email}>{member.email}</small>
        {member.has_second_factor === false && (
          <span className={styles["lacking"]}>
            <Icon name="warning" size="sm" />
            Sans second facteur
          </span>
        )}
      </div>
    </div>
  );
}

function RoleField({ member, acts: { me, setRole } }: OneProps) {
  const isOwners = me?.role === "owner";
  if (!me || (member.role === "owner" && !isOwners)) return <>{ROLE_NAMES[member.role]}</>;
  return (
    <SelectField
      label={`Rôle ${ofName(member.name)}`}
      hideLabel
      size="sm"
      value={member.role}
      onChange={(event) => setRole(member, event.target.value as MemberRole)}
    >
      {MEMBER_ROLES.filter((role) => role !== "owner" || isOwners).map((role) => (
        <option key={role} value={role}>
          {ROLE_NAMES[role]}
        </option>
      ))}
    </SelectField>
  );
}

function MemberMenu({
  member,
  acts: { me, closeSessions, resetFactors, changeTeams, remove },
}: OneProps) {
  const label = `Actions pour ${member.name}`;
  const isUntouchable = member.role === "owner" && me?.role !== "owner";
  const endings: readonly MenuEntry[] = [
    ...(member.has_second_factor === true
      ? [
          {
            id: "factors",
            label: "Réinitialiser le second facteur",
            icon: "key" as const,
            onAction: () => resetFactors(member),
          },
        ]
      : []),
    {
      id: "sessions",
      label: "Fermer ses sessions",
      icon: "logout",
      onAction: () => closeSessions(member),
    },
    {
      id: "leave",
      label: member.id === me?.id ? "Quitter l’organisation…" : "Retirer de l’organisation…",
      icon: "close",
      danger: true,
      separated: true,
      onAction: () => remove(member),
    },
  ];
  return (
    <Menu
      label={label}
      triggerLabel={label}
      triggerClassName={buttonLook({ variant: "ghost", size: "sm", square: true })}
      trigger={<Icon name="dots" />}
      entries={[
        {
          id: "teams",
          label: "Changer d’équipe",
          icon: "layers",
          onAction: () => changeTeams(member),
        },
        ...(isUntouchable ? [] : endings),
      ]}
    />
  );
}
