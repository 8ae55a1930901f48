import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { parisDay } from "../../../lib/format/format-dates.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { SettingRow } from "./setting-row.tsx";
import { exportData, loadStorage } from "./settings-calls.ts";
import { formatFileSize, formatPercent } from "../../../lib/format/format-numbers.ts";
import { ProgressBar } from "../../../ui/progress/progress.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { LoadFailure } from "./settings-layout.tsx";

const EraseDialog = lazyDialog(async () => (await import("./erase-dialog.tsx")).EraseDialog);
const FAILURE = "Impossible d’exporter vos données";

/** GDPR art. 15, 17 and 20. */
export function DataCard() {
  const [erasing, setErasing] = useState(false);
  const archive = useMutation({
    mutationFn: exportData,
    onSuccess: (blob) => {
      saveBlob(blob, `paraphe-mes-donnees-${parisDay(new Date())}.zip`);
      showToast("ok", "Vos données sont téléchargées");
    },
    onError: (error) => {
      showToast("err", callMessage(error, FAILURE));
    },
  });
  return (
    <section className="card" aria-labelledby="titre-donnees">
      <div className="card__head">
        <h2 className="h2" id="titre-donnees">
          Vos données
        </h2>
      </div>
      <div className="card__body">
        {archive.error && <Alert tone="danger">{callMessage(archive.error, FAILURE)}</Alert>}
        <SettingRow
          title="Exporter vos données"
          control={
            <Button
              size="sm"
              loading={archive.isPending}
              loadingLabel="Préparation…"
              onClick={() => archive.mutate()}
            >
              <Icon name="download" size="sm" />
              Exporter
            </Button>
          }
        >
          <p>Profil, enveloppes, fichiers signés, preuves et historique, dans une archive ZIP.</p>
        </SettingRow>
        <SettingRow
          title="Supprimer le compte"
          control={
            <Button
              size="sm"
              variant="dangerGhost"
              aria-haspopup="dialog"
              onClick={() => setErasing(true)}
            >
              Supprimer
            </Button>
          }
        >
          <p>
            Votre profil, vos sessions et vos brouillons sont effacés. Cette action est définitive.
          </p>
        </SettingRow>
      </div>
      {erasing && <EraseDialog onClose={() => setErasing(false)} />}
    </section>
  );
}

const STORAGE_FAILURE = "Impossible de charger votre espace de stockage";

export function StorageCard() {
  const { data, error, refetch } = useQuery({
    queryKey: ["storage"],
    queryFn: ({ signal }) => loadStorage(signal),
  });
  return (
    <section className="card" aria-labelledby="titre-stockage">
      <div className="card__head">
        <h2 className="h2" id="titre-stockage">
          Espace de stockage
        </h2>
      </div>
      <div className="card__body stack stack--sm">
        {data ? (
          <Room used={data.used_bytes} quota={data.quota_bytes} />
        ) : error ? (
          <LoadFailure error={error} fallback={STORAGE_FAILURE} onRetry={() => void refetch()} />
        ) : (
          <SkeletonRows rows={1} label="Chargement de votre espace de stockage" />
        )}
      </div>
    </section>
  );
}

function Room({ used, quota }: { readonly used: number; readonly quota: number | null }) {
  if (quota === null) return <p>{`Vous utilisez ${formatFileSize(used)}, sans limite.`}</p>;
  const percent = Math.min(100, Math.floor((1_000 * used) / quota) / 10);
  const words = `${formatFileSize(used)} sur ${formatFileSize(quota)}`;
  return (
    <>
      <p>{`Vous utilisez ${words} (${formatPercent(percent)}).`}</p>
      <ProgressBar percent={percent} label={words} size="lg" whole="limit" />
      <p>
        {percent >= 90
          ? "Supprimez des brouillons, des modèles ou des enveloppes annulées pour retrouver de la place."
          : "Fichiers de vos enveloppes et de vos modèles, signatures enregistrées, lots en cours."}
      </p>
    </>
  );
}
