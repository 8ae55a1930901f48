import type { MemberList } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "react-router";
import { plural } from "../../lib/format/format-numbers.ts";
import { Button } from "../../ui/button/button.tsx";
import { lazyDialog } from "../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import {
  FormSkeleton,
  leads,
  LoadFailure,
  MEMBERS,
  SettingsLayout,
  useOrganisationRole,
} from "../accounts/settings/settings-layout.tsx";
import { InvitationsCard } from "./invitations-card.tsx";
import { JournalCard } from "./journal-card.tsx";
import { membersQuery } from "./member-calls.ts";
import { MembersCard } from "./members-card.tsx";
import styles from "./organisation.module.css";

const InviteDialog = lazyDialog(async () => (await import("./invite-dialog.tsx")).InviteDialog);

/** `/settings/membres`, `…/invitations` and `…/journal`; the last two for those who manage members. */
export function MembersPage() {
  const { pathname } = useLocation();
  const manages = leads(useOrganisationRole());
  const [isInviting, setIsInviting] = useState(false);
  const { data, error, refetch } = useQuery(membersQuery);
  const tab = pathname.slice(MEMBERS.to.length);
  return (
    <SettingsLayout
      isWide
      title={MEMBERS.label}
      lede={data === undefined ? "\u00a0" : summaryOf(data)}
      actions={
        manages &&
        // The empty list has the same button.
        (tab !== "" || data?.members.length !== 1) && (
          <Button variant="primary" onClick={() => setIsInviting(true)}>
            <Icon name="plus" size="sm" />
            Inviter
          </Button>
        )
      }
    >
      {manages && <Tabs tab={tab} list={data} />}
      {data === undefined && error === null && (
        <FormSkeleton lines={4} label="Chargement des membres…" />
      )}
      {data === undefined && error !== null && (
        <LoadFailure
          error={error}
          fallback="Impossible de charger les membres"
          onRetry={() => void refetch()}
        />
      )}
      {data !== undefined && (tab === "" || !manages) && (
        <MembersCard list={data} onInvite={() => setIsInviting(true)} />
      )}
      {data !== undefined && manages && tab === "/invitations" && <InvitationsCard />}
      {data !== undefined && manages && tab === "/journal" && <JournalCard />}
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </SettingsLayout>
  );
}

function summaryOf({ members, open_invitations: open }: MemberList): string {
  const waiting =
    open === null || open === 0
      ? ""
      : `, ${plural(open, "invitation en attente", "invitations en attente")}`;
  return `${plural(members.length, "membre")}${waiting}`;
}

function Tabs({ tab, list }: { readonly tab: string; readonly list: MemberList | undefined }) {
  const tabs = [
    ["", "Membres", list?.members.length],
    ["/invitations", "Invitations", list?.open_invitations],
    ["/journal", "Journal", undefined],
  ] as const;
  return (
    <nav className={styles["tabs"]} aria-label="Membres de l’organisation">
      {tabs.map(([path, label, count]) => (
        <Link
          key={path}
          to={`${MEMBERS.to}${path}`}
          aria-current={path === tab ? "page" : undefined}
        >
          {label}
          {count !== undefined && count !== null && (
            <>
              {" "}
              <span className={styles["count"]}>{count}</span>
            </>
          )}
        </Link>
      ))}
    </nav>
  );
}
