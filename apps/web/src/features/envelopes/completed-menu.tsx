import type { Envelope } from "@paraphe/contracts";
import { buttonLook } from "../../ui/button/button-look.ts";
import { Icon } from "../../ui/icon/icon.tsx";
import { Menu } from "../../ui/menu/menu.tsx";
import { useDownload } from "./use-download.ts";
import { usePrint } from "./use-print.ts";

type Props = { readonly envelope: Envelope; readonly onDelete: () => void };

/** What can be done with a completed envelope; only its owner may delete it. */
export function CompletedMenu({ envelope, onDelete }: Props) {
  const download = useDownload({ failure: "Échec du téléchargement" });
  const print = usePrint();
  const label = `Actions pour ${envelope.title}`;
  return (
    <Menu
      label={label}
      triggerLabel={label}
      triggerClassName={buttonLook({ variant: "ghost", size: "sm", square: true })}
      trigger={<Icon name="dots" />}
      entries={[
        { id: "preview", label: "Prévisualiser", icon: "eye", href: `/signature/detail/${envelope.id}` },
        { id: "download", label: "Télécharger le PDF", icon: "download", onAction: () => download.mutate(envelope) },
        { id: "print", label: "Imprimer", icon: "print", onAction: () => print.mutate(envelope.id) },
        ...(envelope.is_owner
          ? [{ id: "delete", label: "Supprimer", icon: "trash", danger: true, separated: true, onAction: onDelete } as const]
          : []),
      ]}
    />
  );
}
