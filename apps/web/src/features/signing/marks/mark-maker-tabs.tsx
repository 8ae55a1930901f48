import type { Hand } from "@paraphe/contracts";
import { useEffect, useId, useState } from "react";
import { classNames } from "../../../lib/class-names.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Dropzone } from "../../../ui/dropzone/dropzone.tsx";
import { TextField } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Tabs } from "../../../ui/tabs/tabs.tsx";
import { type SavedMark, savedLook } from "./chosen-mark.ts";
import { HANDS, handFit, loadHands } from "./hands.ts";
import { MarkPicture } from "./mark-picture.tsx";
import { type SignatureImage, cutSignature, readSignatureImage } from "./read-signature-image.ts";
import { PadTools, SignaturePad } from "./signature-pad.tsx";
import type { MarkMaker, MarkMethod } from "./use-mark-maker.ts";
import styles from "./mark-maker-tabs.module.css";

type HandPickerProps = {
  readonly name: string;
  readonly value: Hand;
  readonly onChange: (hand: Hand) => void;
};

function HandPicker({ name, value, onChange }: HandPickerProps) {
  const group = useId();
  const [isReady, setIsReady] = useState(false);
  useEffect(() => {
    let isHere = true;
    // Without the fonts, the hands show in the browser's cursive.
    void loadHands().finally(() => isHere && setIsReady(true));
    return () => {
      isHere = false;
    };
  }, []);
  return (
    <fieldset className={styles.hands} aria-busy={!isReady}>
      <legend className="sr">Écriture</legend>
      {HANDS.map((hand) => (
        <label key={hand.hand} className={styles.hand}>
          <span
            className={styles.sample}
            style={{ fontFamily: hand.family, fontSize: `${hand.sizeRem * handFit(name)}rem` }}
            aria-hidden="true"
          >
            {name || "\u00a0"}
          </span>
          <small>{hand.name}</small>
          <input
            type="radio"
            name={group}
            value={hand.hand}
            checked={value === hand.hand}
            aria-label={hand.name}
            onChange={() => onChange(hand.hand)}
          />
        </label>
      ))}
    </fieldset>
  );
}

type SavedSignaturePickerProps = {
  readonly marks: readonly SavedMark[];
  readonly value: string | null;
  readonly onChange: (id: string) => void;
};

/** Managing the signatures opens a new tab, so that the request stays. */
function SavedSignaturePicker({ marks, value, onChange }: SavedSignaturePickerProps) {
  return (
    <div className="stack">
      {marks.length === 0 ? (
        <p className={styles.none}>Aucune signature enregistrée</p>
      ) : (
        <fieldset className={`${styles.hands} ${styles.pictures}`}>
          <legend className="sr">Mes signatures</legend>
          {marks.map((mark) => (
            <label key={mark.id} className={styles.hand}>
              <span className={styles.picture}>
                <MarkPicture look={savedLook(mark)} />
              </span>
              <small>{mark.is_default ? `${mark.name} · par défaut` : mark.name}</small>
              <input
                type="radio"
                name="saved-signature"
                checked={value === mark.id}
                aria-label={mark.name}
                onChange={() => onChange(mark.id)}
              />
            </label>
          ))}
        </fieldset>
      )}
      <a className="link" href="/signature/saved-signatures" target="_blank" rel="noopener">
        Gérer mes signatures
        <span className="sr"> (nouvel onglet)</span>
      </a>
    </div>
  );
}

type ImportSignatureProps = {
  readonly value: string | null;
  readonly onChange: (dataUrl: string | null) => void;
};

/** Shown on white, as it is printed. */
function ImportSignature({ value, onChange }: ImportSignatureProps) {
  const slider = useId();
  const [image, setImage] = useState<SignatureImage | null>(null);
  const [threshold, setThreshold] = useState(190);
  const [error, setError] = useState<string | null>(null);

  useEffect(() => {
    if (image) onChange(cutSignature(image, threshold));
  }, [image, threshold, onChange]);

  const read = async (files: readonly File[]) => {
    const file = files[0];
    if (!file) return;
    const result = await readSignatureImage(file);
    setError(result.ok ? null : result.reason);
    setImage(result.ok ? result.image : null);
    if (!result.ok) onChange(null);
  };
  return (
    <div className="stack">
      {image ? (
        <>
          <div className={styles.preview}>
            {value ? (
              <img src={value} alt="Aperçu de votre signature" />
            ) : (
              <p>À ce réglage il ne reste plus de trait.</p>
            )}
          </div>
          <div className={styles.slider}>
            <label htmlFor={slider}>Effacement du fond</label>
            <input
              id={slider}
              type="range"
              min={60}
              max={250}
              step={5}
              value={310 - threshold}
              onChange={(event) => setThreshold(310 - Number(event.target.value))}
            />
          </div>
          <Button size="sm" variant="ghost" onClick={() => setImage(null)}>
            Choisir une autre image
          </Button>
        </>
      ) : (
        <Dropzone
          title="Déposez une image de votre signature"
          hint="PNG ou JPG, fond clair. Le fond est rendu transparent."
          accept="image/png,image/jpeg,image/webp"
          onFiles={(files) => void read(files)}
        />
      )}
      {error ? (
        <p className={styles.error} role="alert">
          <Icon name="alert" size="sm" />
          {error}
        </p>
      ) : null}
    </div>
  );
}

export function MarkMakerTabs({ maker }: { maker: MarkMaker }) {
  const { method, savedMarks } = maker;
  return (
    <>
      <Tabs
        label="Méthode"
        value={method}
        onChange={maker.choose}
        panelClassName={styles.panel}
        tabs={[
          { value: "draw", label: "Dessiner", icon: "pen" },
          { value: "type", label: "Saisir", icon: "keyboard" },
          { value: "import", label: "Importer", icon: "image" },
          ...(savedMarks === null
            ? []
            : [{ value: "saved" as const, label: "Mes signatures", icon: "signature" as const }]),
        ]}
      >
        {method === "draw" ? (
          <SignaturePad strokes={maker.strokes} onChange={maker.setStrokes} />
        ) : null}
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
        {method === "import" ? (
          <ImportSignature value={maker.image} onChange={maker.setImage} />
        ) : null}
        {method === "saved" && savedMarks !== null ? (
          <SavedSignaturePicker
            marks={savedMarks}
            value={maker.savedId}
            onChange={maker.setSavedId}
          />
        ) : null}
      </Tabs>
      {method === "draw" ? <PadTools strokes={maker.strokes} onChange={maker.setStrokes} /> : null}
    </>
  );
}

type MissingMarkProps = {
  readonly id: string;
  readonly method: MarkMethod;
  readonly words?: (sentence: string) => string;
};

/** On a phone the signing sheet announces it, so that only one live region speaks. */
export function MissingMark({ id, method, words = (sentence) => sentence }: MissingMarkProps) {
  return (
    <p className={classNames("muted small", method === "draw" && styles.missing)} id={id}>
      {words(MISSING_MARK[method])}
    </p>
  );
}

const MISSING_MARK: Readonly<Record<MarkMethod, string>> = {
  draw: "Dessinez votre signature pour pouvoir l’utiliser.",
  type: "Saisissez votre nom pour pouvoir l’utiliser.",
  import: "Choisissez une image pour pouvoir l’utiliser.",
  saved: "Choisissez une signature.",
};
