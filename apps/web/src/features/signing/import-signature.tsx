import { useEffect, useId, useState } from "react";
import { Button } from "../../ui/button/button.tsx";
import { Dropzone } from "../../ui/dropzone/dropzone.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import styles from "./import-signature.module.css";
import { cutSignature, readSignatureImage, type SignatureImage } from "./read-signature-image.ts";

type ImportSignatureProps = { readonly value: string | null; readonly onChange: (dataUrl: string | null) => void };

/** A picture of a signature: cropped to the ink, its paper made transparent, shown on white as it will be printed. */
export function ImportSignature({ value, onChange }: ImportSignatureProps) {
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
            {value ? <img src={value} alt="Aperçu de votre signature" /> : <p>À ce réglage il ne reste plus de trait.</p>}
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
