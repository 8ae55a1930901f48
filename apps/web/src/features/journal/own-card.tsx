import type { Checkpoint } from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import { useRef, useState } from "react";
import { formatInstant } from "../../lib/format/format-dates.ts";
import { formatCount } from "../../lib/format/format-numbers.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Card } from "../../ui/card/card.tsx";
import { Dropzone } from "../../ui/dropzone/dropzone.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { checkContinuity, type Continuity, isRewrite } from "./check-continuity.ts";

/**
 * `alone`: a PDF without its proof; `none`: neither; `uncovered`: made before the log covered it;
 * `broken`: an invalid proof; `other`: the proof does not name the PDF; `unlogged`: the log does
 * not begin with the proof's checkpoint.
 */
type Own =
  | { readonly state: "alone" | "none" | "uncovered" | "broken" }
  | { readonly state: "other"; readonly name: string }
  | {
      readonly state: "unlogged";
      readonly continuity: Exclude<Continuity, { readonly outcome: "holds" }>;
    }
  | {
      readonly state: "logged";
      readonly at: string;
      readonly place: number;
      readonly isFileHeld: boolean;
    };

const isProof = (bytes: Uint8Array): boolean =>
  /^\s*\{/.test(new TextDecoder("latin1").decode(bytes.subarray(0, 64)));

/** Checks that the log includes the proof's journal and that the proof names the PDF. */
async function checkOwn(files: readonly File[], latest: Checkpoint): Promise<Own> {
  const read = await Promise.all(
    files.map(async (file) => ({
      name: file.name,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
  const proof = read.findLast(({ bytes }) => isProof(bytes));
  const pdf = read.findLast(({ bytes }) => !isProof(bytes));
  if (proof === undefined)
    return { state: pdf === undefined || !isPdf(pdf.bytes) ? "none" : "alone" };
  const { readLoggedProof } = await import("@paraphe/proof/logged");
  const logged = readLoggedProof(proof.bytes);
  if (logged.state !== "covered") return { state: logged.state };
  const hash =
    pdf === undefined
      ? null
      : toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", pdf.bytes)));
  if (pdf !== undefined && hash !== null && !logged.files.includes(hash))
    return { state: "other", name: pdf.name };
  const { inclusion } = logged;
  const continuity = await checkContinuity(inclusion.checkpoint, latest);
  if (continuity.outcome !== "holds") return { state: "unlogged", continuity };
  return {
    state: "logged",
    at: inclusion.checkpoint.at,
    place: inclusion.leaf_index + 1,
    isFileHeld: hash !== null,
  };
}

function isPdf(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 1_024)).includes("%PDF-");
}

type State =
  | { readonly step: "none" | "checking" | "away" }
  | { readonly step: "done"; readonly own: Own };

type Props = {
  readonly latest: Checkpoint;
  readonly onRewritten: () => void;
};

function useOwnCheck({ latest, onRewritten }: Props) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [state, setState] = useState<State>({ step: "none" });
  const asked = useRef(0);
  const take = async (added: readonly File[]) => {
    const turn = ++asked.current;
    const all = [...files, ...added];
    setFiles(all);
    setState({ step: "checking" });
    const answer = await checkOwn(all, latest).then(
      (own): State => ({ step: "done", own }),
      (error: unknown): State => {
        console.warn("a document could not be compared with the log", error);
        return { step: "away" };
      },
    );
    if (turn !== asked.current) return;
    setState(answer);
    if (
      answer.step === "done" &&
      answer.own.state === "unlogged" &&
      isRewrite(answer.own.continuity)
    )
      onRewritten();
  };
  const again = () => {
    asked.current += 1;
    setFiles([]);
    setState({ step: "none" });
  };
  return { state, take, again };
}

export function OwnCard(props: Props) {
  const { state, take, again } = useOwnCheck(props);
  const isAlone = state.step === "done" && state.own.state === "alone";
  return (
    <Card
      id="document"
      title={"Votre document y figure-t-il\u202f?"}
      className={state.step === "none" ? "off-paper" : undefined}
    >
      {state.step === "none" || isAlone ? (
        <Dropzone
          compact
          multiple
          title={isAlone ? "Ajoutez son preuve.json" : "Déposez preuve.json et le PDF signé"}
          hint="Comparé sur votre appareil. Rien n’est envoyé."
          accept=".pdf,.json,application/pdf,application/json"
          onFiles={(list) => void take(list)}
        />
      ) : null}
      {/* The live region precedes its text: one inserted with it may stay silent. */}
      <div role="status" aria-label="Votre document">
        {state.step === "checking" ? <p className="muted">Vérification en cours…</p> : null}
        {state.step === "away" ? (
          <Alert isAnnounced={false} tone="warning">
            Le service n’a pas donné de quoi vérifier. Réessayez dans un instant.
          </Alert>
        ) : null}
        {state.step === "done" ? <Answer own={state.own} /> : null}
      </div>
      {state.step === "none" || state.step === "checking" ? null : (
        <div>
          <Button size="sm" onClick={again}>
            <Icon name="refresh" size="sm" />
            Vérifier un autre fichier
          </Button>
        </div>
      )}
    </Card>
  );
}

function Answer({ own }: { readonly own: Own }) {
  if (own.state === "logged") {
    const file = own.isFileHeld
      ? " Votre fichier est bien celui qui y a été enregistré."
      : " Ajoutez le PDF pour savoir si c’est bien lui.";
    return (
      <Alert isAnnounced={false} tone="success" title="Oui, ce document figure au journal">
        Inscrit au plus tard le {formatInstant(own.at)}, sous le n°{"\u00a0"}
        {formatCount(own.place)}. Rien n’a changé depuis.{file}
      </Alert>
    );
  }
  const { tone, title, text } = saidOf(own);
  return (
    <Alert isAnnounced={false} tone={tone} title={title}>
      {text}
    </Alert>
  );
}

type Said = {
  readonly tone: "info" | "warning" | "danger";
  readonly title: string;
  readonly text: string;
};

const SAID: Readonly<Record<"alone" | "none" | "uncovered" | "broken", Said>> = {
  alone: {
    tone: "info",
    title: "Il manque preuve.json",
    text: "Le journal n’enregistre pas le PDF lui-même, mais l’histoire de son enveloppe, que preuve.json contient. Téléchargez-le depuis la page de vérification du document.",
  },
  none: {
    tone: "warning",
    title: "Fichier non reconnu",
    text: "Ce n’est ni un preuve.json de ce service, ni un PDF. Rien n’a été vérifié.",
  },
  uncovered: {
    tone: "warning",
    title: "Pas encore, quand cette preuve a été faite",
    text: "Le journal est complété au moins toutes les heures. Téléchargez à nouveau la preuve, puis recommencez.",
  },
  broken: {
    tone: "danger",
    title: "Cette preuve ne tient pas",
    text: "Ce qu’elle raconte n’est pas ce que le journal a enregistré. Ne vous y fiez pas\u00a0: demandez une nouvelle preuve à la personne qui vous l’a remise.",
  },
};

function saidOf(own: Exclude<Own, { readonly state: "logged" }>): Said {
  if (own.state === "other")
    return {
      tone: "warning",
      title: "Non, ce document n’y figure pas",
      text: `L’empreinte de «\u00a0${own.name}\u00a0» n’est pas celle d’un fichier de cette preuve. Soit le fichier a été modifié, soit la preuve est celle d’un autre document.`,
    };
  if (own.state !== "unlogged") return SAID[own.state];
  const { continuity } = own;
  if (continuity.outcome === "foreign")
    return {
      tone: "warning",
      title: "C’est un autre journal",
      text: `Cette preuve est au journal de ${continuity.log}. Ouvrez celui-là.`,
    };
  return continuity.outcome === "unsound"
    ? {
        tone: "warning",
        title: "Non, ce document n’y figure pas",
        text: "Le point de contrôle que cette preuve cite n’est pas de ce service\u00a0: elle ne prouve rien.",
      }
    : {
        tone: "danger",
        title: "Le journal a été réécrit",
        text: "Il ne commence plus par ce que cette preuve atteste. Gardez cette preuve\u00a0: elle le montre.",
      };
}
