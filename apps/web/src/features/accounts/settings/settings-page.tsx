import type { User } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { andList, capitalised } from "@paraphe/kernel/french-words";
import { Link } from "react-router";
import { classNames } from "../../../lib/class-names.ts";
import { plural } from "../../../lib/format-numbers.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { LegalLinks } from "../../privacy/legal/legal-links.tsx";
import { useSavedSignatures } from "../../signing/marks/use-saved-signatures.ts";
import { useSession } from "../use-session.ts";
import { fullName } from "../own-identity.ts";
import { SessionCard } from "./session-card.tsx";
import { PLACES, signaturesWords } from "./settings-layout.tsx";
import { sessionsQuery } from "./use-sessions.ts";
import styles from "./settings.module.css";

/** `/settings`. */
export function SettingsPage() {
  const session = useSession();
  const signatures = useSavedSignatures().data;
  const sessions = useQuery(sessionsQuery).data;
  const user = session.state === "member" ? session.user : undefined;
  const states: Readonly<Record<keyof typeof PLACES, string | undefined>> = {
    account: user && `${fullName(user)}, ${user.email}`,
    signature: signatures && signaturesWords(signatures.count),
    security: sessions && plural(sessions.length, "session ouverte", "sessions ouvertes"),
    notifications: user && channelsWords(user.notifications),
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
                <Link className={styles["link"]} to={PLACES[name].to}>
                  <Icon name={PLACES[name].icon} />
                  <span>
                    <b>{PLACES[name].label}</b>
                    <small>{states[name] ?? "\u00a0"}</small>
                  </span>
                  <Icon name="chevron-right" size="sm" />
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <SessionCard />
        <LegalLinks />
      </div>
    </main>
  );
}

const CHANNELS = [
  ["email", "email"],
  ["sms", "SMS"],
  ["push", "push"],
] as const;

/** « Email et SMS ». */
function channelsWords(chosen: User["notifications"]): string {
  const words = andList(CHANNELS.flatMap(([name, word]) => (chosen[name] ? [word] : [])));
  return capitalised(words);
}
