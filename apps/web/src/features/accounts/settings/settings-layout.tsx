import type { MemberRole } from "@paraphe/contracts";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { classNames } from "../../../lib/class-names.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { type Drawing, Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import { LegalLinks } from "../../privacy/legal/legal-links.tsx";
import { useSession } from "../use-session.ts";
import styles from "./settings.module.css";

/** Below 1024 px, `/settings` is this menu. */
function SettingsNav({ title }: Pick<SettingsLayoutProps, "title">) {
  const places = useOrganisationPlaces();
  const link = ({ to, label, icon }: Place) => (
    <Link key={to} to={to} aria-current={label === title ? "page" : undefined}>
      <Icon name={icon} />
      {label}
    </Link>
  );
  return (
    <nav className={styles["nav"]} aria-label="Paramètres">
      {places.length > 0 && <div className={styles["group"]}>Vous</div>}
      {Object.values(PLACES).map(link)}
      {places.length > 0 && link(DELEGATIONS)}
      {places.length > 0 && <div className={styles["group"]}>Organisation</div>}
      {places.map(link)}
    </nav>
  );
}

/** The organisation's pages for this person; none for whoever is no member. */
export function useOrganisationPlaces(): readonly Place[] {
  const role = useOrganisationRole();
  if (role === undefined) return [];
  return leads(role) ? [ORGANISATION, MEMBERS, CIRCUITS] : [MEMBERS];
}

export function useOrganisationRole(): MemberRole | undefined {
  const session = useSession();
  return session.state === "member" ? session.user.organisation_role : undefined;
}

/** Whether this role manages the organisation. */
export function leads(role: MemberRole | undefined): boolean {
  return role === "owner" || role === "administrator";
}

type FormSkeletonProps = {
  readonly lines: number;
  /** For screen readers. */
  readonly label: string;
};

export function FormSkeleton({ lines, label }: FormSkeletonProps) {
  return (
    <div className="card" aria-busy="true">
      <span className="sr" role="status">
        {label}
      </span>
      <div className="card__body stack stack--lg">
        {Array.from({ length: lines }, (_, index) => (
          <div className="stack stack--sm" key={index}>
            <Skeleton width={120} />
            <Skeleton width="100%" height={40} />
          </div>
        ))}
      </div>
    </div>
  );
}

type LoadFailureProps = {
  readonly error: unknown;
  readonly fallback: string;
  readonly onRetry: () => void;
};

export function LoadFailure({ error, fallback, onRetry }: LoadFailureProps) {
  return (
    <Alert tone="danger">
      <p>{callMessage(error, fallback)}</p>
      {!(error instanceof ApiError && error.status === 403) && (
        <p>
          <Button size="sm" onClick={onRetry}>
            <Icon name="refresh" size="sm" />
            Réessayer
          </Button>
        </p>
      )}
    </Alert>
  );
}

type SettingsLayoutProps = {
  /** Finds the page in the menu, because a page may have two addresses. */
  readonly title: string;
  readonly lede: string;
  readonly actions?: ReactNode;
  readonly isWide?: boolean;
  readonly children: ReactNode;
};

export function SettingsLayout({
  title,
  lede,
  actions,
  isWide = false,
  children,
}: SettingsLayoutProps) {
  return (
    <main className={classNames("main", !isWide && styles["page"])} id="contenu">
      <div className={styles["settings"]}>
        <SettingsNav title={title} />
        <div>
          <div className="page-head">
            <div>
              <Link className="crumb lt-rail" to="/settings">
                <Icon name="chevron-left" size="sm" />
                Paramètres
              </Link>
              <PageHeading title={title}>{title}</PageHeading>
              <p className="lede">{lede}</p>
            </div>
            {actions}
          </div>
          <div className="stack stack--lg">
            {children}
            <LegalLinks />
          </div>
        </div>
      </div>
    </main>
  );
}

export type Place = { readonly to: string; readonly label: string; readonly icon: Drawing };

export const PLACES = {
  account: { to: "/profile", label: "Mon compte", icon: "user" },
  signature: { to: "/settings/signature", label: "Ma signature", icon: "signature" },
  security: { to: "/settings/security", label: "Sécurité", icon: "lock" },
  notifications: { to: "/settings/notifications", label: "Notifications", icon: "bell" },
  contacts: { to: "/settings/contacts", label: "Contacts", icon: "mail" },
  programs: {
    to: "/settings/programmes",
    label: "Programmes",
    icon: "M8 7l-5 5 5 5M16 7l5 5-5 5M13.500 5l-3 14",
  },
} as const satisfies Readonly<Record<string, Place>>;

/** Shown to the members of an organisation. */
export const DELEGATIONS = {
  to: "/settings/delegations",
  label: "Délégations",
  // Two arrows that cross: no other page draws them.
  icon: "M4 8h15m-4-4 4 4-4 4M20 16H5m4-4-4 4 4 4",
} as const satisfies Place;

export const ORGANISATION = {
  to: "/settings/organisation",
  label: "Identité et accès",
  icon: "shield",
} as const satisfies Place;

export const MEMBERS: Place = {
  to: "/settings/membres",
  label: "Membres",
  // Two people: no other page draws them.
  icon: "M9 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM2.500 19.500c.5-3.200 3-5 6.500-5s6 1.800 6.500 5M16 5.300a3.500 3.500 0 0 1 0 6.400M17.500 14.800c2.300.6 3.700 2.200 4 4.700",
};

export const CIRCUITS = {
  to: "/settings/circuits",
  label: "Circuits",
  icon: "send",
} as const satisfies Place;

export function signaturesSummary(count: number): string {
  return count === 0
    ? "Aucune signature enregistrée"
    : plural(count, "signature enregistrée", "signatures enregistrées");
}
