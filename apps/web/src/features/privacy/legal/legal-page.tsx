import { RETENTION_RULES, formatSiret } from "@paraphe/contracts";
import { formatLongDay } from "../../../lib/format/format-dates.ts";
import { Brand } from "../../../ui/brand/brand.tsx";
import { TextLink } from "../../../ui/link/link-action.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { useSession } from "../../accounts/use-session.ts";
import { LegalLinks } from "./legal-links.tsx";
import styles from "./legal-page.module.css";
import { useQuery } from "@tanstack/react-query";
import { KeyValue } from "../../../ui/key-value/key-value.tsx";
import { identityQuery } from "../../organisations/organisation-calls.ts";

type LegalSection = {
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly (string | { readonly list: readonly string[] })[];
  /** The table of stored data follows the blocks. */
  readonly hasTable?: true;
  readonly links?: readonly { readonly to: string; readonly label: string }[];
};

export type LegalText = {
  readonly title: string;
  readonly lede: string;
  /** `YYYY-MM-DD`. */
  readonly since: string;
  readonly sections: readonly LegalSection[];
};

function KeptDataTable() {
  return (
    <table className={styles["table"]}>
      <caption className="sr">Données conservées, raisons, fondements et durées</caption>
      <thead>
        <tr>
          <th scope="col">Données</th>
          <th scope="col">Pourquoi</th>
          <th scope="col">Fondement (RGPD)</th>
          <th scope="col">Durée</th>
        </tr>
      </thead>
      <tbody>
        {RETENTION_RULES.map(({ id, data, purpose, basis, duration }) => (
          <tr key={id}>
            <th scope="row">{data}</th>
            <td data-label="Pourquoi">{purpose}</td>
            <td data-label="Fondement">{basis}</td>
            <td data-label="Durée">{duration}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Props = {
  readonly text: LegalText;
  readonly identityTitle: string;
};

export function LegalPage({ text, identityTitle }: Props) {
  const session = useSession();
  return (
    <>
      {session.state === "visitor" && (
        <header className={styles["head"]}>
          <Brand to="/login" />
          <TextLink to="/login">Se connecter</TextLink>
        </header>
      )}
      <main className="main" id="contenu">
        <div className={styles["page"]}>
          <div>
            <PageHeading title={text.title}>{text.title}</PageHeading>
            <p className="lede">{text.lede}</p>
            <p className="muted small">
              Version du <time dateTime={text.since}>{formatLongDay(text.since)}</time>
            </p>
          </div>
          <HostIdentity title={identityTitle} className={styles["section"]} />
          <nav className={styles["contents"]} aria-label="Sommaire">
            <ol>
              {text.sections.map(({ id, title }) => (
                <li key={id}>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
            </ol>
          </nav>
          {text.sections.map((section) => (
            <Section key={section.id} section={section} />
          ))}
          <LegalLinks />
        </div>
      </main>
    </>
  );
}

function Section({ section }: { readonly section: LegalSection }) {
  return (
    <section className={styles["section"]} id={section.id} aria-labelledby={`${section.id}-titre`}>
      <h2 className="h2" id={`${section.id}-titre`}>
        {section.title}
      </h2>
      {section.blocks.map((block) =>
        typeof block === "string" ? (
          <p key={block}>{block}</p>
        ) : (
          <ul key={block.list[0]}>
            {block.list.map((item) => (
              <li key={item}>{item}</li>
            ))}
          </ul>
        ),
      )}
      {section.hasTable && <KeptDataTable />}
      {section.links?.map(({ to, label }) => (
        <p key={to}>
          <a className={styles["link"]} href={to}>
            {label}
          </a>
        </p>
      ))}
    </section>
  );
}

type HostIdentityProps = {
  readonly title: string;
  readonly className?: string | undefined;
};

/**
 * Who runs the service, once an administrator named it.
 * Source: loi n° 2004-575 du 21 juin 2004, article 1-1; GDPR art. 13(1)(a) and (b).
 */
function HostIdentity({ title, className }: HostIdentityProps) {
  const { data: identity } = useQuery(identityQuery);
  if (!identity) return null;
  const { siret, representative, contact_email: contact, dpo_email: dpo } = identity;
  return (
    <section className={className} id="mentions-legales" aria-labelledby="mentions-legales-titre">
      <h2 className="h2" id="mentions-legales-titre">
        {title}
      </h2>
      <KeyValue
        entries={[
          ["Organisation", `${identity.name} (${identity.legal_form})`],
          ["Siège", identity.address],
          ...(siret === null ? [] : [["SIRET", formatSiret(siret)] as const]),
          ...(representative === null ? [] : [["Représentée par", representative] as const]),
          ["Contact", <Mail key="contact" address={contact} />],
          ...(dpo === null
            ? []
            : [["Protection des données", <Mail key="dpo" address={dpo} />] as const]),
        ]}
      />
    </section>
  );
}

function Mail({ address }: { readonly address: string }) {
  return (
    <a className="break" href={`mailto:${address}`}>
      {address}
    </a>
  );
}
