import type { ChainAnswer } from "@paraphe/contracts";
import { formatCount } from "../../lib/format-numbers.ts";
import { Button } from "../../ui/button/button.tsx";
import { CopyField } from "../../ui/copy-field/copy-field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import styles from "./journal.module.css";

type Props = { readonly chain: ChainAnswer; readonly busy: boolean; readonly onVerify: () => void };

/** Whether the journal is whole, as the service has just recomputed it; what that means, and what to compare with, on demand. */
export function JournalChain({ chain, busy, onVerify }: Props) {
  return (
    <details className={styles["chain"]}>
      <summary className={chain.ok ? styles["intact"] : styles["altered"]}>
        <Icon name={chain.ok ? "shield" : "alert"} size="sm" />
        <b>{chain.ok ? "Historique non modifié" : "Historique modifié"}</b>
        <span className={styles["what"]}>Ce que cela veut dire</span>
      </summary>
      <div className={styles["meaning"]}>
        {chain.ok ? <Intact chain={chain} /> : <Altered chain={chain} />}
        <Button size="sm" loading={busy} onClick={onVerify}>
          <Icon name="refresh" size="sm" />
          Vérifier à nouveau
        </Button>
      </div>
    </details>
  );
}

function Intact({ chain }: { readonly chain: ChainAnswer }) {
  return (
    <>
      <p>
        {chain.count === 1
          ? "L’événement de l’historique vient d’être recalculé"
          : `Les ${formatCount(chain.count)} événements de l’historique viennent d’être recalculés, du premier au dernier`}
        {"\u00a0: "}
        chacun est scellé par l’empreinte du précédent, et aucun n’a été modifié, inséré, déplacé ni retiré avant le dernier.
      </p>
      <p>Notez l’empreinte du dernier événement pour pouvoir prouver plus tard que rien n’a été retiré à la fin.</p>
      {chain.head !== null && <CopyField label="Empreinte du dernier événement (SHA-256)" value={chain.head} />}
    </>
  );
}

function Altered({ chain }: { readonly chain: ChainAnswer }) {
  return (
    <p>
      {chain.count === 0
        ? "L’historique ne contient plus aucun événement, alors qu’une enveloppe en a dès sa création."
        : `L’événement n°\u00a0${formatCount(chain.broken_at ?? chain.count)} ne correspond plus à l’empreinte qui le scelle\u00a0: il a été modifié, retiré ou déplacé après coup.`}{" "}
      Ne vous fiez plus à cet historique et prévenez la personne qui administre le service. Les signatures des documents se vérifient sans
      lui.
    </p>
  );
}
