import type { Proof } from "@paraphe/contracts";
import { type MeaningLine, MeaningList } from "../../../ui/meaning-list/meaning-list.tsx";

const MEANINGS: Readonly<Record<Proof["verdict"], readonly string[]>> = {
  valid: [
    "Le fichier est, octet pour octet, celui qui a été signé.",
    "Chaque signature a été vérifiée avec son certificat et sa date.",
    "Comparez le papier que vous tenez avec le document affiché ici\u00a0: seul ce dernier fait foi.",
  ],
  indeterminate: [
    "Rien ne montre que le document a été modifié.",
    "Il manque un élément pour conclure\u00a0: une signature attendue, ou une information de révocation.",
    "Revenez plus tard, ou demandez l’exemplaire signé à son expéditeur.",
  ],
  invalid: [
    "Le contrôle a échoué\u00a0: ne vous fiez pas à ce document.",
    "Il a pu être modifié après la signature, son certificat n’est plus digne de confiance, ou l’historique qui le raconte a été changé.",
    "Demandez un nouvel exemplaire à son expéditeur.",
  ],
};

/** Nothing more will come of it. */
const CANCELLED = [
  "L’expéditeur a annulé cette enveloppe\u00a0: elle ne sera pas complétée.",
  "Ses empreintes restent ici, pour reconnaître un exemplaire.",
  "Demandez à son expéditeur ce qui la remplace.",
];

/** Nor of this one. */
const DECLINED = [
  "Une personne à qui la signature était demandée l’a refusée\u00a0: ce document ne sera pas complété.",
  "Les signatures déjà apposées restent celles de leurs auteurs\u202f; elles ne font pas un accord de tous.",
  "Demandez à son expéditeur ce qui le remplace.",
];

/** Nor of this one, unless its sender opens it again. */
const EXPIRED = [
  "L’échéance est passée avant que tous aient signé\u00a0: plus personne ne peut signer ce document en l’état.",
  "Les signatures déjà apposées restent celles de leurs auteurs\u202f; elles ne font pas un accord de tous.",
  "Demandez à son expéditeur s’il prolonge l’échéance, ou ce qui le remplace.",
];

/** The file is gone: what was found of it once cannot be found again here. */
const PURGED = [
  "Ce document avait été signé par tous\u00a0; son propriétaire l’a retiré d’ici depuis.",
  "Ses empreintes restent\u00a0: un exemplaire qui porte la même est celui qui a été signé, octet pour octet.",
  "Ses signatures ne peuvent plus être vérifiées ici\u00a0: elles le sont dans l’exemplaire que chaque signataire a reçu.",
];

/** Nor was it ever what all had agreed to. */
const NEVER_COMPLETED = [
  "Ce document n’a jamais été signé par tous\u00a0: il ne vaut pas accord entre les parties.",
  "Ses empreintes restent\u00a0: elles servent à reconnaître un exemplaire, sans en faire un document signé.",
  "Demandez à son expéditeur ce qui le remplace.",
];

type Props = Pick<Proof, "completed" | "purged" | "cancelled" | "declined" | "expired"> & {
  /** The one that is shown. */ readonly verdict: Proof["verdict"];
};

/** What a verdict means for somebody who holds the paper, and what to do: what is established, then what is left to do or to beware of. */
export function VerdictMeaning({ verdict, ...proof }: Props) {
  const lines = (verdict === "indeterminate" ? endOf(proof) : null) ?? MEANINGS[verdict];
  const toneOf = (index: number): MeaningLine["tone"] => {
    if (verdict === "invalid" && index === 0) return "bad";
    return verdict === "valid" && index < lines.length - 1 ? "good" : "note";
  };
  return <MeaningList lines={lines.map((text, index) => ({ tone: toneOf(index), text }))} />;
}

function endOf({ completed, purged, cancelled, declined, expired }: Omit<Props, "verdict">): readonly string[] | null {
  if (purged) return completed ? PURGED : NEVER_COMPLETED;
  if (cancelled) return CANCELLED;
  if (declined) return DECLINED;
  return expired ? EXPIRED : null;
}
