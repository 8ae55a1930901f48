import type { SavedSignature } from "@paraphe/contracts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { MarkPicture } from "../mark-picture.tsx";
import { savedLook } from "../saved-mark.ts";
import styles from "./saved-signatures.module.css";
import { signatureWords } from "./signature-words.ts";

type SignatureCardProps = {
  readonly signature: SavedSignature;
  readonly isBusy: boolean;
  readonly onDefault: () => void;
  readonly onRename: () => void;
  readonly onDelete: () => void;
};

/** One signature as it will be printed, what it is, and what can be done with it. */
export function SignatureCard({ signature, isBusy, onDefault, onRename, onDelete }: SignatureCardProps) {
  const { name, is_default: isDefault } = signature;
  return (
    <li className={styles.card} data-signature={signature.id}>
      <div className={styles.view}>
        <div className={styles.mark}>
          <MarkPicture look={savedLook(signature)} />
        </div>
      </div>
      <div className={styles.meta}>
        <div className={styles.words}>
          <b className="truncate">{name}</b>
          <small>{signatureWords(signature)}</small>
        </div>
        {isDefault ? <Badge tone="info">Par défaut</Badge> : null}
      </div>
      <div className={styles.actions}>
        {isDefault ? null : (
          <Button size="sm" variant="ghost" disabled={isBusy} aria-label={`Définir par défaut, ${name}`} onClick={onDefault}>
            Définir par défaut
          </Button>
        )}
        <span className={styles.right}>
          <Button size="sm" square variant="ghost" aria-label={`Renommer ${name}`} title="Renommer" onClick={onRename}>
            <Icon name="edit" />
          </Button>
          <Button size="sm" square variant="ghost" aria-label={`Supprimer ${name}`} title="Supprimer" onClick={onDelete}>
            <Icon name="trash" />
          </Button>
        </span>
      </div>
    </li>
  );
}
