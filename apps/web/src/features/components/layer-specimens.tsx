import { useState, useSyncExternalStore } from "react";
import { chooseTheme, onThemeChange, readTheme } from "../../lib/theme.ts";
import { buttonLook } from "../../ui/button/button-look.ts";
import { Button } from "../../ui/button/button.tsx";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { Drawer } from "../../ui/drawer/drawer.tsx";
import { Menu } from "../../ui/menu/menu.tsx";
import { Segmented } from "../../ui/segmented/segmented.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { Specimen } from "./specimen.tsx";

/** What opens over the page, and the theme. */
export function LayerSpecimens() {
  const [open, setOpen] = useState<"dialog" | "confirm" | "drawer">();
  const theme = useSyncExternalStore(onThemeChange, readTheme);
  const close = () => setOpen(undefined);
  return (
    <Specimen title="Thème, Menu, Dialog, Drawer, Toast">
      <div>
        <Segmented
          label="Thème"
          value={theme}
          onChange={chooseTheme}
          options={[
            { value: "light", label: "Clair" },
            { value: "dark", label: "Sombre" },
            { value: "system", label: "Système" },
          ]}
        />
      </div>
      <div className="row">
        <Menu
          label="Types de signature"
          title="Types de signature"
          triggerClassName={buttonLook({})}
          trigger="Signer maintenant"
          entries={[
            { id: "a", label: "Auto-signature", description: "Signer un document instantanément", icon: "pen" },
            { id: "b", label: "Signature masse", description: "Plusieurs documents, même position", icon: "layers" },
            { id: "c", label: "Supprimer", icon: "trash", danger: true, separated: true },
          ]}
        />
        <Button onClick={() => setOpen("dialog")}>Dialogue</Button>
        <Button onClick={() => setOpen("confirm")}>Confirmation</Button>
        <Button onClick={() => setOpen("drawer")}>Tiroir</Button>
        <Button onClick={() => showToast("ok", "Enveloppe restaurée avec succès")}>Toast ok</Button>
        <Button onClick={() => showToast("err", "Échec de l'annulation", { detail: "Action impossible." })}>Toast erreur</Button>
        <Button onClick={() => showToast("info", 'Redirection vers "Mes documents signés" dans 10 secondes')}>Toast info</Button>
      </div>
      {open === "dialog" && (
        <Dialog title="Un dialogue" sheet onClose={close} actions={<Button onClick={close}>Annuler</Button>}>
          <p>En feuille sous 768 px.</p>
        </Dialog>
      )}
      {open === "confirm" && (
        <ConfirmDialog
          title="Supprimer ce document ?"
          message="« Mandat de gestion – succession Saint-Cœur » sera déplacé dans « Supprimé »."
          secondary="Vous pourrez le restaurer pendant 10 jours."
          onConfirm={close}
          onCancel={close}
        />
      )}
      {open === "drawer" && (
        <Drawer label="Menu" side="right" heading={<b>Menu</b>} closeLabel="Fermer le menu" onClose={close}>
          <p>Contenu du tiroir</p>
        </Drawer>
      )}
    </Specimen>
  );
}
