import type { Checkpoint } from "@paraphe/contracts";
import { useEffect, useRef, useState } from "react";
import { formatInstant } from "../../lib/format/format-dates.ts";
import { formatCount, plural } from "../../lib/format/format-numbers.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Card } from "../../ui/card/card.tsx";
import { Dropzone } from "../../ui/dropzone/dropzone.tsx";
import { checkContinuity, type Continuity, parseSavedCheckpoint } from "./check-continuity.ts";

/** `unread`: no checkpoint in the file; `away`: the path did not load. */
type ContinuityState =
  | { readonly step: "none" | "unread" | "away" | "checking" }
  | { readonly step: "done"; readonly saved: Checkpoint; readonly continuity: Continuity };

export function useContinuity(latest: Checkpoint | undefined) {
  const [state, setState] = useState<ContinuityState>({ step: "none" });
  const asked = useRef(0);
  const show = async (answer: () => Promise<ContinuityState>) => {
    const turn = ++asked.current;
    setState({ step: "checking" });
    const said = await answer().catch((error: unknown): ContinuityState => {
      console.warn("a checkpoint could not be compared with the log", error);
      return { step: "away" };
    });
    if (turn === asked.current) setState(said);
  };
  const compare = async (saved: Checkpoint): Promise<ContinuityState> =>
    latest === undefined
      ? { step: "none" }
      : { step: "done", saved, continuity: await checkContinuity(saved, latest) };
  return {
    state,
    check: (saved: Checkpoint) => show(() => compare(saved)),
    checkFile: (file: File) =>
      show(async () => {
        const saved = await parseSavedCheckpoint(file);
        return saved === null ? { step: "unread" } : compare(saved);
      }),
  };
}

type Props = {
  readonly state: ContinuityState;
  readonly latest: Checkpoint;
  readonly onFile: (file: File) => void;
};

export function ContinuityCard({ onFile }: Pick<Props, "onFile">) {
  return (
    <Card id="continuite" title="Vérifier la continuité" className="off-paper" isInner>
      <p className="ink2">
        Gardez un point de contrôle{"\u00a0"}: plus tard, cette page vérifiera que le journal
        commence encore par lui, donc que rien de ce qu’il couvrait n’a été retiré ni changé.
      </p>
      <Dropzone
        compact
        title="Déposez un point de contrôle gardé"
        hint={"Le calcul se fait dans votre navigateur\u00a0: rien n’est envoyé."}
        accept=".json,application/json"
        onFiles={([file]) => file && onFile(file)}
      />
    </Card>
  );
}

export function ContinuityOutcome({ state, latest }: Pick<Props, "state" | "latest">) {
  const outcome = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (state.step !== "none") outcome.current?.scrollIntoView({ block: "nearest" });
  }, [state]);
  // The live region precedes its text: one inserted with it may stay silent.
  return (
    <div ref={outcome} role="status" aria-label="Continuité">
      <Outcome state={state} latest={latest} />
    </div>
  );
}

function Outcome({ state, latest }: Pick<Props, "state" | "latest">) {
  if (state.step === "done") return <Answer {...state} latest={latest} />;
  if (state.step === "none") return null;
  if (state.step === "checking") return <p className="muted">Vérification en cours…</p>;
  if (state.step === "unread")
    return (
      <Alert isAnnounced={false} tone="warning">
        Ce fichier n’est pas un point de contrôle de ce journal.
      </Alert>
    );
  return (
    <Alert isAnnounced={false} tone="warning">
      Le service n’a pas donné de quoi vérifier. Réessayez dans un instant.
    </Alert>
  );
}

type AnswerProps = Extract<ContinuityState, { readonly step: "done" }> & Pick<Props, "latest">;

function Answer({ saved, continuity, latest }: AnswerProps) {
  const [first, second] = [formatCount(saved.size), formatCount(latest.size)];
  switch (continuity.outcome) {
    case "holds":
      return (
        <Alert isAnnounced={false} tone="success" title="Continuité vérifiée">
          Le journal, qui compte {plural(latest.size, "empreinte")}, commence par{" "}
          {saved.size > 1 ? `les ${first}` : "celle"} du point de contrôle du{" "}
          {formatInstant(saved.at)}
          {"\u00a0"}: aucune n’a été retirée ni changée.
        </Alert>
      );
    case "unsound":
      return (
        <Alert isAnnounced={false} tone="warning" title="Point de contrôle inexploitable">
          Sa signature ou son horodatage ne correspond pas à ce qu’il dit, ou n’est pas d’une
          autorité de ce service{"\u00a0"}: il ne prouve rien contre le journal.
        </Alert>
      );
    case "foreign":
      return (
        <Alert isAnnounced={false} tone="warning" title="Point de contrôle d’un autre journal">
          Il dit être du journal de {continuity.log}
          {"\u00a0"}: il ne dit rien de ce journal-ci.
        </Alert>
      );
    default:
      return (
        <Alert isAnnounced={false} tone="danger" title="Le journal a été réécrit">
          {continuity.outcome === "shorter"
            ? `Le point de contrôle du ${formatInstant(saved.at)} atteste ${plural(saved.size, "empreinte")}, le journal n’en compte plus que ${second}.`
            : `Le journal ne commence pas par ce qu’atteste le point de contrôle du ${formatInstant(saved.at)}.`}{" "}
          Gardez ce point de contrôle{"\u00a0"}: il le prouve.
        </Alert>
      );
  }
}
