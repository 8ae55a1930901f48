import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import styles from "./field-keys-dialog.module.css";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  [
    "Entrée, puis Entrée",
    "Prendre un champ de la palette, puis le poser au milieu de la page visible",
  ],
  ["Tab", "Aller d’un champ à l’autre, dans l’ordre de lecture"],
  ["Flèches", "Déplacer d’un point"],
  ["Maj + flèches", "Déplacer de 5 points"],
  ["Alt + flèches", "Changer la taille d’un point (avec Maj, de 5 points)"],
  ["Suppr", "Supprimer"],
  ["Ctrl + D", "Dupliquer"],
  ["Ctrl + C, Ctrl + X, Ctrl + V", "Copier, couper, coller à la même place de la page visible"],
  ["Ctrl + A", "Sélectionner tous les champs de la page"],
  ["Maj + clic, Maj + Espace", "Ajouter à la sélection, ou en retirer"],
  ["Ctrl + Z", "Annuler"],
  ["Ctrl + Maj + Z, Ctrl + Y", "Rétablir"],
  ["Alt en glissant", "Ne pas aligner sur les autres champs ni sur les marges"],
  ["Échap", "Désélectionner, reposer l’outil, abandonner le geste"],
  ["?", "Afficher cette liste"],
];

/** Every key of the placement of fields. */
export function FieldKeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title="Raccourcis clavier"
      size="lg"
      sheet
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          Fermer
        </Button>
      }
    >
      <dl className={styles.keys}>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
