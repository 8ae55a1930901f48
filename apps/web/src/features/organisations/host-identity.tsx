import { formatSiret } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { KeyValue } from "../../ui/key-value/key-value.tsx";
import { identityQuery } from "./organisation-calls.ts";

type Props = {
  readonly title: string;
  readonly className?: string | undefined;
};

/**
 * Who runs the service, once an administrator named it.
 * Source: loi n° 2004-575 du 21 juin 2004, article 1-1; GDPR art. 13(1)(a) and (b).
 */
export function HostIdentity({ title, className }: Props) {
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
