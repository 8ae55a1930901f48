import type { User } from "@paraphe/contracts";
import { andList, capitalised } from "@paraphe/kernel/french-words";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { classNames } from "../../../lib/class-names.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { LegalLinks } from "../../privacy/legal/legal-links.tsx";
import { useSavedSignatures } from "../../signing/marks/use-saved-signatures.ts";
import { fullName, useLogOut, useSession } from "../use-session.ts";
import { SettingRow } from "./setting-row.tsx";
import {
  DELEGATIONS,
  CIRCUITS,
  MEMBERS,
  ORGANISATION,
  type Place,
  PLACES,
  signaturesSummary,
  useOrganisationPlaces,
} from "./settings-layout.tsx";
import styles from "./settings.module.css";
import { sessionsQuery } from "./use-sessions.ts";

const ORGANISATION_STATES: Readonly<Record<string, string>> = {
  [ORGANISATION.to]: "Nom, mentions légales, inscription",
  [MEMBERS.to]: "Personnes, rôles, invitations",
  [CIRCUITS.to]: "Qui vise, qui signe, dans quel ordre",
};

export function SettingsPage() {
  const session = useSession();
  const signatures = useSavedSignatures().data;
  const sessions = useQuery(sessionsQuery).data;
  const user = session.state === "member" ? session.user : undefined;
  const places = useOrganisationPlaces();
  const states: Readonly<Record<keyof typeof PLACES, string | undefined>> = {
    account: user && `${fullName(user)}, ${user.email}`,
    signature: signatures && signaturesSummary(signatures.count),
    security: sessions && plural(sessions.length, "session ouverte", "sessions ouvertes"),
    notifications: user && channelsSummary(user.notifications),
    contacts: "Les personnes à qui vous envoyez",
    programs: "Clés d’API, pour relier vos logiciels",
  };
  return (
    <main className={classNames("main", styles["menu"])} id="contenu">
      <div className="page-head">
        <div>
          <PageHeading title="Paramètres">Paramètres</PageHeading>
          <p className="lede">Votre compte, votre signature, et comment nous vous prévenons.</p>
        </div>
      </div>
      <div className="stack stack--lg">
        <nav className="card" aria-label="Paramètres">
          <ul>
            {(Object.keys(PLACES) as (keyof typeof PLACES)[]).map((name) => (
              <li key={name}>
                <PlaceLink place={PLACES[name]} state={states[name]} />
              </li>
            ))}
            {places.length > 0 && (
              <li>
                <PlaceLink place={DELEGATIONS} state="Qui signe pour vous en votre absence" />
              </li>
            )}
          </ul>
        </nav>
        {places.length > 0 && (
          <nav className="card" aria-label="Organisation">
            <ul>
              {places.map((place) => (
                <li key={place.to}>
                  <PlaceLink place={place} state={ORGANISATION_STATES[place.to]} />
                </li>
              ))}
            </ul>
          </nav>
        )}
        <SessionCard />
        <LegalLinks />
      </div>
    </main>
  );
}

type PlaceLinkProps = {
  readonly place: Place;
  readonly state: string | undefined;
};

function PlaceLink({ place, state }: PlaceLinkProps) {
  return (
    <Link className={styles["link"]} to={place.to}>
      <Icon name={place.icon} />
      <span>
        <b>{place.label}</b>
        <small>{state ?? "\u00a0"}</small>
      </span>
      <Icon name="chevron-right" size="sm" />
    </Link>
  );
}

const CHANNELS = [
  ["email", "email"],
  ["sms", "SMS"],
  ["push", "push"],
] as const;

function channelsSummary(chosen: User["notifications"]): string {
  const words = andList(CHANNELS.flatMap(([name, word]) => (chosen[name] ? [word] : [])));
  return capitalised(words);
}

function SessionCard() {
  const { logOut, isPending } = useLogOut();
  return (
    <section className="card" aria-label="Session">
      <div className="card__body">
        <SettingRow
          title="Session"
          control={
            <Button size="sm" loading={isPending} onClick={logOut}>
              <Icon name="logout" size="sm" />
              Déconnexion
            </Button>
          }
        >
          <p>Ouverte sur cet appareil</p>
        </SettingRow>
      </div>
    </section>
  );
}
