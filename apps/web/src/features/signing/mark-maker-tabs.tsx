import { TextField } from "../../ui/field/text-field.tsx";
import { Tabs } from "../../ui/tabs/tabs.tsx";
import { HandPicker } from "./hand-picker.tsx";
import { ImportSignature } from "./import-signature.tsx";
import type { MarkMethod } from "./mark-method.ts";
import { SavedSignaturePicker } from "./saved-signature-picker.tsx";
import styles from "./signature-dialog.module.css";
import { SignaturePad } from "./signature-pad.tsx";
import type { MarkMaker } from "./use-mark-maker.ts";

/** The ways to a mark, one tab each. */
export function MarkMakerTabs({ maker }: { maker: MarkMaker }) {
  const { method, savedMarks } = maker;
  return (
    <Tabs
      label="Méthode"
      value={method}
      onChange={maker.choose}
      panelClassName={styles.panel}
      tabs={[
        { value: "draw", label: "Dessiner", icon: "pen" },
        { value: "type", label: "Saisir", icon: "keyboard" },
        { value: "import", label: "Importer", icon: "image" },
        ...(savedMarks === null ? [] : [{ value: "saved" as const, label: "Mes signatures", icon: "signature" as const }]),
      ]}
    >
      {method === "draw" ? <SignaturePad strokes={maker.strokes} onChange={maker.setStrokes} /> : null}
      {method === "type" ? (
        <div className="stack">
          <TextField
            label="Nom à signer"
            maxLength={100}
            autoComplete="name"
            value={maker.name}
            onChange={(event) => maker.setName(event.target.value)}
            error={maker.name.trim() === "" ? "Saisissez votre nom" : undefined}
          />
          <HandPicker name={maker.name.trim()} value={maker.hand} onChange={maker.setHand} />
        </div>
      ) : null}
      {method === "import" ? <ImportSignature value={maker.image} onChange={maker.setImage} /> : null}
      {method === "saved" && savedMarks !== null ? (
        <SavedSignaturePicker marks={savedMarks} value={maker.savedId} onChange={maker.setSavedId} />
      ) : null}
    </Tabs>
  );
}

/** What is missing before the mark can be used, by the way chosen. */
export const MISSING_MARK: Readonly<Record<MarkMethod, string>> = {
  draw: "Dessinez votre signature pour pouvoir l’utiliser.",
  type: "Saisissez votre nom pour pouvoir l’utiliser.",
  import: "Choisissez une image pour pouvoir l’utiliser.",
  saved: "Choisissez une signature.",
};
