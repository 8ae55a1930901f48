import { useMutation } from "@tanstack/react-query";
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
import { exportData } from "./settings-calls.ts";

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
              loadingLabel="Préparation..."
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
