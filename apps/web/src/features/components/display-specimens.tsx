import { Alert } from "../../ui/alert/alert.tsx";
import { Avatar, AvatarStack } from "../../ui/avatar/avatar.tsx";
import { Badge, StatusGlyph } from "../../ui/badge/badge.tsx";
import { CopyField } from "../../ui/copy-field/copy-field.tsx";
import { Count } from "../../ui/count/count.tsx";
import { DocCell } from "../../ui/doc-cell/doc-cell.tsx";
import { Dropzone } from "../../ui/dropzone/dropzone.tsx";
import { EmptyState } from "../../ui/empty-state/empty-state.tsx";
import { FileItem } from "../../ui/file-item/file-item.tsx";
import { KeyValue } from "../../ui/key-value/key-value.tsx";
import { Pager } from "../../ui/pager/pager.tsx";
import { Progress } from "../../ui/progress/progress.tsx";
import { Seal } from "../../ui/seal/seal.tsx";
import { SkeletonRows } from "../../ui/skeleton/skeleton-rows.tsx";
import { Sparkline } from "../../ui/sparkline/sparkline.tsx";
import { StatTile, StatTiles } from "../../ui/stat-tile/stat-tile.tsx";
import { Stepper } from "../../ui/stepper/stepper.tsx";
import { SuccessStroke } from "../../ui/success-stroke/success-stroke.tsx";
import { Timeline } from "../../ui/timeline/timeline.tsx";
import { Tooltip } from "../../ui/tooltip/tooltip.tsx";
import { Specimen } from "./specimen.tsx";

const NOW = "2026-11-21T11:38:00Z";
const COUNTS = [1, 3, 2, 4, 0, 2, 5];
const DAYS = COUNTS.map((count, index) => ({ date: `2026-11-${15 + index}`, count }));

/** What shows and is not pressed. */
export function DisplaySpecimens() {
  return (
    <>
      <Badges />
      <Alerts />
      <Progressions />
      <Figures />
      <Files />
      <Traces />
      <Waits />
    </>
  );
}

function Badges() {
  return (
    <Specimen title="Badge, Count, Avatar">
      <div className="row">
        <Badge tone="draft">Brouillon</Badge>
        <Badge tone="sent">En cours</Badge>
        <Badge tone="completed">Terminé</Badge>
        <Badge tone="cancelled">Annulé</Badge>
        <Badge tone="action">Action requise</Badge>
        <Badge tone="declined">Refusée</Badge>
        <Badge tone="expired">Expirée</Badge>
        <Badge tone="info">Information</Badge>
        <Count value={3} red />
        <Avatar name="Clémence Aubry-Lefèvre" />
        <AvatarStack names={["Éloïse Saint-Cœur", "Maximilien Vandenbroucke", "Théo Lenoir", "Fanny Delaunay"]} />
        <Tooltip text="Purge automatique dans 4 jour(s)">
          <button type="button">Infobulle</button>
        </Tooltip>
      </div>
    </Specimen>
  );
}

function Alerts() {
  return (
    <Specimen title="Alert">
      <Alert tone="success">Compte activé avec succès. Vous pouvez maintenant vous connecter.</Alert>
      <Alert tone="danger">Échec du chargement des brouillons</Alert>
      <Alert tone="warning">Théo Lenoir n’a pas encore ouvert le document.</Alert>
      <Alert tone="info">La position est reprise en pourcentage de la page.</Alert>
    </Specimen>
  );
}

function Progressions() {
  return (
    <Specimen title="Stepper, Pager, Progress">
      <Stepper steps={["Documents", "Destinataires", "Champs", "Envoi"]} current={2} />
      <Pager page={7} pageSize={10} count={128} onPage={() => undefined} />
      <Progress signed={1} total={3} percent={33} />
    </Specimen>
  );
}

function Figures() {
  return (
    <Specimen title="StatTile, Sparkline">
      <StatTiles>
        <StatTile label="Brouillons" sign={<StatusGlyph tone="draft" />} value="5" hint="À terminer" to="#" />
        <StatTile label="Envoyées" sign={<StatusGlyph tone="sent" />} value="12" to="#" />
        <StatTile label="Complétées" sign={<StatusGlyph tone="completed" />} value={undefined} to="#" />
        <StatTile label="Action requise" sign={<StatusGlyph tone="action" />} value="3" alert to="#" />
      </StatTiles>
      <Sparkline label="7 derniers jours" days={DAYS} />
    </Specimen>
  );
}

function Files() {
  return (
    <Specimen title="DocCell, Dropzone, FileItem">
      <DocCell title="Contrat de prestation – reliure des registres" to="#" subtitle="theo.lenoir@atelier-lenoir.fr" />
      <Dropzone
        title="Déposez vos PDF ici"
        hint={"PDF uniquement, 10\u00a0Mo au maximum par fichier"}
        accept=".pdf"
        multiple
        onFiles={() => undefined}
      />
      <ul className="stack stack--sm">
        <FileItem name="Contrat_de_prestation-v2.pdf" meta="184 Ko, 2 pages" />
        <FileItem name="Annexe.pdf" meta="2,1 Mo" progress={0.42} />
        <FileItem name="photo.png" error="Seuls les fichiers PDF sont autorisés" />
      </ul>
    </Specimen>
  );
}

function Traces() {
  return (
    <Specimen title="Timeline, KeyValue, CopyField, Seal">
      <div className="cols2">
        <Timeline
          items={[
            { key: "a", icon: "clock", tone: "waiting", text: "En attente de Théo Lenoir" },
            { key: "b", icon: "pen", tone: "done", text: "Clémence Aubry-Lefèvre a signé", at: NOW },
            { key: "c", icon: "cancel", tone: "refused", text: "Théo Lenoir a refusé de signer", at: NOW },
            { key: "d", icon: "plus", tone: "neutral", text: "Enveloppe créée", at: NOW },
          ]}
        />
        <div className="stack">
          <KeyValue
            entries={[
              ["Échéance", "5 décembre 2026"],
              ["Fichiers", "2 PDF, 12 pages"],
            ]}
          />
          <CopyField label="SHA-256" value="9f2c41d7a8be03c65d1e7f90b42a6c38e5d7019ab3f4c86211e0d59a7b8c4f23" />
          <div className="row">
            <Seal state="valid" />
            <Seal state="waiting" />
            <Seal state="failed" />
          </div>
        </div>
      </div>
    </Specimen>
  );
}

function Waits() {
  return (
    <Specimen title="EmptyState, Skeleton, SuccessStroke">
      <EmptyState title="Aucune enveloppe envoyée">Déposez un PDF, ajoutez vos signataires.</EmptyState>
      <SkeletonRows rows={2} label="Chargement" />
      <SuccessStroke />
    </Specimen>
  );
}
