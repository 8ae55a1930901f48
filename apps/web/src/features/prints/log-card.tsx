import type { Proof } from "@paraphe/contracts";
import { formatExactInstant } from "../../lib/format-dates.ts";
import { formatCount, plural } from "../../lib/format-numbers.ts";
import { useLoaded } from "../../lib/use-loaded.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { KeyValue } from "../../ui/key-value/key-value.tsx";
import { checkLog, type LogCheck } from "./check-log.ts";
import { Tick } from "./tick.tsx";

/** That the envelope's journal stands in the public log, checked in this browser. */
export function LogCard({ proof }: { readonly proof: Pick<Proof, "chain" | "inclusion"> }) {
  const { chain, inclusion } = proof;
  const checked = useLoaded(`${inclusion?.leaf_index} ${inclusion?.checkpoint.signature}`, async () =>
    inclusion === null ? null : checkLog(inclusion, window.location.origin),
  );
  const check = checked.status === "ready" ? checked.value : null;
  return (
    <section className="card" aria-labelledby="journal">
      <div className="card__head">
        <h2 className="h2 grow" id="journal">
          Journal de transparence
        </h2>
        <Summary isIntact={chain.intact} check={check} />
      </div>
      <div className="card__body stack">
        {chain.intact ? null : (
          <Alert tone="danger" title="Journal modifié">
            Les événements de cette enveloppe ne s’enchaînent plus, ou ne sont plus ceux que le journal public a enregistrés.
          </Alert>
        )}
        {inclusion === null ? (
          <p className="muted">
            Le journal public ne couvre pas encore cette enveloppe{"\u00a0"}: il est complété au moins toutes les heures.
          </p>
        ) : (
          <Included inclusion={inclusion} check={check} isAway={checked.status === "failed"} />
        )}
        <p className="muted small">
          {plural(chain.count, "événement")} {chain.intact ? "recalculés à l’instant par le service. " : "lus par le service. "}
          <a href="/journal-de-transparence">Consulter le journal public</a>
        </p>
      </div>
    </section>
  );
}

type IncludedProps = { readonly inclusion: NonNullable<Proof["inclusion"]>; readonly check: LogCheck | null; readonly isAway: boolean };

function Included({ inclusion, check, isAway }: IncludedProps) {
  if (check?.holds === false)
    return (
      <Alert tone="danger" title="La preuve d’inclusion ne tient pas">
        Rien ne montre que le journal de cette enveloppe soit celui que le service a publié. Ne vous fiez pas à ce document.
      </Alert>
    );
  const pending = isAway ? "Le contrôle n’a pas pu être chargé." : "Contrôle en cours…";
  return (
    <KeyValue
      entries={[
        ["Place", `Empreinte n°\u00a0${formatCount(inclusion.leaf_index + 1)} sur ${formatCount(inclusion.size)}`],
        ["Couvre", `Les ${formatCount(inclusion.entry.sequence)} premiers événements de l’enveloppe`],
        ["Inclusion", check ? "Vérifiée dans votre navigateur" : pending],
        ["Horodatage", check ? `${formatExactInstant(check.stampedAt)}, par ${check.authority} (non qualifié)` : pending],
      ]}
    />
  );
}

function Summary({ isIntact, check }: { readonly isIntact: boolean; readonly check: LogCheck | null }) {
  if (!isIntact || check?.holds === false) return <Tick word={{ tone: "bad", word: "Ne tient pas" }} />;
  return check === null ? null : <Tick word={{ tone: "good", word: "Inclus" }} />;
}
