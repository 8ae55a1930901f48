import type { Proof } from "@paraphe/contracts";
import { useEffect, useEffectEvent } from "react";
import { formatExactInstant } from "../../../lib/format/format-dates.ts";
import { formatCount } from "../../../lib/format/format-numbers.ts";
import { fromHex } from "@paraphe/kernel/bytes";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import { verifyPublishedCheckpoint } from "../../../lib/verify-published-checkpoint.ts";
import { useLoaded } from "../../../lib/api/use-loaded.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Card } from "../../../ui/card/card.tsx";
import { KeyValue } from "../../../ui/key-value/key-value.tsx";
import { LOG_CARD, Tick } from "./card-parts.tsx";
import styles from "./proof-cards.module.css";

/**
 * `stampedAt`, `authority`: from the checkpoint's time-stamp; `revocation`: of the seal at that
 * time; `elsewhere`: valid, but in the log of another address (`log`).
 */
export type LogCheck =
  | {
      readonly state: "holds";
      readonly stampedAt: string;
      readonly authority: string;
      readonly revocation: "checked" | "unknown";
    }
  | { readonly state: "elsewhere"; readonly log: string }
  | { readonly state: "broken" };

/**
 * Verifies the path from the envelope's head to the root, and the checkpoint, which must name
 * `origin`. Source: RFC 9162 §2.1.3.2.
 */
export async function checkLog(
  { leaf_index, size, path, entry, checkpoint }: NonNullable<Proof["inclusion"]>,
  origin: string,
): Promise<LogCheck> {
  const { leafHash, verifyInclusion } = await import("@paraphe/proof");
  const isIncluded = verifyInclusion({
    leafHash: leafHash(canonicalBytes(entry)),
    leafIndex: leaf_index,
    size,
    path: path.map(fromHex),
    root: fromHex(checkpoint.root),
  });
  if (!isIncluded || size !== checkpoint.size) return { state: "broken" };
  const verdict = await verifyPublishedCheckpoint(checkpoint);
  if (!verdict.ok) return { state: "broken" };
  const { log, timestamp } = verdict.facts;
  if (log !== origin) return { state: "elsewhere", log };
  return {
    state: "holds",
    stampedAt: timestamp.time.toISOString(),
    authority: timestamp.authorityName,
    revocation: verdict.revocation,
  };
}

type Props = {
  readonly proof: Pick<Proof, "chain" | "inclusion" | "completed" | "completion_logged">;
  readonly onFound: (check: LogCheck) => void;
};

export function LogCard({ proof, onFound }: Props) {
  const { chain, inclusion } = proof;
  const isEndMissing = proof.completed && proof.completion_logged === false;
  const checked = useLoaded(
    `${inclusion?.leaf_index} ${inclusion?.checkpoint.signature}`,
    async () => (inclusion === null ? null : checkLog(inclusion, window.location.origin)),
  );
  const check = checked.status === "ready" ? checked.value : null;
  const notify = useEffectEvent(onFound);
  useEffect(() => {
    if (check !== null) notify(check);
  }, [check]);
  return (
    <Card
      {...LOG_CARD}
      isInner
      aside={<Summary isIntact={chain.intact} check={check} isEndMissing={isEndMissing} />}
    >
      {chain.intact ? null : (
        <Alert tone="danger" title="Historique modifié">
          Les événements de cette enveloppe ne s’enchaînent plus, ou ne sont plus ceux que le
          journal public a enregistrés.
        </Alert>
      )}
      {inclusion === null ? (
        <p className="muted">
          Le journal public ne couvre pas encore cette enveloppe{"\u00a0"}: il est complété au moins
          toutes les heures.
        </p>
      ) : (
        <Included inclusion={inclusion} check={check} isAway={checked.status === "failed"} />
      )}
      {inclusion !== null && isEndMissing ? (
        <p className="muted">
          Le journal public ne couvre pas encore la fin de cette enveloppe{"\u00a0"}: il est
          complété au moins toutes les heures.
        </p>
      ) : null}
      <p className="muted small">
        {eventsSaid(chain)} <a href="/journal-de-transparence">Consulter le journal public</a>
      </p>
    </Card>
  );
}

function eventsSaid({ count, intact }: Proof["chain"]): string {
  const mark = count > 1 ? "s" : "";
  return `${formatCount(count)} événement${mark} ${intact ? `recalculé${mark} à l’instant` : `lu${mark}`} par le service.`;
}

const REVOCATIONS = {
  checked: "Cachet non révoqué à cette date",
  unknown: "Non vérifiée",
} as const;

type IncludedProps = {
  readonly inclusion: NonNullable<Proof["inclusion"]>;
  readonly check: LogCheck | null;
  readonly isAway: boolean;
};

function Included({ inclusion, check, isAway }: IncludedProps) {
  if (check?.state === "broken")
    return (
      <Alert tone="danger" title="La preuve d’inclusion ne tient pas">
        Rien ne montre que l’historique de cette enveloppe soit celui que le service a publié. Ne
        vous fiez pas à ce document.
      </Alert>
    );
  if (check?.state === "elsewhere")
    return (
      <Alert tone="danger" title="Cette adresse n’est pas celle du journal">
        Le journal est celui de {check.log}, et vous lisez cette page à l’adresse{" "}
        {window.location.origin}. Ouvrez-la à la première.
      </Alert>
    );
  const pending = isAway ? "Le contrôle n’a pas pu être chargé." : "Contrôle en cours…";
  const { sequence } = inclusion.entry;
  return (
    <div className={styles["pairs"]} data-waiting={check === null && !isAway ? "" : undefined}>
      <KeyValue
        entries={[
          [
            "Place",
            `Empreinte n°\u00a0${formatCount(inclusion.leaf_index + 1)} sur ${formatCount(inclusion.size)}`,
          ],
          [
            "Couvre",
            sequence > 1
              ? `Les ${formatCount(sequence)} premiers événements de l’enveloppe`
              : "Le premier événement de l’enveloppe",
          ],
          ["Inclusion", check ? "Vérifiée dans votre navigateur" : pending],
          ["Révocation", check ? REVOCATIONS[check.revocation] : pending],
          [
            "Horodatage",
            check
              ? `${formatExactInstant(check.stampedAt)}, par ${check.authority} (non qualifié)`
              : pending,
          ],
        ]}
      />
    </div>
  );
}

type SummaryProps = {
  readonly isIntact: boolean;
  readonly check: LogCheck | null;
  readonly isEndMissing: boolean;
};

function Summary({ isIntact, check, isEndMissing }: SummaryProps) {
  if (!isIntact || check?.state === "broken")
    return <Tick word={{ tone: "bad", word: "Ne tient pas" }} />;
  if (check?.state === "elsewhere") return <Tick word={{ tone: "bad", word: "Autre adresse" }} />;
  if (check === null) return null;
  return (
    <Tick
      word={
        isEndMissing ? { tone: "unsure", word: "Début seul" } : { tone: "good", word: "Inclus" }
      }
    />
  );
}
